/**
 * One RTP stream as the store knows it; its counters live in the native table (src/rtp/stream-table.ts).
 */
import type { EndpointKey } from '../core/ip.ts';
import type { Dialog, FramePointer } from './dialog.ts';
import type { Claim } from './endpoint-index.ts';
import type { RtcpSideData } from './rtcp-data.ts';

/** Streams whose columns share one buffer. It lives as long as one of them, so a block is small. */
const BLOCK = 32;
/**
 * Doubles of a stream; as fields each would be a heap object, and the integers a word each:
 *
 *     0 opened  1 source  2 destination  3 SSRC  4 frame ordinal  5 serial  6 digest low, high  7 index, generation
 *     8 place in order, closed windows  9 table, facts
 */
const DOUBLES = 10;
const OPENED = 0;
const SRC = 1;
const DST = 2;
const SSRC = 3;
const FRAME = 4;
const SERIAL = 5;
// These count integers from the stream's first one.
const DIGEST = 12;
const INDEX = 14;
const GENERATION = 15;
const ORDER = 16;
const WINDOWS = 17;
const TABLE = 18;
const FACTS = 19;
/** In FACTS: the origin in the low byte, and these. */
const IPV6 = 256;
const ACCEPTED = 512;
const OBSERVED = 1024;
const ENCRYPTED = 2048;

/** Place after place in blocks that are never used again: an evicted stream keeps its facts while somebody reads them. */
export class StreamColumns {
  f64: Float64Array = new Float64Array(0);
  i32: Int32Array = new Int32Array(0);
  #next = BLOCK;

  /** Index of the next stream's first double. */
  next(): number {
    if (this.#next === BLOCK) {
      this.f64 = new Float64Array(BLOCK * DOUBLES);
      this.i32 = new Int32Array(this.f64.buffer);
      this.#next = 0;
    }
    return this.#next++ * DOUBLES;
  }
}

/** Facts of a STREAM_OPENED record; who gives them may use the object again. */
export type StreamOpened = {
  readonly table: number;
  readonly index: number;
  readonly generation: number;
  readonly ssrc: number;
  readonly origin: number;
  readonly tsUs: number;
  readonly ipVersion: number;
  readonly addresses: Uint8Array;
  readonly srcOff: number;
  readonly dstOff: number;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly frame: FramePointer | null;
};

export class Stream {
  dialog: Dialog | null = null;
  claim: Claim | null = null;
  /** Closed windows, as native/rtp_stream.h lays them out; null while none closed. */
  windows: Uint8Array | null = null;
  rtcp: RtcpSideData | null = null;
  readonly #f64: Float64Array;
  readonly #i32: Int32Array;
  /** Index of its first double; its integers begin at twice that. */
  readonly #base: number;
  /** Source and destination when they are texts (IPv6). */
  readonly #texts: readonly [EndpointKey, EndpointKey] | null;
  readonly #frameSource: number;

  constructor(
    o: StreamOpened,
    serial: number,
    srcKey: EndpointKey,
    dstKey: EndpointKey,
    columns: StreamColumns = new StreamColumns(),
  ) {
    const { frame } = o;
    const base = columns.next();
    const { f64, i32 } = columns;
    this.#f64 = f64;
    this.#i32 = i32;
    this.#base = base;
    f64[base + OPENED] = o.tsUs;
    f64[base + SSRC] = o.ssrc;
    f64[base + SERIAL] = serial;
    i32[2 * base + INDEX] = o.index;
    i32[2 * base + GENERATION] = o.generation;
    i32[2 * base + ORDER] = -1;
    i32[2 * base + TABLE] = o.table;
    i32[2 * base + FACTS] = o.origin | (o.ipVersion === 6 ? IPV6 : 0);
    const areNumbers = typeof srcKey === 'number' && typeof dstKey === 'number';
    this.#texts = areNumbers ? null : [srcKey, dstKey];
    if (areNumbers) {
      f64[base + SRC] = srcKey;
      f64[base + DST] = dstKey;
    }
    this.#frameSource = frame === null ? -1 : frame.source;
    if (frame === null) return;
    f64[base + FRAME] = frame.ordinal;
    i32[2 * base + DIGEST] = frame.digestLow;
    i32[2 * base + DIGEST + 1] = frame.digestHigh;
  }

  get serial(): number {
    return this.#f64[this.#base + SERIAL] ?? 0;
  }
  get table(): number {
    return this.#i32[2 * this.#base + TABLE] ?? 0;
  }
  get index(): number {
    return this.#i32[2 * this.#base + INDEX] ?? 0;
  }
  get generation(): number {
    return (this.#i32[2 * this.#base + GENERATION] ?? 0) >>> 0;
  }
  get ssrc(): number {
    return this.#f64[this.#base + SSRC] ?? 0;
  }
  get origin(): number {
    return (this.#i32[2 * this.#base + FACTS] ?? 0) & 255;
  }
  get openedUs(): number {
    return this.#f64[this.#base + OPENED] ?? 0;
  }
  get ipVersion(): number {
    return ((this.#i32[2 * this.#base + FACTS] ?? 0) & IPV6) === 0 ? 4 : 6;
  }
  get srcKey(): EndpointKey {
    return this.#texts === null ? (this.#f64[this.#base + SRC] ?? 0) : this.#texts[0];
  }
  get dstKey(): EndpointKey {
    return this.#texts === null ? (this.#f64[this.#base + DST] ?? 0) : this.#texts[1];
  }

  /** The heuristic found it to be RTP; false while only an SDP vouches for it. */
  get isAccepted(): boolean {
    return ((this.#i32[2 * this.#base + FACTS] ?? 0) & ACCEPTED) !== 0;
  }
  set isAccepted(value: boolean) {
    this.#setFact(ACCEPTED, value);
  }

  /** Its quality stands in the histograms. */
  get isObserved(): boolean {
    return ((this.#i32[2 * this.#base + FACTS] ?? 0) & OBSERVED) !== 0;
  }
  set isObserved(value: boolean) {
    this.#setFact(OBSERVED, value);
  }

  /** A description said that it is encrypted. */
  get isEncrypted(): boolean {
    return ((this.#i32[2 * this.#base + FACTS] ?? 0) & ENCRYPTED) !== 0;
  }
  set isEncrypted(value: boolean) {
    this.#setFact(ENCRYPTED, value);
  }

  get windowCount(): number {
    return this.#i32[2 * this.#base + WINDOWS] ?? 0;
  }
  set windowCount(value: number) {
    this.#i32[2 * this.#base + WINDOWS] = value;
  }

  /** Place in the store's list of visible streams; -1 while it has none. */
  get orderIndex(): number {
    return this.#i32[2 * this.#base + ORDER] ?? -1;
  }
  set orderIndex(value: number) {
    this.#i32[2 * this.#base + ORDER] = value;
  }

  /** The frame that opened it; null when it came without one. */
  get frame(): FramePointer | null {
    if (this.#frameSource < 0) return null;
    return {
      source: this.#frameSource,
      ordinal: this.#f64[this.#base + FRAME] ?? 0,
      digestHigh: this.#i32[2 * this.#base + DIGEST + 1] ?? 0,
      digestLow: this.#i32[2 * this.#base + DIGEST] ?? 0,
    };
  }

  /** A stream is shown once the heuristic accepted it or a dialog claims it. */
  get isVisible(): boolean {
    return this.isAccepted || this.dialog !== null;
  }

  #setFact(bit: number, value: boolean): void {
    const at = 2 * this.#base + FACTS;
    const facts = this.#i32[at] ?? 0;
    this.#i32[at] = value ? facts | bit : facts & ~bit;
  }
}
