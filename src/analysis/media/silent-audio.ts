/**
 * Finds a side of an answered call that sends packets and no sound: G.711 of one octet, again and again, from the first packet
 * to the last, while the other side sends more than that.
 *
 * Who mutes for a while sends the same: a direction that was heard once is none. Where both are silent, test tools speak with
 * each other, or nobody does. It says nothing of a hold, a transfer, a machine or a conference, where one side listens alone.
 */
import { counted } from '../../core/counted.ts';
import { endpointKeyHost, endpointKeyText } from '../../core/ip.ts';
import { SOUND } from '../../protocols/rtp/stream-layout.ts';
import type { MediaFindings } from '../findings.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { heldSpans, type Span } from './held-spans.ts';
import { machineOf, senderSide } from './meant-silence.ts';
import { endOf } from './stop.ts';

/** Who is called says something at once. */
const CALLEE_US = 3_000_000;
/** Who calls may listen first, to a text. And in a call that goes on, who is muted may still speak. */
const CALLER_US = 10_000_000;
/** Silent directions of a call that are looked at. @cap */
const MAX_DIRECTIONS = 16;
/** Of a sender whose packet time is not known. */
const USUAL_PACKET_MS = 20;

const G711: ReadonlySet<string | null> = new Set(['PCMU', 'PCMA']);
/** Nothing, of either sign, in µ-law and in A-law (ITU-T G.711). */
const NOTHING: ReadonlySet<number> = new Set([0xff, 0x7f, 0xd5, 0x55]);
const SIDES = ['the caller', 'the callee'] as const;

/** One way, after the answer. */
type Direction = {
  readonly first: MediaStream;
  readonly octet: number;
  readonly packets: number;
  readonly lengthUs: number;
};

export function checkSilentAudio(c: MediaCase, f: MediaFindings): void {
  const { d, audio } = c;
  // Most calls: somebody speaks, or breathes.
  if (!audio.some(isSilent) || Number.isNaN(d.answerUs)) return;
  const silent = directionsOf(c);
  // A relay passes silence on: who sends it to the relay is named.
  const found = silent.find((s) => !silent.some((o) => feeds(o.first, s.first))) ?? silent[0];
  if (found === undefined || machineOf(c.machines(), null) !== null || c.isConference()) return;
  const { octet, lengthUs } = found;
  const { stream } = found.first;
  const side = senderSide(d, stream);
  const who = side === null ? '' : ` from ${SIDES[side]}`;
  const what = `${NOTHING.has(octet) ? 'digital silence' : 'one octet again and again'} (0x${octet.toString(16).padStart(2, '0')})`;
  f.hints.push({
    finding: 'silent-audio',
    text: `Silent audio${who}: ${endpointKeyText(stream.srcKey)} sent ${counted(found.packets, 'packet')} to ${endpointKeyText(stream.dstKey)} in ${(lengthUs / 1e6).toFixed(1)} s, and every one was ${what}. What the other side sent was not.`,
  });
}

/** Who presses keys talks with a machine, and has nothing to say. */
function isSilent({ sound, hasKeys, codec, segments }: MediaStream): boolean {
  return sound === SOUND.SILENT && !hasKeys && G711.has(codec) && segments.every((s) => G711.has(s.codec));
}

/** A tester may send one octet in place of speech: beside nothing it is heard. */
function isHeard({ sound, octet }: MediaStream, silence: number): boolean {
  if (sound === SOUND.HEARD) return true;
  if (!NOTHING.has(silence)) return false;
  return sound === SOUND.STEPS || (sound === SOUND.SILENT && !NOTHING.has(octet));
}

/** Those that were silent for long enough, while the other one was heard. */
function directionsOf(c: MediaCase): Direction[] {
  const { d, ways } = c;
  // Ring tones are over by then.
  const talk = c.audio.filter((s) => s.lastUs > d.answerUs);
  const transferUs = Math.min(...c.transfers().map((t) => t.fromUs));
  const seen = new Set<MediaStream>();
  const found: Direction[] = [];
  let left = MAX_DIRECTIONS;
  for (const first of talk) {
    if (seen.has(first) || !isSilent(first)) continue;
    if (left-- === 0) return found;
    const { octet } = first;
    const { srcKey, dstKey } = first.stream;
    const same = ways.sameAs(first.stream);
    for (const s of same) seen.add(s);
    // Media that moved has a socket in common.
    const own = talk.filter((s) => same.includes(s) || s.stream.srcKey === srcKey || s.stream.dstKey === dstKey);
    if (!own.every(isSilent)) continue;
    if (!ways.reverseOf(first.stream).some((s) => s.lastUs > d.answerUs && isHeard(s, octet))) continue;
    const lengthUs = spokenUs(c, own, transferUs);
    const packets = own.reduce((n, s) => n + s.packets, 0);
    // A clock that steps makes no packets.
    const sentUs = packets * (first.packetMs || USUAL_PACKET_MS) * 1000;
    if (Math.min(lengthUs, sentUs) >= leastUs(c, first)) found.push({ first, octet, packets, lengthUs });
  }
  return found;
}

function leastUs({ d }: MediaCase, { stream }: MediaStream): number {
  const isOver = !(Number.isNaN(d.byeUs) && Number.isNaN(d.endedUs));
  return isOver && senderSide(d, stream) === 1 ? CALLEE_US : CALLER_US;
}

/** From the answer or the first packet on, to the last packet or a transfer, holds left out. */
function spokenUs(c: MediaCase, own: readonly MediaStream[], transferUs: number): number {
  const { d } = c;
  const fromUs = Math.max(d.answerUs, Math.min(...own.map((s) => s.firstUs)));
  const toUs = Math.min(endOf(d, c.nowUs), transferUs, Math.max(...own.map((s) => s.lastUs)));
  const held = own[0] === undefined ? [] : heldSpans(d, own[0].stream);
  return toUs - fromUs - held.reduce((us, span) => us + sharedUs(span, fromUs, toUs), 0);
}

function sharedUs(span: Span, fromUs: number, toUs: number): number {
  return Math.max(0, Math.min(span.toUs, toUs) - Math.max(span.fromUs, fromUs));
}

/** What goes to a host that passes on what it gets. */
function feeds(a: MediaStream, b: MediaStream): boolean {
  if (endpointKeyHost(a.stream.dstKey) !== endpointKeyHost(b.stream.srcKey)) return false;
  return endpointKeyHost(a.stream.srcKey) !== endpointKeyHost(b.stream.dstKey);
}
