/** Counting in typed arrays: one place that says what an index beyond the end means (nothing). */

/** Adds `by` to the count at `i`. */
export function tally(counts: Float64Array | Uint32Array | Int32Array, i: number, by = 1): void {
  counts[i] = (counts[i] ?? 0) + by;
}
