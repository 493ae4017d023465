/**
 * Capture time as RFC 3339 text with microseconds.
 *
 * Capture time is a number of microseconds since the epoch; what lies outside the years 0000 to 9999
 * cannot be written in RFC 3339 and is shown as the nearest moment that can.
 */

const MAX_US = Date.UTC(9999, 11, 31, 23, 59, 59, 999) * 1000 + 999;
const MIN_US = -62_167_219_200_000_000;

let cachedSecond = Number.NaN;
let cachedText = '';

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ` of a capture time in microseconds. */
export function timestampText(us: number): string {
  const clamped = Number.isNaN(us) ? 0 : Math.min(MAX_US, Math.max(MIN_US, Math.floor(us)));
  const second = Math.floor(clamped / 1_000_000);
  if (second !== cachedSecond) {
    cachedSecond = second;
    cachedText = new Date(second * 1000).toISOString().slice(0, 19);
  }
  return `${cachedText}.${String(clamped - second * 1_000_000).padStart(6, '0')}Z`;
}

/** Seconds between two capture times, to the microsecond; never negative. */
export function spanSec(fromUs: number, toUs: number): number {
  return Math.max(0, Math.round(toUs - fromUs) / 1_000_000);
}
