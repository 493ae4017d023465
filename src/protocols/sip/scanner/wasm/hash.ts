/**
 * The keyed hash of `core/hash.ts` over bytes the scanner holds: the same number for the same bytes, once the
 * process's key is set.
 */

// Beginnings of HalfSipHash.
const V2 = 0x6c796765; // 'egyl'
const V3 = 0x74656462; // 'bdet'

let key0: i32 = 0;
let key1: i32 = 0;

export function setHashKey(low: i32, high: i32): void {
  key0 = low;
  key1 = high;
}

/** Hash of `start`..`end`. */
export function hashBytes(start: i32, end: i32): i32 {
  let v0 = key0;
  let v1 = key1;
  let v2 = V2 ^ key0;
  let v3 = V3 ^ key1;
  const length = end - start;
  const whole = start + (length & ~3);
  // One turn a word, and four after the last: the rest with the length, and three that finish.
  for (let p = start, turn = 0; turn < 4; ) {
    let word = 0;
    if (p < whole) {
      word = load<i32>(p);
      p += 4;
    } else if (turn++ === 0) {
      const rest = length & 3;
      word = (length << 24) | (load<i32>(whole) & ((1 << (8 * rest)) - 1));
    } else if (turn === 2) v2 ^= 0xff;
    v3 ^= word;
    v0 += v1;
    v1 = rotl<i32>(v1, 5) ^ v0;
    v0 = rotl<i32>(v0, 16);
    v2 += v3;
    v3 = rotl<i32>(v3, 8) ^ v2;
    v0 += v3;
    v3 = rotl<i32>(v3, 7) ^ v0;
    v2 += v1;
    v1 = rotl<i32>(v1, 13) ^ v2;
    v2 = rotl<i32>(v2, 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}
