/** A scene: what happens, as a table, and what a diagnosis says of it. */
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { inTimeOrder, pcap } from '../../../fixtures/build/pcap-file.ts';
import { fragmented } from './fragmented.ts';
import { playMedia } from './media.ts';
import { refusals } from './refusal.ts';
import { playSignaling } from './signaling.ts';
import { playerOf } from './stage.ts';
import { readTable, type Tap } from './table.ts';
import { isBetween, isTcpEnd, segmentsOf } from './tcp.ts';

export type Scene = {
  readonly name: string;
  /** Why it looks like a fault, or like none. */
  readonly note: string;
  readonly table: string;
  readonly isHealthy: boolean;
  /** Facts by name (test/helpers/call-facts.ts), of all its calls together, and no other. */
  readonly finds: readonly string[];
};

/** Ringing for two seconds, then an answer. */
export const ANSWERED = `
  0    A>B INVITE sdp
  0.02 B>A 100
  0.18 B>A 180
  2.18 B>A 200 sdp
  2.2  A>B ACK`;

/** Nothing may be found, or what is true of it and no fault. */
export function healthy(name: string, note: string, table: string, finds = ''): Scene {
  return { name, note, table, isHealthy: true, finds: named(finds) };
}

/** What a diagnosis must say, and nothing else: `one-way-audio, private-address`. */
export function faulty(name: string, finds: string, note: string, table: string): Scene {
  return { name, note, table, isHealthy: false, finds: named(finds) };
}

function named(finds: string): string[] {
  return finds.split(', ').filter((name) => name !== '');
}

/** The end of a call. */
export function ends(sec: number, who = 'A>B'): string {
  const [from, to] = who.split('>');
  return `${sec} ${from}>${to} BYE\n${sec + 0.03} ${to}>${from} 200`;
}

/** The same message again, at these seconds. */
export function again(who: string, what: string, secs: readonly number[]): string {
  return secs.map((sec) => `${sec} ${who} ${what} again`).join('\n');
}

/** Speech both ways. */
export function talk(fromSec: number, toSec: number, between = 'A>B', words = ''): string {
  const [a, b] = between.split('>');
  return `${fromSec}-${toSec} ${a}>${b} rtp ${words}\n${fromSec}-${toSec} ${b}>${a} rtp ${words}`;
}

export function captureOf({ name, table }: Scene): Uint8Array {
  const { calls, tap } = readTable(name, table);
  const capture = new Capture();
  const seen = calls.flatMap((call) => [...playSignaling(call), ...playMedia(call)]);
  const isInside = (tsUs: number): boolean => tsUs >= EPOCH_US + tap.fromMs * 1000 && tsUs < EPOCH_US + tap.toMs * 1000;
  const only = tap.only === null ? null : playerOf(tap.only).sip.address;
  const ends = calls.flatMap(({ lines }) => lines.filter(isTcpEnd));
  const overTcp = tap.tcp.map((pair) => ({ pair, messages: seen.filter((m) => isBetween(m, pair)) }));
  const streamed = new Set(overTcp.flatMap(({ messages }) => messages));
  const segments = overTcp
    .flatMap(({ pair, messages }) => segmentsOf(messages, pair, ends))
    .filter(({ tsUs }) => isInside(tsUs));
  const datagrams = seen.filter((m) => !streamed.has(m));
  const inside = datagrams.filter(({ tsUs, src }) => isInside(tsUs) && (only === null || src.address === only));
  const whole = inside.filter(({ cut = null }) => cut === null);
  capture.addPackets(fragmented(inside));
  for (let copy = 0; copy < tap.copies; copy++)
    capture.add(whole.map((d) => ({ ...d, tsUs: d.tsUs + copy * (tap.apartMs * 1000 || 15) })));
  capture.addPackets(refusals(inside));
  const frames = inTimeOrder([...capture.frames(), ...segments]);
  return pcap(frames.map((frame) => ({ ...frame, tsUs: stepped(frame.tsUs, tap) })));
}

/** The time that the capturing clock shows. */
function stepped(tsUs: number, { steps }: Tap): number {
  return steps.reduce((us, { atMs, byMs }) => (tsUs >= EPOCH_US + atMs * 1000 ? us + byMs * 1000 : us), tsUs);
}
