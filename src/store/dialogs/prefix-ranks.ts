/**
 * Which prefix holds most: all of them in buckets by what they hold, so that each change and each question costs a few
 * steps, however many prefixes there are. Of those that hold the same, the one comes first whose oldest has been idle
 * longest, as far as is known: who asks looks whether it has, and puts it back when not.
 */
import { MAX_PREFIX_RANK } from '../../core/limits.ts';
import { NONE } from '../row-blocks.ts';

const FIRST = 64;
/** Prefixes of a bucket looked at for the place of one: with more after it, it stands a little too late. */
const LOOKED_AT = 64;
const WORDS = 3;
const RANK = 0;
const PREVIOUS = 1;
const NEXT = 2;

export class PrefixRanks {
  /** First and last prefix of each bucket. */
  #buckets = new Int32Array(FIRST * 2).fill(NONE);
  #prefixes = new Int32Array(FIRST * WORDS).fill(NONE);
  /** By prefix: when the oldest of what it holds was touched last, as far as is known. */
  #since = new Float64Array(FIRST);
  #top = NONE;

  /** What the first prefix holds; NONE when there is no prefix. */
  get topRank(): number {
    return this.#top;
  }

  /** The prefix that holds most, or NONE. */
  get top(): number {
    return this.#top === NONE ? NONE : (this.#buckets[2 * this.#top] ?? NONE);
  }

  /** Prefix number `prefix` holds so much now, the oldest of it touched at `since`; NONE takes it out. */
  set(prefix: number, holds: number, since: number): void {
    while (prefix >= this.#since.length) this.#grow();
    const rank = Math.min(holds, MAX_PREFIX_RANK);
    const before = this.#prefixes[prefix * WORDS + RANK] ?? NONE;
    if (before === rank && since >= (this.#since[prefix] ?? 0)) return;
    if (before !== NONE) this.#unlink(prefix, before);
    this.#prefixes[prefix * WORDS + RANK] = rank;
    this.#since[prefix] = since;
    if (rank !== NONE) this.#link(prefix, rank, since);
    while (this.#top !== NONE && this.#buckets[2 * this.#top] === NONE) this.#top--;
  }

  /** Puts a prefix back whose oldest was touched at `since`, later than was known; false when it was known. */
  putBack(prefix: number, since: number): boolean {
    if (since <= (this.#since[prefix] ?? 0)) return false;
    const rank = this.#prefixes[prefix * WORDS + RANK] ?? NONE;
    this.#unlink(prefix, rank);
    this.#since[prefix] = since;
    this.#link(prefix, rank, since);
    return true;
  }

  #link(prefix: number, rank: number, since: number): void {
    while (2 * rank >= this.#buckets.length) this.#buckets = grown(this.#buckets);
    let before = this.#buckets[2 * rank + 1] ?? NONE;
    for (let n = 0; n < LOOKED_AT && before !== NONE && (this.#since[before] ?? 0) > since; n++)
      before = this.#prefixes[before * WORDS + PREVIOUS] ?? NONE;
    const behind = (before === NONE ? this.#buckets[2 * rank] : this.#prefixes[before * WORDS + NEXT]) ?? NONE;
    this.#prefixes[prefix * WORDS + PREVIOUS] = before;
    this.#prefixes[prefix * WORDS + NEXT] = behind;
    if (before === NONE) this.#buckets[2 * rank] = prefix;
    else this.#prefixes[before * WORDS + NEXT] = prefix;
    if (behind === NONE) this.#buckets[2 * rank + 1] = prefix;
    else this.#prefixes[behind * WORDS + PREVIOUS] = prefix;
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

  #grow(): void {
    this.#prefixes = grown(this.#prefixes);
    const since = new Float64Array(this.#since.length * 2);
    since.set(this.#since);
    this.#since = since;
  }
}

function grown(old: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(old.length * 2).fill(NONE);
  larger.set(old);
  return larger;
}
