/**
 * One RTP stream as the store knows it; its counters live in the native table (src/rtp/stream-table.ts).
 */
import type { EndpointKey } from '../core/ip.ts';
import type { Dialog, FramePointer } from './dialog.ts';
import type { Claim } from './endpoint-index.ts';
import type { RtcpSideData } from './rtcp-data.ts';

/** Streams whose columns share one buffer. It lives as long as one of them, so a block is small. */
const BLOCK = 32;
/** Doubles of a stream, as fields each a heap object; the last holds the two halves of the frame's digest. */
const DOUBLES = 6;
const OPENED = 0;
const SRC = 1;
const DST = 2;
const SSRC = 3;
const FRAME = 4;
const DIGEST = 5;

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

/** What a stream is born with. */
export type StreamInit = {
  readonly serial: number;
  readonly table: number;
  readonly index: number;
  readonly generation: number;
  readonly ssrc: number;
  readonly origin: number;
  readonly openedUs: number;
  readonly ipVersion: number;
  readonly srcKey: EndpointKey;
  readonly dstKey: EndpointKey;
  readonly frame: FramePointer | null;
};

export class Stream {
  readonly serial: number;
  readonly table: number;
  readonly index: number;
  readonly generation: number;
  readonly origin: number;
  readonly ipVersion: number;
  /** The heuristic found it to be RTP; false while only an SDP vouches for it. */
  isAccepted = false;
  dialog: Dialog | null = null;
  claim: Claim | null = null;
  /** Closed windows, as native/rtp_stream.h lays them out; null while none closed. */
  windows: Uint8Array | null = null;
  windowCount = 0;
  rtcp: RtcpSideData | null = null;
  /** Its quality stands in the histograms. */
  isObserved = false;
  /** Place in the store's list of visible streams. */
  orderIndex = -1;
  readonly #f64: Float64Array;
  readonly #i32: Int32Array;
  readonly #base: number;
  /** Source and destination when they are texts (IPv6). */
  readonly #texts: readonly [EndpointKey, EndpointKey] | null;
  readonly #frameSource: number;

  constructor(init: StreamInit, columns = new StreamColumns()) {
    const { srcKey, dstKey, frame } = init;
    const base = columns.next();
    const { f64, i32 } = columns;
    this.serial = init.serial;
    this.table = init.table;
    this.index = init.index;
    this.generation = init.generation;
    this.origin = init.origin;
    this.ipVersion = init.ipVersion;
    this.#f64 = f64;
    this.#i32 = i32;
    this.#base = base;
    f64[base + OPENED] = init.openedUs;
    f64[base + SSRC] = init.ssrc;
    const areNumbers = typeof srcKey === 'number' && typeof dstKey === 'number';
    this.#texts = areNumbers ? null : [srcKey, dstKey];
    if (areNumbers) {
      f64[base + SRC] = srcKey;
      f64[base + DST] = dstKey;
    }
    this.#frameSource = frame === null ? -1 : frame.source;
    if (frame === null) return;
    f64[base + FRAME] = frame.ordinal;
    i32[(base + DIGEST) * 2] = frame.digestLow;
    i32[(base + DIGEST) * 2 + 1] = frame.digestHigh;
  }

  get openedUs(): number {
    return this.#f64[this.#base + OPENED] ?? 0;
  }
  get ssrc(): number {
    return this.#f64[this.#base + SSRC] ?? 0;
  }
  get srcKey(): EndpointKey {
    return this.#texts === null ? (this.#f64[this.#base + SRC] ?? 0) : this.#texts[0];
  }
  get dstKey(): EndpointKey {
    return this.#texts === null ? (this.#f64[this.#base + DST] ?? 0) : this.#texts[1];
  }

  /** The frame that opened it; null when it came without one. */
  get frame(): FramePointer | null {
    if (this.#frameSource < 0) return null;
    const at = (this.#base + DIGEST) * 2;
    return {
      source: this.#frameSource,
      ordinal: this.#f64[this.#base + FRAME] ?? 0,
      digestHigh: this.#i32[at + 1] ?? 0,
      digestLow: this.#i32[at] ?? 0,
    };
  }

  /** A stream is shown once the heuristic accepted it or a dialog claims it. */
  get isVisible(): boolean {
    return this.isAccepted || this.dialog !== null;
  }
}
