/**
 * The figures of trunks, reckoned from a capture by hand: it shares no code with calltap, and knows only what the carriers'
 * lab can do - pcapng of Ethernet, IPv4, UDP, calls without challenges and without re-INVITEs.
 */
import assert from 'node:assert/strict';
import type { Heard, Spoken } from './trunk-voice.ts';
import { heard } from './trunk-voice.ts';

type Datagram = { sec: number; src: string; dst: string; sport: number; dport: number; bytes: Buffer };

/** Time is in seconds of the epoch. */
export function datagramsOf(file: Buffer): Datagram[] {
  const datagrams: Datagram[] = [];
  for (let at = 0; at < file.length; at += file.readUInt32LE(at + 4)) {
    const type = file.readUInt32LE(at);
    if (type === 1) {
      assert.equal(file.readUInt16LE(at + 8), 1, 'Ethernet');
      // Its first option says that time is in nanoseconds.
      assert.equal(file.toString('hex', at + 16, at + 21), '0900010009');
    }
    if (type !== 6) continue;
    const units = (BigInt(file.readUInt32LE(at + 12)) << 32n) | BigInt(file.readUInt32LE(at + 16));
    const frame = file.subarray(at + 28, at + 28 + file.readUInt32LE(at + 20));
    if (frame.readUInt16BE(12) !== 0x0800 || frame[23] !== 17) continue;
    assert.equal(frame.readUInt16BE(20) & 0x3fff, 0, 'no fragments');
    const udp = 14 + ((frame[14] ?? 0) & 15) * 4;
    const host = (from: number): string => [...frame.subarray(from, from + 4)].join('.');
    datagrams.push({
      sec: Number(units / 1000n) / 1e6,
      ...{ src: host(26), dst: host(30), sport: frame.readUInt16BE(udp), dport: frame.readUInt16BE(udp + 2) },
      bytes: frame.subarray(udp + 8, udp + frame.readUInt16BE(udp + 4)),
    });
  }
  return datagrams;
}

type Message = {
  readonly sec: number;
  readonly method: string;
  /** 0 of a request. */
  readonly status: number;
  readonly callId: string;
  /** Who asks whom, whichever of both sends this. */
  readonly from: string;
  readonly to: string;
  readonly hasToTag: boolean;
  readonly sender: string;
  /** Makes it the same as one before; a carrier that rings after another one has a tag of its own (RFC 3261 section 17.2.3). */
  readonly transaction: string;
  /** Where the sender wants its audio. */
  readonly audio: string | null;
};

function messageOf({ sec, src, dst, bytes }: Datagram): Message | null {
  const text = bytes.toString('latin1');
  const header = (name: string): string => new RegExp(`^${name}: *(.*?)\\r$`, 'im').exec(text)?.[1] ?? '';
  const status = Number(/^SIP\/2\.0 (\d{3}) /.exec(text)?.[1] ?? 0);
  if (status === 0 && !/^[A-Z]+ sip:/.test(text)) return null;
  const [from, to] = status === 0 ? [src, dst] : [dst, src];
  const method = header('CSeq').split(' ')[1] ?? '';
  const [host, port] = [/^c=IN IP4 (\S+)/m.exec(text)?.[1], /^m=audio (\d+)/m.exec(text)?.[1]];
  return {
    ...{ sec, method, status, callId: header('Call-ID'), from, to, sender: src },
    transaction: [src, dst, header('Via'), header('CSeq'), header('To'), status].join(' '),
    hasToTag: header('To').includes(';tag='),
    audio: host === undefined || port === undefined ? null : `${host}:${port}`,
  };
}

export type Attempt = {
  readonly callId: string;
  readonly from: string;
  readonly to: string;
  readonly inviteSec: number;
  progressSec: number | null;
  final: number;
  finalSec: number;
  talkSec: number | null;
};

export type Reckoning = {
  readonly attempts: readonly Attempt[];
  /** By asking and asked host: messages of calls that came again. */
  readonly repeats: ReadonlyMap<string, number>;
  /** By asking and asked host: OPTIONS, those with an answer, and how long it took. */
  readonly pings: ReadonlyMap<string, { asked: number; roundTripMs: number[] }>;
  /** Of a call's streams from or to this host. */
  readonly heard: (callId: string, host: string) => readonly Heard[];
};

export function reckon(file: Buffer): Reckoning {
  const datagrams = datagramsOf(file);
  const attempts = new Map<string, Attempt>();
  const pings = new Map<string, { asked: number; roundTripMs: number[] }>();
  const repeats = new Map<string, number>();
  const seen = new Set<string>();
  const asked = new Map<string, number>();
  const calls = new Map<string, string>();
  for (const datagram of datagrams) {
    const message = datagram.dport === 5060 || datagram.sport === 5060 ? messageOf(datagram) : null;
    if (message === null) continue;
    const { sec, method, status, callId, from, to } = message;
    const hop = `${from} ${to}`;
    const key = `${callId} ${hop}`;
    if (message.audio !== null) calls.set(message.audio, callId);
    if (method === 'OPTIONS') {
      const count = pings.get(hop) ?? { asked: 0, roundTripMs: [] };
      pings.set(hop, count);
      if (status === 0 && !asked.has(key)) {
        count.asked++;
        asked.set(key, sec);
      } else if (status >= 200) {
        const askedSec = asked.get(key) ?? 0;
        if (askedSec > 0) count.roundTripMs.push((sec - askedSec) * 1000);
        asked.set(key, 0);
      }
    }
    if (method !== 'OPTIONS' && seen.has(message.transaction)) repeats.set(hop, (repeats.get(hop) ?? 0) + 1);
    seen.add(message.transaction);
    const attempt = attempts.get(key);
    if (method === 'INVITE' && status === 0 && attempt === undefined && !message.hasToTag) {
      const open = { progressSec: null, final: 0, finalSec: 0, talkSec: null };
      attempts.set(key, { ...{ callId, from, to, inviteSec: sec }, ...open });
    } else if (method === 'INVITE' && attempt !== undefined && attempt.final === 0) {
      if (status >= 180 && status < 190) attempt.progressSec ??= sec;
      if (status >= 200) Object.assign(attempt, { final: status, finalSec: sec });
    } else if (method === 'BYE' && status === 0)
      for (const ended of [attempt, attempts.get(`${callId} ${to} ${from}`)])
        if (ended?.final === 200) ended.talkSec ??= sec - ended.finalSec;
  }
  const streams = streamsOf(datagrams, calls);
  return {
    attempts: [...attempts.values()],
    repeats,
    pings,
    heard: (callId, host) =>
      [...streams.values()]
        .filter((s) => s.callId === callId && (s.src === host || s.dst === host))
        .map(({ packets }) => heard(packets)),
  };
}

type Stream = { readonly callId: string; readonly src: string; readonly dst: string; readonly packets: Spoken[] };

/** RTP by flow; `calls` says whose the audio at an address is, which no two calls share. */
function streamsOf(datagrams: readonly Datagram[], calls: ReadonlyMap<string, string>): Map<string, Stream> {
  const streams = new Map<string, Stream>();
  for (const { sec, src, dst, sport, dport, bytes } of datagrams) {
    const callId = calls.get(`${dst}:${dport}`);
    if (callId === undefined || bytes.length < 12 || (bytes[0] ?? 0) >> 6 !== 2) continue;
    const key = `${src}:${sport} ${dst}:${dport} ${bytes.readUInt32BE(8)}`;
    const stream = streams.get(key) ?? { callId, src, dst, packets: [] };
    streams.set(key, stream);
    assert.equal((bytes[1] ?? 0) & 0x7f, 0, 'PCMU');
    stream.packets.push({ sec, sequence: bytes.readUInt16BE(2), ticks: bytes.readUInt32BE(4) });
  }
  return streams;
}
