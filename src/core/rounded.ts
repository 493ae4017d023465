/**
 * Figures as they are shown: with the digits that were measured, not those of a double.
 */

/** A power takes longer than all the rest. */
const FACTORS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Rounded to so many decimal places. */
export function rounded(n: number, places: number): number {
  const factor = FACTORS[places] ?? 10 ** places;
  return Math.round(n * factor) / factor;
}

/** Seconds between two capture times, to the microsecond; never negative. */
export function spanSec(fromUs: number, toUs: number): number {
  return Math.max(0, Math.round(toUs - fromUs) / 1_000_000);
}
