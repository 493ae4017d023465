/**
 * Both ends of a TLS connection may run on the observed host: what one process writes another reads, and both are seen.
 *
 * The two sightings of one message have the same bytes and the same direction, one written and one read. The second is
 * known by the first and is not a message of its own; a message that is really sent twice is written twice.
 */

import { HashInput, takeWideHash, wideHash } from '../core/hash.ts';
import { MAX_TLS_WAITING } from '../core/limits.ts';

/** How long a message waits for its other sighting, in the time of the records. */
const KNOWN_US = 2_000_000;

type Sighting = { readonly isWritten: boolean; count: number; tsUs: number };

export class BothEnds {
  /** By hash; what waits longest comes first. */
  readonly #waiting = new Map<number, Sighting>();
  readonly #way = new HashInput(10);
  /** Messages that were the second sighting. */
  seconds = 0;

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
      if (nowUs - s.tsUs <= KNOWN_US && this.#waiting.size < MAX_TLS_WAITING) return;
      this.#waiting.delete(key);
    }
  }

  /** 53 bits: those of the bytes, then some of the bytes and which way they went. */
  #hash(
    bytes: Uint8Array,
    start: number,
    end: number,
    way: { readonly src: Uint8Array; readonly dst: Uint8Array; readonly srcPort: number; readonly dstPort: number },
  ): number {
    takeWideHash(bytes, start, end);
    const { words } = this.#way;
    this.#way.setAddress(0, way.src, 0, 6);
    this.#way.setAddress(4, way.dst, 0, 6);
    words[8] = (way.srcPort << 16) | way.dstPort;
    words[9] = wideHash.high;
    return (wideHash.low >>> 0) * 0x20_0000 + (this.#way.hash(10) & 0x1f_ffff);
  }
}
