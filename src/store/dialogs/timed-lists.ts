/**
 * Lists of small numbers, each in the order of the times that its numbers were put there with. A number is in one list at
 * most. Lists and numbers are counted from 0, and there is memory up to the largest.
 */
import { NONE } from '../row-blocks.ts';

const FIRST = 1024;
/** Numbers of a list looked at for the place of one: with more after it, it stands a little too late. */
const LOOKED_AT = 64;

export class TimedLists {
  /** First and last number of each list. */
  #ends = new Int32Array(FIRST).fill(NONE);
  /** Of each number the one before it and the one after it. */
  #links = new Int32Array(FIRST).fill(NONE);
  #times = new Float64Array(FIRST);

  /** The number with the earliest time, or NONE. */
  first(list: number): number {
    return this.#ends[2 * list] ?? NONE;
  }

  /** The time that the number was put with last. */
  time(n: number): number {
    return this.#times[n] ?? 0;
  }

  /** Puts a number that is in no list after those of earlier times. */
  put(list: number, n: number, time: number): void {
    while (2 * list >= this.#ends.length) this.#ends = doubled(this.#ends, NONE);
    while (2 * n >= this.#links.length) this.#links = doubled(this.#links, NONE);
    while (n >= this.#times.length) this.#times = doubledTimes(this.#times);
    const ends = this.#ends;
    const links = this.#links;
    let before = ends[2 * list + 1] ?? NONE;
    for (let k = 0; k < LOOKED_AT && before !== NONE && this.time(before) > time; k++)
      before = links[2 * before] ?? NONE;
    const after = (before === NONE ? ends[2 * list] : links[2 * before + 1]) ?? NONE;
    this.#times[n] = time;
    links[2 * n] = before;
    links[2 * n + 1] = after;
    if (before === NONE) ends[2 * list] = n;
    else links[2 * before + 1] = n;
    if (after === NONE) ends[2 * list + 1] = n;
    else links[2 * after] = n;
  }

  /** Takes a number out of its list. */
  take(list: number, n: number): void {
    const ends = this.#ends;
    const links = this.#links;
    const before = links[2 * n] ?? NONE;
    const after = links[2 * n + 1] ?? NONE;
    if (before === NONE) ends[2 * list] = after;
    else links[2 * before + 1] = after;
    if (after === NONE) ends[2 * list + 1] = before;
    else links[2 * after] = before;
  }
}

/** A copy with as much room again, which holds `rest`. */
export function doubled(old: Int32Array, rest = 0): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(old.length * 2).fill(rest, old.length);
  larger.set(old);
  return larger;
}

function doubledTimes(old: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(old.length * 2);
  larger.set(old);
  return larger;
}
