/**
 * Where and when a message was captured, as text: RFC 3339 with microseconds, and `<source>#<ordinal>@<digest>`.
 *
 * Capture time is a number of microseconds since the epoch; what lies outside the years 0000 to 9999
 * cannot be written in RFC 3339 and is shown as the nearest moment that can.
 */

import { hexWord, sixDigits, TWO_DIGITS } from '../core/fixed-digits.ts';
import { asCaptured, type ClockStep } from '../store/clock-steps.ts';
import type { FramePointer } from '../store/dialogs/call-marks.ts';

const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
const MIN_SECOND = -62_167_219_200;

const DAY_SEC = 86_400;

let cachedDay = Number.NaN;
let cachedDate = '';

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ` of a capture time in microseconds. */
export function timestampText(us: number): string {
  // Microseconds of the last years are no exact numbers any more, so that the limits are seconds.
  const whole = Number.isNaN(us) ? 0 : Math.floor(us);
  const second = Math.floor(whole / 1_000_000);
  if (second > LAST_SECOND) return '9999-12-31T23:59:59.999999Z';
  if (second < MIN_SECOND) return '0000-01-01T00:00:00.000000Z';
  const day = Math.floor(second / DAY_SEC);
  if (day !== cachedDay) {
    cachedDay = day;
    cachedDate = new Date(day * DAY_SEC * 1000).toISOString().slice(0, 11);
  }
  const ofDay = second - day * DAY_SEC;
  const minutes = Math.floor(ofDay / 60);
  const hour = Math.floor(minutes / 60);
  const time = `${TWO_DIGITS[hour]}:${TWO_DIGITS[minutes - hour * 60]}:${TWO_DIGITS[ofDay - minutes * 60]}`;
  return `${cachedDate}${time}.${sixDigits(whole - second * 1_000_000)}Z`;
}

/** The same of a time of the capture, as the clock of its host showed it. */
export function capturedText(us: number, steps: readonly ClockStep[]): string {
  return timestampText(asCaptured(steps, us));
}

/** The frame pointer as text, its digest FNV-1a 64 of the captured bytes; `sources` are the capture files by number, as given on the command line. */
export function framePointerText(frame: FramePointer, sources: readonly string[]): string | undefined {
  const source = sources[frame.source];
  if (source === undefined) return undefined;
  return `${source}#${frame.ordinal}@${hexWord(frame.digestHigh)}${hexWord(frame.digestLow)}`;
}
