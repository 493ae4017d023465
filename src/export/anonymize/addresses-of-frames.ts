/**
 * Replaces the addresses in the headers of frames, in place. MACs that were replaced lately are remembered: media repeats two of
 * them a million times.
 */
import type { Anonymizer } from './anonymizer.ts';

/** MAC addresses remembered; a power of two. @cap */
const REMEMBERED_MACS = 4_096;

const MASK = REMEMBERED_MACS - 1;

export class FrameAddresses {
  readonly #anonymizer: Anonymizer;
  /** The upper two bytes and a mark that the place is taken; the lower four. */
  readonly #high = new Uint32Array(REMEMBERED_MACS);
  readonly #low = new Uint32Array(REMEMBERED_MACS);
  readonly #as = new Uint8Array(REMEMBERED_MACS * 8);

  constructor(anonymizer: Anonymizer) {
    this.#anonymizer = anonymizer;
  }

  ip4(b: Uint8Array, at: number): void {
    this.#anonymizer.replaceIp4(b, at);
  }

  ip6(b: Uint8Array, at: number): void {
    this.#anonymizer.replaceIp6(b, at);
  }

  mac(b: Uint8Array, at: number): void {
    const high = 0x1_0000 | ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
    const low =
      (((b[at + 2] ?? 0) << 24) | ((b[at + 3] ?? 0) << 16) | ((b[at + 4] ?? 0) << 8) | (b[at + 5] ?? 0)) >>> 0;
    const place = (Math.imul(low ^ (high << 7), 0x9e37_79b1) >>> 16) & MASK;
    const as = place * 8;
    if (this.#low[place] !== low || this.#high[place] !== high) {
      this.#anonymizer.replaceMac(b, at);
      for (let i = 0; i < 6; i++) this.#as[as + i] = b[at + i] ?? 0;
      this.#low[place] = low;
      this.#high[place] = high;
      return;
    }
    for (let i = 0; i < 6; i++) b[at + i] = this.#as[as + i] ?? 0;
  }
}
