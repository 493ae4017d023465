/**
 * Times of `since:` and `until:`: so long ago (`10m`), a time of day (`02:00`), or a date with a time. All of them are
 * capture time: in files what is relative counts from the end of the capture.
 */
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';
import type { Value } from './filter.ts';

/** Microseconds since the epoch, of a capture that has come to `nowUs`. */
export type Moment = (nowUs: number) => number;

const AGO = /^(\d{1,9})(s|m|min|h|d)$/i;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3_600, d: 86_400 };
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const WHAT = 'it is not a time; write 10m, 02:00, 2026-11-22 or 2026-11-22T02:00';

/** `isUtc`: what has no zone is UTC, not the local time of this host. */
export function readMoment(v: Value, isUtc: boolean): Result<Moment, string> {
  if (v.isExpression || v.isOpenStart || v.isOpenEnd) return fail(WHAT);
  const ago = AGO.exec(v.text);
  if (ago !== null) {
    const us = Number(ago[1]) * (SECONDS[(ago[2] ?? '').toLowerCase()] ?? 0) * 1e6;
    return ok((nowUs) => nowUs - us);
  }
  const clock = CLOCK.exec(v.text);
  return clock === null ? readDate(v.text, isUtc) : readClock(clock, isUtc);
}

/** The newest such time of day that is not after the capture's now. */
function readClock([, h = '', m = '', s = '0']: RegExpExecArray, isUtc: boolean): Result<Moment, string> {
  const [hour, minute, second] = [Number(h), Number(m), Number(s)];
  if (hour > 23 || minute > 59 || second > 59) return fail(WHAT);
  return ok((nowUs) => {
    const now = new Date(nowUs / 1000);
    const on = (daysBefore: number): number =>
      isUtc
        ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - daysBefore, hour, minute, second)
        : new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore, hour, minute, second).getTime();
    const today = on(0) * 1000;
    return today <= nowUs ? today : on(1) * 1000;
  });
}

function readDate(text: string, isUtc: boolean): Result<Moment, string> {
  const found = DATE.exec(text);
  if (found === null) return fail(WHAT);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((d) => Number(d ?? 0));
  const zone = found[8];
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12;
  if (!isDay || hour > 23 || minute > 59 || second > 60) return fail(WHAT);
  const utcMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const localMs = new Date(year, month - 1, day, hour, minute, second).getTime();
  const ms = zone === undefined ? (isUtc ? utcMs : localMs) : utcMs - zoneMs(zone);
  const us = ms * 1000 + Number((found[7] ?? '').padEnd(6, '0'));
  return ok(() => us);
}

function zoneMs(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
