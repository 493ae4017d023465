/**
 * A figure of the last calls of a trunk against its bound: the value that one call in twenty does not reach (MOS), or exceeds
 * (post-dial delay). Few calls say nothing, and calls of long ago neither.
 */
import type { Bound } from '../../core/trunk-bounds.ts';

/** Calls that are looked at, and as many as there must be. */
const MOST = 100;
const LEAST = 20;
const WITHIN_US = 900e6;
/** One in so many. */
const SHARE = 20;

export class RecentFigures {
  readonly #bound: Bound;
  readonly #isLowBad: boolean;
  /** The newest last. */
  #figures: { readonly value: number; readonly atUs: number }[] = [];
  /** Those beyond the bad end, and those that are not beyond the good one. */
  #bad = 0;
  #notGood = 0;
  /** Since when it is bad; NaN where it is not. */
  sinceUs = Number.NaN;

  constructor(bound: Bound, isLowBad: boolean) {
    this.#bound = bound;
    this.#isLowBad = isLowBad;
  }

  get isBad(): boolean {
    return !Number.isNaN(this.sinceUs);
  }

  get size(): number {
    return this.#figures.length;
  }

  /** The value that one call in twenty does not reach, or exceeds; NaN without a call. */
  get worst(): number {
    const sorted = this.#figures.map(({ value }) => value).sort((a, b) => (this.#isLowBad ? a - b : b - a));
    return sorted[allowed(sorted.length)] ?? Number.NaN;
  }

  note(value: number, tsUs: number): void {
    this.#figures.push({ value, atUs: tsUs });
    this.#count(value, 1);
    if (this.#figures.length > MOST) this.#drop();
    this.age(tsUs);
    if (this.#figures.length < LEAST) return;
    if (!this.isBad && this.#bad > allowed(this.size)) this.sinceUs = this.#firstBadUs();
    else if (this.isBad && this.#notGood <= allowed(this.size)) this.sinceUs = Number.NaN;
  }

  /** Calls of long ago leave; without any nothing is known to be bad. */
  age(nowUs: number): void {
    while ((this.#figures[0]?.atUs ?? nowUs) < nowUs - WITHIN_US) this.#drop();
    if (this.#figures.length === 0) this.sinceUs = Number.NaN;
  }

  #drop(): void {
    const gone = this.#figures.shift();
    if (gone !== undefined) this.#count(gone.value, -1);
  }

  #count(value: number, by: number): void {
    if (this.#isBeyond(value, this.#bound.bad)) this.#bad += by;
    if (!this.#isBeyond(this.#bound.good, value)) this.#notGood += by;
  }

  /** Whether `a` is worse than `b`. */
  #isBeyond(a: number, b: number): boolean {
    return this.#isLowBad ? a < b : a > b;
  }

  #firstBadUs(): number {
    return this.#figures.find(({ value }) => this.#isBeyond(value, this.#bound.bad))?.atUs ?? Number.NaN;
  }
}

/** So many calls may be worse. */
function allowed(calls: number): number {
  return Math.floor(calls / SHARE);
}
