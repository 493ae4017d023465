/**
 * Percentiles by nearest rank: the value at ceil(p/100 * n) of the sorted list.
 */

/** The rank among `n` values, from 1. */
export function nearestRankOf(n: number, percent: number): number {
  return Math.min(n, Math.max(1, Math.ceil((percent / 100) * n)));
}
