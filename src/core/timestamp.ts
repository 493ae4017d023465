/**
 * Capture time as text and back: RFC 3339 with microseconds.
 *
 * Capture time is a number of microseconds since the epoch; what lies outside the years 0000 to 9999
 * cannot be written in RFC 3339 and is shown as the nearest moment that can.
 */
import { sixDigits, TWO_DIGITS } from './fixed-digits.ts';

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

/** Microseconds since the epoch of a time as the store writes it, RFC 3339 in UTC with at most six digits of a second. */
export function usOf(text: string): number {
  const [, seconds = '', digits = ''] = /^(.{19})(?:\.(\d{1,6}))?Z$/.exec(text) ?? [];
  return Date.parse(`${seconds}Z`) * 1000 + Number(digits.padEnd(6, '0'));
}
