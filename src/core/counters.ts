/** Counters that never fall: by name, of a closed set; and by bucket. */

export class Counters<Name extends string> {
  readonly names: readonly Name[];
  readonly #values: Map<Name, number>;

  constructor(names: readonly Name[]) {
    this.names = names;
    this.#values = new Map(names.map((name) => [name, 0]));
  }

  /** Counts `n` more of `name`; a negative or fractional `n` is a bug of the caller. */
  add(name: Name, n = 1): void {
    const value = this.#values.get(name);
    if (value === undefined) throw new RangeError(`unknown counter ${name}`);
    if (!Number.isSafeInteger(n) || n < 0) throw new RangeError(`counter ${name} cannot move by ${n}`);
    this.#values.set(name, value + n);
  }

  get(name: Name): number {
    const value = this.#values.get(name);
    if (value === undefined) throw new RangeError(`unknown counter ${name}`);
    return value;
  }
}

/** A histogram with fixed bounds that is fed where the value arises and read by the metrics registry. */
export class BucketCounts {
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** `bounds` are ascending upper bounds, each inclusive; the last bucket is unbounded. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Counts one finite value; anything else is not an observation. Returns the number of its bucket, -1 of none. */
  observe(value: number): number {
    if (!Number.isFinite(value)) return -1;
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] ?? Infinity)) i++;
    this.#counts[i] = (this.#counts[i] ?? 0) + 1;
    this.#sum += value;
    this.#count++;
    return i;
  }

  /** Observations by bucket (not cumulative; the last is beyond every bound), their sum and their number. */
  snapshot(): BucketSnapshot {
    return { counts: [...this.#counts], sum: this.#sum, count: this.#count };
  }
}

/** One observation, and the call that it was made of. */
export type Exemplar = { readonly callId: string; readonly value: number; readonly atSec: number };

export type BucketSnapshot = {
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
  /** The last of each bucket, where somebody asks for them. */
  readonly exemplars?: readonly (Exemplar | null)[];
};

/** Upper bounds of the histograms the interface names. */
export const PDD_SECONDS_BOUNDS: readonly number[] = [0.5, 1, 2, 3, 5, 10];
export const MOS_BOUNDS: readonly number[] = [1, 2, 2.5, 3, 3.5, 4, 4.5];
export const JITTER_MS_BOUNDS: readonly number[] = [5, 10, 20, 50, 100, 200];
export const LOSS_PERCENT_BOUNDS: readonly number[] = [0.1, 0.5, 1, 2, 5, 10];

/** Adds `by` to the count at `i`. */
export function tally(counts: Float64Array | Uint32Array | Int32Array, i: number, by = 1): void {
  counts[i] = (counts[i] ?? 0) + by;
}
