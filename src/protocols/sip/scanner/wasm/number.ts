/** Reads decimal numbers of a given largest value from bytes. */

import { byte } from './search.ts';

/** Decimal number at `start`..`end`; `max` when it is larger, -1 when it is no number. */
export function parseNumber(start: i32, end: i32, max: i64): i64 {
  if (end <= start) return -1;
  let value: i64 = 0;
  for (let p = start; p < end; p++) {
    const digit = byte(p) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = min<i64>(value * 10 + digit, max);
  }
  return value;
}
