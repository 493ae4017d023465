/**
 * IP fragments in, datagrams out (RFC 791 §3.2, RFC 8200 §4.5), bounded in number, bytes and capture time.
 *
 * Overlaps: IPv6 discards the datagram and all that still comes of it (RFC 5722); IPv4 keeps the bytes that came
 * first, as BSD does with what lies to the left. Exact copies are no overlap.
 */

import { hashBytes } from '../core/hash.ts';
import { dropOldest } from '../core/maps.ts';
import { copyBytes, FrameMark, type InFrame, type Packet } from '../sources/packet.ts';
import { ByteBudget } from './byte-buffer.ts';
import type { DecodeCounters } from './counters.ts';
import { FRAGMENT_LIMITS, type FragmentLimits } from './decode-limits.ts';
import { framesOf, withFrames } from './held-frames.ts';
import { SegmentQueue } from './segment-queue.ts';

const DATAGRAM_BYTES = 65_535;
/** What a held fragment costs beside its bytes. */
const PIECE_OVERHEAD = 128;
/** Fragments of a datagram leave together; at the end of a capture the rest may only not have come yet. */
const LATE_US = 2_000_000;
/** Bytes of a datagram without its rest that are told. */
const LONE_BYTES = 4_096;

/** A captured fragment. The reassembler keeps no reference to it. */
export interface FragmentInput {
  readonly packet: Packet;
  /** Identification: 16 bits for IPv4, 32 for IPv6. */
  readonly id: number;
  readonly proto: number;
  /** Place in the datagram, in bytes. */
  readonly offset: number;
  readonly more: boolean;
  /** The fragment's payload is [start, end) of `bytes`; `wireLength` is more when the capture cut it. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly wireLength: number;
}

export type FragmentDrop =
  | 'snapped'
  | 'empty'
  | 'unaligned'
  | 'too_long'
  | 'conflicting_end'
  | 'overlap'
  | 'duplicate'
  | 'discarded'
  | 'too_many_fragments';

export type FragmentResult =
  | { readonly kind: 'pending' }
  | { readonly kind: 'dropped'; readonly reason: FragmentDrop }
  | {
      readonly kind: 'complete';
      /** What follows the IP header; owned by the caller. */
      readonly payload: Uint8Array;
      /** The protocol the first fragment (offset 0) names. */
      readonly proto: number;
      /** The frame of the fragment at offset 0; with `keepsFrames` also those of the others. */
      readonly begin: InFrame;
    };

/** A datagram of which the rest did not come in time. */
export type LoneFragment = {
  readonly tsUs: number;
  /** The file or interface that brought it. */
  readonly source: number;
  readonly proto: number;
  readonly ipVersion: number;
  /** Source and destination, 16 bytes each; IPv4 in the first 4. */
  readonly addresses: Uint8Array;
  /** What stands behind the IP header, up to the first hole. */
  readonly bytes: Uint8Array;
};

type Datagram = {
  readonly firstTsUs: number;
  /** By their places in the datagram. */
  readonly pieces: SegmentQueue;
  arrived: number;
  /** Known once the last fragment came, -1 before. */
  total: number;
  /** Of the fragment at offset 0, once it came. */
  proto: number;
  /** Of the fragments that arrived. */
  readonly marks: number[];
  /** Nothing of this datagram is believed any more; kept to know the fragments that still come. */
  isDiscarded: boolean;
  /** A fragment came that could not be used: it is no loss on the way. */
  isDoubtful: boolean;
  /** Of the fragment at offset 0, once it came. */
  ends: Uint8Array | null;
  readonly ipVersion: number;
};

const PENDING: FragmentResult = { kind: 'pending' };

export class FragmentReassembler {
  readonly counters: DecodeCounters;
  readonly #limits: FragmentLimits;
  readonly #keepsFrames: boolean;
  /** In the order of their first fragments. */
  readonly #open = new Map<string, Datagram>();
  /** What datagrams were completed of and when, so that copies of their fragments start nothing new. */
  readonly #finished = new Map<string, { readonly tsUs: number; readonly marks: readonly number[] }>();
  readonly #budget: ByteBudget;
  readonly #onLone: ((lone: LoneFragment) => void) | null;

  /** `onLone` is told of datagrams of which the first fragment came and others did not. */
  constructor(
    counters: DecodeCounters,
    limits: FragmentLimits = FRAGMENT_LIMITS,
    keepsFrames = false,
    onLone: ((lone: LoneFragment) => void) | null = null,
  ) {
    this.counters = counters;
    this.#limits = limits;
    this.#keepsFrames = keepsFrames;
    this.#onLone = onLone;
    this.#budget = new ByteBudget(limits.maxBytes);
  }

  get datagrams(): number {
    return this.#open.size;
  }

  /** Bytes held, bookkeeping included. */
  get bufferedBytes(): number {
    return this.#budget.used;
  }

  add(f: FragmentInput): FragmentResult {
    this.counters.fragments++;
    const { packet } = f;
    this.expire(packet.tsUs);
    const length = f.end - f.start;
    if (length < f.wireLength) {
      this.counters.fragmentsSnapped++;
      const cut = this.#open.get(keyOf(f));
      if (cut !== undefined) cut.isDoubtful = true;
      return this.#drop(f, 'snapped');
    }
    // Only the last fragment may hold a number of bytes that is no multiple of 8, and none may be empty.
    if (length <= 0 || f.offset < 0) return this.#malformed(f, 'empty');
    if (f.more && length % 8 !== 0) return this.#malformed(f, 'unaligned');
    if (f.offset + length > DATAGRAM_BYTES) return this.#malformed(f, 'too_long');
    if (f.offset === 0 && !f.more) {
      // A datagram that is one fragment stands alone (RFC 6946).
      this.counters.fragmentsReassembled++;
      return {
        kind: 'complete',
        payload: copyBytes(f.bytes, f.start, f.end),
        proto: f.proto,
        begin: markOfFrame(packet),
      };
    }
    const key = keyOf(f);
    const finished = this.#finished.get(key);
    if (finished !== undefined) {
      // Identifications come round in a second or two at a high rate, and some senders know one only: it is a copy when
      // its bytes are, too.
      if (packet.tsUs - finished.tsUs <= this.#limits.duplicateWindowUs && finished.marks.includes(markOf(f))) {
        this.counters.fragmentsDuplicate++;
        return this.#drop(f, 'duplicate');
      }
      this.#finished.delete(key);
    }
    let d = this.#open.get(key);
    if (d === undefined) {
      d = this.#begin(key, packet);
    } else if (d.isDiscarded) return this.#drop(f, 'discarded');
    return this.#join(key, d, f, length);
  }

  /** The source ended at `lastUs`: gives up what is not complete. */
  close(lastUs: number): void {
    this.expire(Number.POSITIVE_INFINITY, lastUs);
  }

  /** Gives up datagrams whose first fragment is too old at `nowUs`; returns how many. `seenUs`: until then others were seen. */
  expire(nowUs: number, seenUs = nowUs): number {
    let timeouts = 0;
    for (const [key, d] of this.#open) {
      if (nowUs - d.firstTsUs <= this.#limits.timeoutUs) break;
      if (!d.isDiscarded) timeouts++;
      if (seenUs - d.firstTsUs >= LATE_US) this.#tellLone(d);
      this.#giveUp(key, d);
    }
    for (const [key, { tsUs }] of this.#finished) {
      if (nowUs - tsUs <= this.#limits.duplicateWindowUs) break;
      this.#finished.delete(key);
    }
    this.counters.fragmentTimeouts += timeouts;
    return timeouts;
  }

  #tellLone(d: Datagram): void {
    if (this.#onLone === null || d.ends === null || d.isDiscarded || d.isDoubtful) return;
    const bytes = new Uint8Array(Math.min(d.pieces.bytes, LONE_BYTES));
    const length = d.pieces.copyRun(bytes);
    const { firstTsUs: tsUs, proto, ipVersion, ends: addresses } = d;
    const source = d.pieces.head?.mark.source ?? 0;
    this.#onLone({ tsUs, source, proto, ipVersion, addresses, bytes: bytes.subarray(0, length) });
  }

  #begin(key: string, { tsUs, ipVersion }: Packet): Datagram {
    if (this.#open.size >= this.#limits.maxDatagrams) this.#evictOldest();
    const d: Datagram = {
      firstTsUs: tsUs,
      pieces: new SegmentQueue(this.#budget, PIECE_OVERHEAD),
      arrived: 0,
      total: -1,
      proto: 0,
      marks: [],
      isDiscarded: false,
      isDoubtful: false,
      ends: null,
      ipVersion,
    };
    this.#open.set(key, d);
    return d;
  }

  #join(key: string, d: Datagram, f: FragmentInput, length: number): FragmentResult {
    const end = f.offset + length;
    const { all } = d.pieces;
    const reach = all.at(-1);
    const seen = reach === undefined ? 0 : reach.seq + reach.span;
    const isDuplicate = all.some((p) => p.seq === f.offset && p.span === length);
    if (isDuplicate && (f.more || d.total === end)) {
      this.counters.fragmentsDuplicate++;
      return this.#drop(f, 'duplicate');
    }
    // All fragments agree on where the datagram ends.
    if ((d.total >= 0 && (end > d.total || (!f.more && end !== d.total))) || (!f.more && end < seen)) {
      d.isDoubtful = true;
      if (f.packet.ipVersion === 6) this.#discard(d);
      return this.#malformed(f, 'conflicting_end');
    }
    if (d.arrived >= this.#limits.maxFragmentsPerDatagram) {
      this.#discard(d);
      return this.#malformed(f, 'too_many_fragments');
    }
    const overlaps = all.some((p) => p.seq < end && f.offset < p.seq + p.span);
    if (overlaps) {
      this.counters.fragmentsOverlapping++;
      if (f.packet.ipVersion === 6) {
        this.#discard(d);
        return this.#drop(f, 'overlap');
      }
    }
    d.arrived++;
    d.marks.push(markOf(f));
    if (!f.more) d.total = end;
    if (f.offset === 0 && d.pieces.head?.seq !== 0) {
      d.proto = f.proto;
      d.ends = endsOf(f.packet);
    }
    const before = d.pieces.bytes;
    d.pieces.insert(f.offset, length, f.bytes, f.start, f.end, f.packet);
    this.counters.fragmentBytesIgnored += length - (d.pieces.bytes - before);
    if (d.total >= 0 && d.pieces.bytes === d.total) return this.#complete(key, d, f.packet);
    while (this.#budget.isExceeded && this.#open.size > 0) this.#evictOldest();
    return PENDING;
  }

  #complete(key: string, d: Datagram, last: Packet): FragmentResult {
    const payload = new Uint8Array(d.total);
    d.pieces.copyRun(payload);
    const first = d.pieces.head?.mark ?? markOfFrame(last);
    const begin = this.#keepsFrames
      ? withFrames(
          first,
          d.pieces.all.flatMap(({ mark }) => framesOf(mark)),
        )
      : first;
    this.#open.delete(key);
    d.pieces.clear();
    if (this.#finished.size >= this.#limits.maxDatagrams) dropOldest(this.#finished);
    this.#finished.set(key, { tsUs: last.tsUs, marks: d.marks });
    this.counters.fragmentsReassembled++;
    return { kind: 'complete', payload, proto: d.proto, begin };
  }

  #discard(d: Datagram): void {
    this.counters.fragmentDatagramsDiscarded++;
    this.counters.fragmentBytesIgnored += d.pieces.clear();
    d.isDiscarded = true;
  }

  #evictOldest(): void {
    for (const [key, d] of this.#open) {
      if (!d.isDiscarded) this.counters.fragmentsEvicted++;
      this.#giveUp(key, d);
      return;
    }
  }

  #giveUp(key: string, d: Datagram): void {
    this.counters.fragmentBytesIgnored += d.pieces.clear();
    this.#open.delete(key);
  }

  #malformed(f: FragmentInput, reason: FragmentDrop): FragmentResult {
    this.counters.fragmentsMalformed++;
    return this.#drop(f, reason);
  }

  #drop(f: FragmentInput, reason: FragmentDrop): FragmentResult {
    this.counters.fragmentBytesIgnored += Math.max(0, f.end - f.start);
    return { kind: 'dropped', reason };
  }
}

function markOfFrame(packet: Packet): FrameMark {
  const mark = new FrameMark();
  mark.copy(packet);
  return mark;
}

function endsOf({ addresses, srcOff, dstOff }: Packet): Uint8Array {
  const ends = new Uint8Array(32);
  ends.set(addresses.subarray(srcOff, srcOff + 16), 0);
  ends.set(addresses.subarray(dstOff, dstOff + 16), 16);
  return ends;
}

/** 32 bits of a fragment's place and bytes. */
function markOf(f: FragmentInput): number {
  return hashBytes(f.bytes, f.start, f.end) ^ f.offset;
}

/** Source, destination, identification, and for IPv4 the protocol (RFC 791; RFC 8200 leaves it out). */
function keyOf(f: FragmentInput): string {
  const { ipVersion, addresses, srcOff, dstOff } = f.packet;
  const n = ipVersion === 6 ? 16 : 4;
  let key = String.fromCharCode(ipVersion === 6 ? 0x600 : 0x400 | (f.proto & 255), f.id >>> 16, f.id & 0xffff);
  for (const at of [srcOff, dstOff]) {
    for (let i = at; i < at + n; i += 2) {
      key += String.fromCharCode(((addresses[i] ?? 0) << 8) | (addresses[i + 1] ?? 0));
    }
  }
  return key;
}
