/**
 * Figures as they are shown: with the digits that were measured, not those of a double.
 */

/** Rounded to so many decimal places. */
export function rounded(n: number, places: number): number {
  const factor = 10 ** places;
  return Math.round(n * factor) / factor;
}
