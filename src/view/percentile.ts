/**
 * Percentiles by nearest rank: the value at ceil(p/100 * n) of the sorted list.
 */

/** Null when there is no value. `sorted` is ascending. */
export function nearestRank(sorted: ArrayLike<number>, percent: number): number | null {
  const n = sorted.length;
  if (n === 0) return null;
  return sorted[nearestRankOf(n, percent) - 1] ?? null;
}

/** The rank among `n` values, from 1. */
export function nearestRankOf(n: number, percent: number): number {
  return Math.min(n, Math.max(1, Math.ceil((percent / 100) * n)));
}
