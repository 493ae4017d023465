/**
 * Parts of a TCP stream or of a datagram that came before the bytes in front of them (RFC 9293 §3.4, sequence arithmetic
 * modulo 2^32).
 *
 * Pieces are sorted and disjoint. Where segments overlap, the bytes that came first are kept.
 */

import { copyBytes, FrameMark, type InFrame } from '../sources/packet.ts';
import type { ByteBudget } from './byte-buffer.ts';

export type Piece = {
  readonly seq: number;
  /** Bytes of sequence space; more than `data` holds when the capture cut the segment. */
  readonly span: number;
  readonly data: Uint8Array;
  readonly mark: FrameMark;
};

/** How much of an inserted segment was new. */
export const NOVELTY = { NONE: 0, PART: 1, ALL: 2 } as const;
export type Novelty = (typeof NOVELTY)[keyof typeof NOVELTY];

export class SegmentQueue {
  readonly #budget: ByteBudget;
  readonly #overhead: number;
  #pieces: Piece[] = [];
  /** Captured bytes held. */
  bytes = 0;
  /** Capture time of the piece that waits longest. */
  oldestUs = Infinity;

  /** `overhead`: what a held piece costs beside its bytes. */
  constructor(budget: ByteBudget, overhead: number) {
    this.#budget = budget;
    this.#overhead = overhead;
  }

  get count(): number {
    return this.#pieces.length;
  }

  /** In the order of the stream. */
  get all(): readonly Piece[] {
    return this.#pieces;
  }

  get head(): Piece | undefined {
    return this.#pieces[0];
  }

  /**
   * Keeps a copy of what is new in a segment of `span` sequence numbers at `seq`, of which [start, end) of `b` were
   * captured.
   */
  insert(seq: number, span: number, b: Uint8Array, start: number, end: number, mark: InFrame): Novelty {
    const merged: Piece[] = [];
    let from = 0;
    let added = 0;
    // Offsets are relative to `seq`; signed 32-bit differences survive the wrap.
    for (const piece of this.#pieces) {
      const low = (piece.seq - seq) | 0;
      const high = low + piece.span;
      if (low > from && from < span) {
        const to = Math.min(low, span);
        merged.push(this.#piece(seq, from, to, b, start, end, mark));
        added += to - from;
      }
      merged.push(piece);
      if (high > from) from = high;
    }
    if (from < span) {
      merged.push(this.#piece(seq, from, span, b, start, end, mark));
      added += span - from;
    }
    if (added === 0) return NOVELTY.NONE;
    this.#pieces = merged;
    if (mark.tsUs < this.oldestUs) this.oldestUs = mark.tsUs;
    return added === span ? NOVELTY.ALL : NOVELTY.PART;
  }

  /** Copies the bytes from the head to the first hole into `to`, as many as fit; returns how many. */
  copyRun(to: Uint8Array): number {
    const first = this.#pieces[0]?.seq ?? 0;
    let length = 0;
    for (const piece of this.#pieces) {
      if (piece.seq !== (first + length) >>> 0 || length === to.length) break;
      const some = piece.data.subarray(0, to.length - length);
      to.set(some, length);
      length += some.length;
      if (piece.span > piece.data.length) break;
    }
    return length;
  }

  /** Takes the first piece out. */
  shift(): Piece | undefined {
    const piece = this.#pieces.shift();
    if (piece === undefined) return undefined;
    this.bytes -= piece.data.length;
    this.#budget.release(piece.data.length + this.#overhead);
    if (this.#pieces.length === 0) this.oldestUs = Infinity;
    else if (piece.mark.tsUs <= this.oldestUs) {
      this.oldestUs = Infinity;
      for (const p of this.#pieces) if (p.mark.tsUs < this.oldestUs) this.oldestUs = p.mark.tsUs;
    }
    return piece;
  }

  /** Gives up everything held; returns its captured bytes. */
  clear(): number {
    const bytes = this.bytes;
    this.#budget.release(bytes + this.#pieces.length * this.#overhead);
    this.#pieces = [];
    this.bytes = 0;
    this.oldestUs = Infinity;
    return bytes;
  }

  #piece(seq: number, from: number, to: number, b: Uint8Array, start: number, end: number, mark: InFrame): Piece {
    const data = copyBytes(b, Math.min(start + from, end), Math.min(start + to, end));
    const owned = new FrameMark();
    owned.copy(mark);
    this.bytes += data.length;
    this.#budget.charge(data.length + this.#overhead);
    return { seq: (seq + from) >>> 0, span: to - from, data, mark: owned };
  }
}
