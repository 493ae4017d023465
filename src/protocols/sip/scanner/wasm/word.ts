/**
 * Bytes as numbers: of 64 bits, to be compared with eight characters at a time, and decimal ones. In a number of 64 bits the
 * first character is the lowest byte: 'via' is 0x616976. Each such number has its text beside it, and a test compares them.
 */

import { ZERO } from './characters.ts';
import { byte } from './search.ts';

/** Bit 5 of each byte, which tells small letters from capitals. */
const ANY_CASE: u64 = 0x2020202020202020;

/** The first `count` bytes at `p`, 1 to 8. */
export function word(p: i32, count: i32): u64 {
  return load<u64>(p) & (~(<u64>0) >> (64 - 8 * count));
}

/** The same with bit 5 set: of letters the small ones; some other bytes become what they are not. */
export function anyCase(p: i32, count: i32): u64 {
  return (load<u64>(p) | ANY_CASE) & (~(<u64>0) >> (64 - 8 * count));
}

/** Decimal number at `start`..`end`; `max` when it is larger, -1 when it is no number. */
export function parseNumber(start: i32, end: i32, max: i64): i64 {
  if (end <= start) return -1;
  let value: i64 = 0;
  for (let p = start; p < end; p++) {
    const digit = byte(p) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = min<i64>(value * 10 + digit, max);
  }
  return value;
}
