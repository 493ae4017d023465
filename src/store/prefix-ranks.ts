/**
 * Which prefix holds most: all of them in buckets by what they hold, so that each change and each question costs a few
 * steps, however many prefixes there are. Of those that hold the same, the one that has held it longest comes first.
 */
import { MAX_PREFIX_RANK } from '../core/limits.ts';
import { NONE } from './row-blocks.ts';

const FIRST = 64;
const WORDS = 3;
const RANK = 0;
const PREVIOUS = 1;
const NEXT = 2;

export class PrefixRanks {
  /** First and last prefix of each bucket. */
  #buckets = new Int32Array(FIRST * 2).fill(NONE);
  #prefixes = new Int32Array(FIRST * WORDS).fill(NONE);
  #top = NONE;

  /** What the first prefix holds; NONE when there is no prefix. */
  get topRank(): number {
    return this.#top;
  }

  /** The prefix that holds most, or NONE. */
  get top(): number {
    return this.#top === NONE ? NONE : (this.#buckets[2 * this.#top] ?? NONE);
  }

  /** Prefix number `prefix` holds so much now; NONE takes it out. */
  set(prefix: number, holds: number): void {
    while (prefix * WORDS >= this.#prefixes.length) this.#prefixes = grown(this.#prefixes);
    const rank = Math.min(holds, MAX_PREFIX_RANK);
    const before = this.#prefixes[prefix * WORDS + RANK] ?? NONE;
    if (before === rank) return;
    if (before !== NONE) this.#unlink(prefix, before);
    this.#prefixes[prefix * WORDS + RANK] = rank;
    if (rank !== NONE) this.#link(prefix, rank);
    while (this.#top !== NONE && this.#buckets[2 * this.#top] === NONE) this.#top--;
  }

  #link(prefix: number, rank: number): void {
    while (2 * rank >= this.#buckets.length) this.#buckets = grown(this.#buckets);
    const last = this.#buckets[2 * rank + 1] ?? NONE;
    this.#prefixes[prefix * WORDS + PREVIOUS] = last;
    this.#prefixes[prefix * WORDS + NEXT] = NONE;
    if (last === NONE) this.#buckets[2 * rank] = prefix;
    else this.#prefixes[last * WORDS + NEXT] = prefix;
    this.#buckets[2 * rank + 1] = prefix;
    if (rank > this.#top) this.#top = rank;
  }

  #unlink(prefix: number, rank: number): void {
    const previous = this.#prefixes[prefix * WORDS + PREVIOUS] ?? NONE;
    const next = this.#prefixes[prefix * WORDS + NEXT] ?? NONE;
    if (previous === NONE) this.#buckets[2 * rank] = next;
    else this.#prefixes[previous * WORDS + NEXT] = next;
    if (next === NONE) this.#buckets[2 * rank + 1] = previous;
    else this.#prefixes[next * WORDS + PREVIOUS] = previous;
  }
}

function grown(old: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(old.length * 2).fill(NONE);
  larger.set(old);
  return larger;
}
