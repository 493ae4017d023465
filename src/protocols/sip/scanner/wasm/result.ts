/** The result of one scan in memory, by the indices of `scan-layout.ts`. */

import { ABSENT_FROM, FIELD_INTS, NOTES } from '../scan-layout.ts';

/** What an address is more than the offset the caller knows. */
let shift: i32 = 0;

/** Makes `out` the result of a message nothing is known of yet, for addresses that are `more` than the caller's offsets. */
export function beginResult(out: i32, more: i32): void {
  shift = more;
  for (let i = 0; i < ABSENT_FROM; i += 2) store<i64>(out + 4 * i, 0);
  for (let i = ABSENT_FROM; i < FIELD_INTS; i += 2) store<i64>(out + 4 * i, -1);
}

export function note(out: i32, bits: i32): void {
  store<i32>(out, load<i32>(out, 4 * NOTES) | bits, 4 * NOTES);
}

/** The caller's offset of an address. */
export function offset(p: i32): i32 {
  return p - shift;
}

/** The address of an offset. */
export function address(at: i32): i32 {
  return at + shift;
}
