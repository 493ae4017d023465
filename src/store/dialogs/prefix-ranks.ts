/**
 * Finds the prefix that holds most. Prefixes lie in buckets by what they hold, so each change and each question costs a few
 * steps, however many prefixes there are. Of prefixes that hold the same, the one whose oldest dialog was idle longest comes
 * first, as far as is known. The caller checks this, and puts a prefix back that is not.
 */
import { NONE } from '../row-blocks.ts';
import { doubled, TimedLists } from './timed-lists.ts';

/** Dialogs of one prefix that its rank counts; more dialogs do not change the rank. @cap */
const MAX_PREFIX_RANK = 65_535;

export class PrefixRanks {
  /** A list for each rank; a prefix stands there by when the oldest of what it holds was touched last, as far as is known. */
  readonly #buckets = new TimedLists();
  /** The rank of each prefix. */
  #ranks = new Int32Array(64).fill(NONE);
  #top = NONE;

  /** What the first prefix holds; NONE when there is no prefix. */
  get topRank(): number {
    return this.#top;
  }

  /** The prefix that holds most, or NONE. */
  get top(): number {
    return this.#top === NONE ? NONE : this.#buckets.first(this.#top);
  }

  /** Prefix number `prefix` holds so much now, the oldest of it touched at `since`; NONE takes it out. */
  set(prefix: number, holds: number, since: number): void {
    while (prefix >= this.#ranks.length) this.#ranks = doubled(this.#ranks, NONE);
    const rank = Math.min(holds, MAX_PREFIX_RANK);
    const before = this.#ranks[prefix] ?? NONE;
    if (before === rank && (rank === NONE || since >= this.#buckets.time(prefix))) return;
    this.#ranks[prefix] = rank;
    if (before !== NONE) this.#buckets.take(before, prefix);
    if (rank !== NONE) this.#buckets.put(rank, prefix, since);
    if (rank > this.#top) this.#top = rank;
    while (this.#top !== NONE && this.#buckets.first(this.#top) === NONE) this.#top--;
  }

  /** Puts a prefix back whose oldest was touched at `since`, later than was known; false when it was known. */
  putBack(prefix: number, since: number): boolean {
    if (since <= this.#buckets.time(prefix)) return false;
    const rank = this.#ranks[prefix] ?? NONE;
    this.#buckets.take(rank, prefix);
    this.#buckets.put(rank, prefix, since);
    return true;
  }
}
