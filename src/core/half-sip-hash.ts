/**
 * A keyed hash for tables whose keys come from the network: HalfSipHash with one round a word and three at the end
 * (J.-P. Aumasson, D. J. Bernstein: "SipHash: a fast short-input PRF", 2012, and its 32-bit variant).
 *
 * Without the key, which is random a process, nobody can choose keys that meet in one slot. It reads words, not bytes,
 * and needs no 64-bit arithmetic.
 */
import { randomInt } from 'node:crypto';
import { wordsOf } from './byte-search.ts';

const KEY_0 = randomInt(0x1_0000_0000) | 0;
const KEY_1 = randomInt(0x1_0000_0000) | 0;

/** The key, for who computes the same hash elsewhere: the scanner in sip/wasm/hash.ts. */
export const HASH_KEY: readonly [low: number, high: number] = [KEY_0, KEY_1];

/** Hash of buf[start..end) as a signed 32-bit number. */
export function hashBytes(buf: Uint8Array, start: number, end: number): number {
  const words = wordsOf(buf);
  let v0 = KEY_0;
  let v1 = KEY_1;
  let v2 = 0x6c796765 ^ KEY_0;
  let v3 = 0x74656462 ^ KEY_1;
  const length = end - start;
  const whole = start + (length & ~3);
  // One turn a word, and four behind the last: the rest with the length, and three that finish.
  for (let p = start, turn = 0; turn < 4; ) {
    let word = 0;
    if (p < whole) {
      word = words.getInt32(p, true);
      p += 4;
    } else if (turn++ === 0) {
      word = length << 24;
      for (let i = end - 1; i >= whole; i--) word |= (buf[i] ?? 0) << ((i - whole) * 8);
    } else if (turn === 2) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}
