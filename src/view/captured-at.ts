/**
 * Where and when a message was captured, as text: RFC 3339 with microseconds, and `<source>#<ordinal>@<digest>`.
 *
 * Capture time is a number of microseconds since the epoch; what lies outside the years 0000 to 9999
 * cannot be written in RFC 3339 and is shown as the nearest moment that can.
 */

import type { FramePointer } from '../store/dialogs/call-marks.ts';

const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
const MIN_SECOND = -62_167_219_200;

let cachedSecond = Number.NaN;
let cachedText = '';

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ` of a capture time in microseconds. */
export function timestampText(us: number): string {
  // Microseconds of the last years are no exact numbers any more, so that the limits are seconds.
  const whole = Number.isNaN(us) ? 0 : Math.floor(us);
  const second = Math.floor(whole / 1_000_000);
  if (second > LAST_SECOND) return '9999-12-31T23:59:59.999999Z';
  if (second < MIN_SECOND) return '0000-01-01T00:00:00.000000Z';
  if (second !== cachedSecond) {
    cachedSecond = second;
    cachedText = new Date(second * 1000).toISOString().slice(0, 19);
  }
  return `${cachedText}.${String(whole - second * 1_000_000).padStart(6, '0')}Z`;
}

/** Seconds between two capture times, to the microsecond; never negative. */
export function spanSec(fromUs: number, toUs: number): number {
  return Math.max(0, Math.round(toUs - fromUs) / 1_000_000);
}

/** The frame pointer as text, its digest FNV-1a 64 of the captured bytes; `sources` are the capture files by number, as given on the command line. */
export function framePointerText(frame: FramePointer, sources: readonly string[]): string | undefined {
  const source = sources[frame.source];
  if (source === undefined) return undefined;
  const hex = (v: number): string => (v >>> 0).toString(16).padStart(8, '0');
  return `${source}#${frame.ordinal}@${hex(frame.digestHigh)}${hex(frame.digestLow)}`;
}
