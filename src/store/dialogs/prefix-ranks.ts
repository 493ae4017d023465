/**
 * Finds the prefix that holds most. Of prefixes that hold the same, the one whose oldest dialog was idle longest comes first,
 * as far as is known. The caller checks this, and puts a prefix back that is not.
 *
 * Prefixes lie in a binary heap: a change costs a few steps, however many prefixes there are, and the first one is at hand.
 */
import { NONE } from '../row-blocks.ts';
import { doubled } from './timed-lists.ts';

/** Dialogs of one prefix that its rank counts; more dialogs do not change the rank. @cap */
const MAX_PREFIX_RANK = 65_535;

const FIRST = 64;

export class PrefixRanks {
  /** Prefixes; those at 2i+1 and 2i+2 do not come before the one at i. */
  #heap = new Int32Array(FIRST);
  #size = 0;
  /** Of each prefix its place in the heap, NONE without one; its rank; when the oldest of what it holds was touched last. */
  #places = new Int32Array(FIRST).fill(NONE);
  #ranks = new Int32Array(FIRST);
  #times = new Float64Array(FIRST);

  /** What the first prefix holds; NONE when there is no prefix. */
  get topRank(): number {
    return this.#size === 0 ? NONE : (this.#ranks[this.top] ?? NONE);
  }

  /** The prefix that holds most, or NONE. */
  get top(): number {
    return this.#size === 0 ? NONE : (this.#heap[0] ?? NONE);
  }

  /** Prefix number `prefix` holds so much now, the oldest of it touched at `since`; NONE takes it out. */
  set(prefix: number, holds: number, since: number): void {
    while (prefix >= this.#places.length) this.#grow();
    const rank = Math.min(holds, MAX_PREFIX_RANK);
    const place = this.#places[prefix] ?? NONE;
    if (rank === NONE) {
      if (place !== NONE) this.#takeOut(prefix, place);
      return;
    }
    if (place !== NONE && this.#ranks[prefix] === rank && since >= (this.#times[prefix] ?? 0)) return;
    this.#ranks[prefix] = rank;
    this.#times[prefix] = since;
    this.#settle(prefix, place === NONE ? this.#size++ : place);
  }

  /** Puts a prefix back whose oldest was touched at `since`, later than was known; false when it was known. */
  putBack(prefix: number, since: number): boolean {
    if (since <= (this.#times[prefix] ?? 0)) return false;
    this.#times[prefix] = since;
    this.#settle(prefix, this.#places[prefix] ?? NONE);
    return true;
  }

  #takeOut(prefix: number, place: number): void {
    this.#places[prefix] = NONE;
    const last = this.#heap[--this.#size] ?? NONE;
    if (last !== prefix) this.#settle(last, place);
  }

  /** Puts the prefix at this free place, or where it belongs above or below it. */
  #settle(prefix: number, free: number): void {
    const heap = this.#heap;
    let place = free;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = heap[above] ?? NONE;
      if (!this.#isBefore(prefix, other)) break;
      this.#put(other, place);
      place = above;
    }
    for (let below = this.#firstBelow(place); below !== NONE; below = this.#firstBelow(place)) {
      const other = heap[below] ?? NONE;
      if (!this.#isBefore(other, prefix)) break;
      this.#put(other, place);
      place = below;
    }
    this.#put(prefix, place);
  }

  /** Of the two places below one that of the prefix that comes first; NONE without any. */
  #firstBelow(place: number): number {
    const left = 2 * place + 1;
    const right = left + 1;
    if (left >= this.#size) return NONE;
    const isRight = right < this.#size && this.#isBefore(this.#heap[right] ?? NONE, this.#heap[left] ?? NONE);
    return isRight ? right : left;
  }

  #isBefore(a: number, b: number): boolean {
    const difference = (this.#ranks[a] ?? 0) - (this.#ranks[b] ?? 0);
    return difference !== 0 ? difference > 0 : (this.#times[a] ?? 0) < (this.#times[b] ?? 0);
  }

  #put(prefix: number, place: number): void {
    this.#heap[place] = prefix;
    this.#places[prefix] = place;
  }

  #grow(): void {
    this.#heap = doubled(this.#heap);
    this.#places = doubled(this.#places, NONE);
    this.#ranks = doubled(this.#ranks);
    const times = new Float64Array(this.#places.length);
    times.set(this.#times);
    this.#times = times;
  }
}
