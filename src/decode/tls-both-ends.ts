/**
 * Both ends of a TLS connection may run on the observed host: what one process writes another reads, and both are seen.
 *
 * The two sightings of one message have the same bytes and the same direction, one written and one read. The second is
 * known by the first and is not a message of its own; a message that is really sent twice is written twice.
 */

/** How long a message waits for its other sighting, in the time of the records. */
const KNOWN_US = 2_000_000;
const MAX_WAITING = 16_384;
const PRIME = 0x0100_0193;

type Sighting = { readonly isWritten: boolean; count: number; tsUs: number };

export class BothEnds {
  /** By hash; what waits longest comes first. */
  readonly #waiting = new Map<number, Sighting>();
  readonly #seed: number;
  /** Messages that were the second sighting. */
  seconds = 0;

  /** The seed is random a process, so that no sender can aim at collisions. */
  constructor(seed: number = crypto.getRandomValues(new Int32Array(1))[0] ?? 1) {
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

  /** 53 bits of two running hashes: every byte, and which way it went. */
  #hash(
    bytes: Uint8Array,
    start: number,
    end: number,
    way: { readonly src: Uint8Array; readonly dst: Uint8Array; readonly srcPort: number; readonly dstPort: number },
  ): number {
    let a = this.#seed;
    let b = Math.imul(this.#seed ^ way.srcPort, 0x85eb_ca6b) ^ way.dstPort;
    for (let i = 0; i < 16; i++) {
      a = Math.imul(a ^ (way.src[i] ?? 0), PRIME);
      b = Math.imul(b ^ (way.dst[i] ?? 0), PRIME);
    }
    for (let i = start; i < end; i++) {
      const c = bytes[i] ?? 0;
      a = Math.imul(a ^ c, PRIME);
      b = Math.imul(b + c, 0x9e37_79b1) ^ (b >>> 15);
    }
    return (a >>> 0) * 0x20_0000 + ((b ^ (b >>> 11)) & 0x1f_ffff);
  }
}
