/**
 * The one keyed hash: for every table, mark and comparison whose bytes a sender chooses.
 *
 * HalfSipHash with one round a word and three at the end (J.-P. Aumasson, D. J. Bernstein: "SipHash: a fast short-input
 * PRF", 2012, and its 32-bit variant), the form that Linux uses for its tables. Without the key, which is random a
 * process, nobody can choose bytes that meet. Equal hashes are no proof of equal bytes: where a verdict hangs on it,
 * compare the bytes. protocols/sip/scanner/wasm/hash.ts computes the same over what the scanner holds.
 */
import { randomInt } from 'node:crypto';
import { wordsOf } from './byte-search.ts';

const KEY_0 = randomInt(0x1_0000_0000) | 0;
const KEY_1 = randomInt(0x1_0000_0000) | 0;

/** The key, for the scanner's own copy of the function. */
export const HASH_KEY: readonly [low: number, high: number] = [KEY_0, KEY_1];

/** The second 32 bits of the last hash that was asked for with them. */
let second = 0;

/** Hash of bytes[start..end), which `words` views with the same offsets. */
function hashView(words: DataView, bytes: Uint8Array, start: number, end: number, isWide: boolean): number {
  let v0 = KEY_0;
  let v1 = KEY_1;
  let v2 = 0x6c796765 ^ KEY_0;
  let v3 = 0x74656462 ^ KEY_1;
  let hash = 0;
  const length = end - start;
  const whole = start + (length & ~3);
  const turns = isWide ? 7 : 4;
  // One turn a word, then the rest with the length and three that finish; three more give the second half.
  for (let p = start, turn = 0; turn < turns; ) {
    let word = 0;
    if (p < whole) {
      word = words.getInt32(p, true);
      p += 4;
    } else if (turn++ === 0) {
      word = length << 24;
      for (let i = end - 1; i >= whole; i--) word |= (bytes[i] ?? 0) << ((i - whole) * 8);
    } else if (turn === 2) v2 ^= 0xff;
    else if (turn === 5) {
      hash = v1 ^ v3;
      v1 ^= 0xdd;
    }
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
  if (!isWide) return v1 ^ v3;
  second = v1 ^ v3;
  return hash;
}

/** Hash of buf[start..end) as a signed 32-bit number. */
export function hashBytes(buf: Uint8Array, start: number, end: number): number {
  return hashView(wordsOf(buf), buf, start, end, false);
}

/** The same, and 0 for an absent range (start < 0) alone. */
export function hashRange(buf: Uint8Array, start: number, end: number): number {
  if (start < 0) return 0;
  return hashView(wordsOf(buf), buf, start, end, false) || 1;
}

/** 64 bits of buf[start..end), left in `wideHash`; `low` is hashBytes(). */
export function takeWideHash(buf: Uint8Array, start: number, end: number): void {
  wideHash.low = hashView(wordsOf(buf), buf, start, end, true);
  wideHash.high = second;
}

/** One hash of two, at least one of them keyed: who does not know the key cannot aim at a meeting. */
export function mixHashes(a: number, b: number): number {
  const h = Math.imul(a ^ Math.imul(b, 0x85ebca6b), 0x9e3779b1);
  return h ^ (h >>> 15);
}

/** What takeWideHash() found last. */
export const wideHash = { low: 0, high: 0 };

/** Reusable input of 32-bit words, for what is no run of bytes: ports, addresses, other hashes. */
export class HashInput {
  readonly words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(count: number) {
    this.words = new Int32Array(count);
    this.#bytes = new Uint8Array(this.words.buffer);
    this.#view = new DataView(this.words.buffer);
  }

  /** Puts the 4 or 16 bytes of an address at word `at`; returns the word after them. */
  setAddress(at: number, addresses: Uint8Array, offset: number, ipVersion: number): number {
    const { words } = this;
    const end = at + (ipVersion === 6 ? 4 : 1);
    for (let i = at, p = offset; i < end; i++, p += 4)
      words[i] =
        (addresses[p] ?? 0) |
        ((addresses[p + 1] ?? 0) << 8) |
        ((addresses[p + 2] ?? 0) << 16) |
        ((addresses[p + 3] ?? 0) << 24);
    return end;
  }

  /** Hash of the first `count` words as a signed 32-bit number. */
  hash(count: number): number {
    return hashView(this.#view, this.#bytes, 0, 4 * count, false);
  }
}
