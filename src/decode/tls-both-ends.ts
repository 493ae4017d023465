/**
 * Both ends of a TLS connection may run on the observed host: what one process writes another reads, and both are seen.
 *
 * The two sightings of one message have the same bytes and the same direction, one written and one read. The second is
 * known by the first and is not a message of its own; a message that is really sent twice is written twice.
 */
import { randomInt } from 'node:crypto';
import { wordsOf } from '../core/byte-search.ts';
import { hashBytes } from '../core/half-sip-hash.ts';

/** How long a message waits for its other sighting, in the time of the records. */
const KNOWN_US = 2_000_000;
const MAX_WAITING = 16_384;
const MULTIPLIER = 0x9e37_79b1;

type Sighting = { readonly isWritten: boolean; count: number; tsUs: number };

export class BothEnds {
  /** By hash; what waits longest comes first. */
  readonly #waiting = new Map<number, Sighting>();
  readonly #seed: number;
  /** Messages that were the second sighting. */
  seconds = 0;

  /** The seed is random a process, so that no sender can aim at collisions. */
  constructor(seed: number = randomInt(0x1_0000_0000) | 0) {
    this.#seed = seed | 0;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether the other end's sighting of this message came before. `src` and `dst` are 16 bytes each. */
  isSecond(
    bytes: Uint8Array,
    start: number,
    end: number,
    way: { readonly src: Uint8Array; readonly dst: Uint8Array; readonly srcPort: number; readonly dstPort: number },
    isWritten: boolean,
    tsUs: number,
  ): boolean {
    this.#forget(tsUs);
    const key = this.#hash(bytes, start, end, way);
    const other = this.#waiting.get(key);
    if (other === undefined) {
      this.#waiting.set(key, { isWritten, count: 1, tsUs });
      return false;
    }
    if (other.isWritten === isWritten) {
      other.count++;
      return false;
    }
    if (--other.count === 0) this.#waiting.delete(key);
    this.seconds++;
    return true;
  }

  #forget(nowUs: number): void {
    for (const [key, s] of this.#waiting) {
      if (nowUs - s.tsUs <= KNOWN_US && this.#waiting.size < MAX_WAITING) return;
      this.#waiting.delete(key);
    }
  }

  /** 53 bits of two keyed hashes: one of the bytes, one of the bytes and which way they went. */
  #hash(
    bytes: Uint8Array,
    start: number,
    end: number,
    way: { readonly src: Uint8Array; readonly dst: Uint8Array; readonly srcPort: number; readonly dstPort: number },
  ): number {
    let b = Math.imul(this.#seed ^ way.srcPort, MULTIPLIER);
    b = Math.imul(b ^ (b >>> 15) ^ way.dstPort, MULTIPLIER);
    for (let i = 0; i < 16; i += 4) {
      b = Math.imul(b ^ wordAt(way.src, i), MULTIPLIER);
      b = Math.imul(b ^ (b >>> 15) ^ wordAt(way.dst, i), MULTIPLIER);
    }
    b = mixBytes(b, bytes, start, end);
    return (hashBytes(bytes, start, end) >>> 0) * 0x20_0000 + ((b ^ (b >>> 11)) & 0x1f_ffff);
  }
}

/** Four bytes of a short array: a view that reads words costs more to make than it saves there. */
function wordAt(b: Uint8Array, i: number): number {
  return (b[i] ?? 0) | ((b[i + 1] ?? 0) << 8) | ((b[i + 2] ?? 0) << 16) | ((b[i + 3] ?? 0) << 24);
}

/** A running hash, by words. */
function mixBytes(hash: number, bytes: Uint8Array, start: number, end: number): number {
  const words = wordsOf(bytes);
  let h = hash;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    h = Math.imul(h ^ words.getInt32(i, true), MULTIPLIER);
    h ^= h >>> 15;
  }
  for (; i < end; i++) h = Math.imul(h ^ (bytes[i] ?? 0), MULTIPLIER);
  return h ^ (h >>> 13);
}
