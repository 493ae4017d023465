/**
 * Percentiles by nearest rank: the value at ceil(p/100 * n) of the sorted list.
 */

/** Null when there is no value. `sorted` is ascending. */
export function nearestRank(sorted: ArrayLike<number>, percent: number): number | null {
  const n = sorted.length;
  if (n === 0) return null;
  const rank = Math.min(n, Math.max(1, Math.ceil((percent / 100) * n)));
  return sorted[rank - 1] ?? null;
}
