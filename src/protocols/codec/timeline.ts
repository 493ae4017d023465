/**
 * Lays the packets of a call out in time: by RTP timestamp within a stream, by capture time between streams, silence
 * where nothing came. Both directions share one beginning.
 */
import type { PayloadDecoder } from './decoder.ts';
import { createDecoder } from './decoder.ts';
import type { PacketList } from './packet-list.ts';
import { packetsOf } from './packet-list.ts';
import type { SrtpKey } from './srtp.ts';
import { rtpHeaderBytes, SrtpOpener } from './srtp.ts';

/** Parts of a stream further apart than this against the capture clock are placed again. */
const RESYNC_SEC = 0.5;
/** So many packets after a late one it shows whether they were held up on their way or their clock had stood still. */
const CATCH_UP_PACKETS = 300;

/** A stream of one direction. */
export type AudioStream = {
  /** Master keys to try where the packets are SRTP; null where they are plain RTP. */
  readonly keys: readonly SrtpKey[] | null;
  /** Codec, clock and channels by payload type. */
  readonly formats: readonly {
    readonly payloadType: number;
    readonly codec: string;
    readonly clockRate: number;
    readonly channels: number;
  }[];
  readonly packets: PacketList;
};

export type Direction = readonly AudioStream[];

type Packet = {
  readonly seq: number;
  readonly timestamp: number;
  readonly payloadType: number;
  readonly tsUs: number;
  readonly payload: Uint8Array;
};

/** An RTP packet taken apart (RFC 3550 section 5.1); null when it is not one. */
function readRtp(bytes: Uint8Array, tsUs: number): Packet | null {
  const at = rtpHeaderBytes(bytes);
  if (at < 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPadded = (view.getUint8(0) & 0x20) !== 0;
  const end = isPadded ? bytes.length - view.getUint8(bytes.length - 1) : bytes.length;
  if (at > end) return null;
  return {
    seq: view.getUint16(2),
    timestamp: view.getUint32(4),
    payloadType: view.getUint8(1) & 127,
    tsUs,
    payload: bytes.subarray(at, end),
  };
}

/** Steps of a sequence from here on are no loss and no late packet (RFC 3550 appendix A.1; what a stream counts as late). */
const MOST_AHEAD = 3000;
const MOST_BEHIND = 128;

/** A mirror may copy a packet so often before the next comes. */
const MOST_COPIES = 4;

/** Two packets in sequence after a step that no network makes: the sender began anew, maybe at numbers it had before. */
function beginsAnew(step: number, packets: readonly { readonly bytes: Uint8Array }[], at: number): boolean {
  if (step > -MOST_BEHIND && step < MOST_AHEAD) return false;
  const [seq = 0, ...others] = packets.slice(at, at + 1 + MOST_COPIES).map(({ bytes }) => sequenceOf(bytes));
  return others.find((other) => other !== seq) === ((seq + 1) & 0xffff);
}

const sequenceOf = (bytes: Uint8Array): number => ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0);

/** Packets in the order of their sequence, each number once; wrapped numbers continue, a sequence that begins anew follows. */
function inOrder(stream: AudioStream, sealed: Sealed): Packet[] {
  let run = new Map<number, Packet>();
  const runs = [run];
  const packets = packetsOf(stream.packets);
  // A key counts the turns of its sequence: there is one for all.
  const opener = stream.keys === null ? null : new SrtpOpener(stream.keys);
  let highest = Number.NaN;
  for (const [i, { tsUs, bytes }] of packets.entries()) {
    const header = rtpHeaderBytes(bytes);
    if (header < 0) continue;
    const seq = sequenceOf(bytes);
    const step = ((((seq - highest) & 0xffff) + 0x8000) % 0x10000) - 0x8000;
    if (!Number.isNaN(highest) && opener === null && beginsAnew(step, packets, i)) {
      highest = Number.NaN;
      run = new Map();
      runs.push(run);
    }
    // The nearest extended number to the highest so far.
    const ext: number = Number.isNaN(highest) ? seq + 65_536 : highest + step;
    if (Number.isNaN(highest) || ext > highest) highest = ext;
    if (run.has(ext)) continue;
    // The sequence begins in the second turn, so that a late packet before the first has a number too.
    const plain = opener === null ? bytes : opener.open(bytes, header, Math.max(0, (ext >> 16) - 1));
    const p = plain === null ? null : readRtp(plain, tsUs);
    if (p !== null) run.set(ext, p);
  }
  sealed.unopened += opener?.unopened ?? 0;
  sealed.opened += opener?.opened ?? 0;
  return runs.flatMap((r) => [...r].sort(([a], [b]) => a - b).map(([, p]) => p));
}

/** SRTP packets of a direction: those that a key opened, and those that none did. */
export type Sealed = { opened: number; unopened: number };

type Piece = { readonly atSec: number; readonly samples: Int16Array; readonly rate: number };

/** Decoded pieces of a stream and where they belong, in seconds of capture time. */
async function pieces(stream: AudioStream, sealed: Sealed): Promise<Piece[]> {
  const out: Piece[] = [];
  const decoders = new Map<number, PayloadDecoder | null>();
  let anchorSec = Number.NaN;
  let anchorTs = 0;
  let anchorClock = 0;
  const packets = inOrder(stream, sealed);
  for (const [i, p] of packets.entries()) {
    const format = stream.formats.find((f) => f.payloadType === p.payloadType);
    if (format === undefined) continue;
    let decoder = decoders.get(p.payloadType);
    if (decoder === undefined) {
      decoder = await createDecoder(format.codec, format.clockRate, format.channels);
      decoders.set(p.payloadType, decoder);
    }
    if (decoder === null) continue;
    const lateSec = (q: Packet): number => q.tsUs / 1e6 - anchorSec - ((q.timestamp - anchorTs) | 0) / format.clockRate;
    const late = lateSec(p);
    const isMoved =
      // Units of another clock say nothing of the time since.
      format.clockRate !== anchorClock ||
      (!(Math.abs(late) <= RESYNC_SEC) && !(late > 0 && catchesUp(packets, i, lateSec)));
    if (isMoved) {
      anchorClock = format.clockRate;
      anchorSec = p.tsUs / 1e6;
      anchorTs = p.timestamp;
    }
    const atSec = anchorSec + ((p.timestamp - anchorTs) | 0) / format.clockRate;
    const samples = decoder.decode(p.payload);
    if (samples.length > 0) out.push({ atSec, samples, rate: decoder.sampleRate });
  }
  for (const decoder of decoders.values()) decoder?.close();
  return out;
}

/** Packets that were held up come in one burst, the last of them in time again: they belong where their timestamps say. */
function catchesUp(packets: readonly Packet[], at: number, lateSec: (p: Packet) => number): boolean {
  const end = Math.min(packets.length, at + CATCH_UP_PACKETS);
  for (let i = at + 1; i < end; i++) {
    const p = packets[i];
    if (p !== undefined && Math.abs(lateSec(p)) <= RESYNC_SEC) return true;
  }
  return false;
}

export type Audio = {
  readonly channels: Int16Array[];
  readonly sampleRate: number;
  /** Capture time of the first sample. */
  readonly startSec: number;
  /** One a direction. */
  readonly sealed: readonly Readonly<Sealed>[];
};

/** One channel a direction; 'nothing' could be decoded, or the number of samples when they are more than `maxSamples`. */
export async function layOut(
  directions: readonly Direction[],
  maxSamples: number,
): Promise<Audio | 'nothing' | number> {
  const decoded: Piece[][] = [];
  const sealed: Sealed[] = [];
  for (const direction of directions) {
    const list: Piece[] = [];
    const own = { opened: 0, unopened: 0 };
    for (const stream of direction) for (const piece of await pieces(stream, own)) list.push(piece);
    decoded.push(list);
    sealed.push(own);
  }
  const all = decoded.flat();
  if (all.length === 0) return 'nothing';
  const sampleRate = all.reduce((rate, p) => Math.max(rate, p.rate), 8000);
  const startSec = all.reduce((t, p) => Math.min(t, p.atSec), Number.POSITIVE_INFINITY);
  const endSec = all.reduce((t, p) => Math.max(t, p.atSec + p.samples.length / p.rate), 0);
  const length = Math.round((endSec - startSec) * sampleRate);
  if (length * directions.length > maxSamples) return length * directions.length;
  return {
    sampleRate,
    startSec,
    sealed,
    channels: decoded.map((list) => {
      const channel = new Int16Array(length);
      for (const p of list) place(channel, Math.round((p.atSec - startSec) * sampleRate), p, sampleRate);
      return channel;
    }),
  };
}

/** Writes a piece at `at`, its rate raised to the file's by interpolation. */
function place(channel: Int16Array, at: number, p: Piece, sampleRate: number): void {
  const { samples } = p;
  if (p.rate === sampleRate) {
    channel.set(
      at + samples.length <= channel.length ? samples : samples.subarray(0, Math.max(0, channel.length - at)),
      at,
    );
    return;
  }
  const ratio = p.rate / sampleRate;
  const n = Math.round(samples.length / ratio);
  for (let i = 0; i < n && at + i < channel.length; i++) {
    const x = i * ratio;
    const k = Math.floor(x);
    const left = samples[k] ?? 0;
    channel[at + i] = Math.round(left + ((samples[k + 1] ?? left) - left) * (x - k));
  }
}
