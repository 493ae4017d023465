/**
 * Bytes as numbers of 64 bits, to be compared with eight characters at a time. In such a number the first character is the
 * lowest byte: 'via' is 0x616976.
 */

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
