/** The windows by which a stream is scored, and those that are measured for them and for the ones that are shown. */

/** Of the windows that a score is made of, in seconds. */
export const SCORE_SEC = 5;

/** Seconds of the windows that are measured, where windows of `shownSec` are shown. */
export function measuredSec(shownSec: number): number {
  return shownSec === SCORE_SEC ? SCORE_SEC : 1;
}
