/**
 * Capture time as a person reads it: local time of this host, or UTC.
 */
import { TWO_DIGITS } from '../core/fixed-digits.ts';
import { timestampText, usOf } from '../core/timestamp.ts';

export type Clock = { readonly date: string; readonly time: string; readonly zone: string };

/** No zone changes its offset within one. */
const QUARTER_US = 15 * 60 * 1_000_000;
const MINUTE_US = 60_000_000;

let cachedQuarter = Number.NaN;
let cachedMinutes = 0;

/** Date, time with milliseconds and offset (`+01:00`) of a capture time in microseconds. */
export function clockOf(us: number, isUtc: boolean): Clock {
  const minutes = isUtc ? 0 : minutesEast(us);
  if (Number.isNaN(us) || Number.isNaN(minutes)) return { date: '-', time: '-', zone: '' };
  // Shifted, its UTC fields are those of the zone.
  const text = timestampText(us + minutes * MINUTE_US);
  return { date: text.slice(0, 10), time: text.slice(11, 23), zone: isUtc ? 'Z' : zoneText(minutes) };
}

/** The same of a time as calltap writes it: RFC 3339 in UTC, to the microsecond. */
export function clockAt(at: string, isUtc: boolean): Clock {
  return isUtc ? { date: at.slice(0, 10), time: at.slice(11, 23), zone: 'Z' } : clockOf(usOf(at), false);
}

/** Date and time of day of an RFC 3339 time, to the second, without its zone. */
export function secondText(at: string, isUtc: boolean): string {
  const { date, time } = clockOf(Date.parse(at) * 1000, isUtc);
  return `${date} ${time.slice(0, 8)}`;
}

/** The same with its zone, for who does not say elsewhere which one it is. */
export function zonedSecondText(at: string, isUtc: boolean): string {
  return secondText(at, isUtc) + clockOf(Date.parse(at) * 1000, isUtc).zone;
}

/** Minutes that the local time of this host is before UTC at a moment. */
function minutesEast(us: number): number {
  const quarter = Math.floor(us / QUARTER_US);
  if (quarter !== cachedQuarter) {
    cachedQuarter = quarter;
    // Before there were zones places were seconds apart.
    cachedMinutes = -Math.trunc(new Date(us / 1000).getTimezoneOffset());
  }
  return cachedMinutes;
}

function zoneText(minutes: number): string {
  const away = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${TWO_DIGITS[Math.floor(away / 60)]}:${TWO_DIGITS[away % 60]}`;
}
