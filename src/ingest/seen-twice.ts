/**
 * Recognizes a packet that a mirror port shows twice: the same bytes between the same addresses with the same IP
 * identification, within a few milliseconds. It remembers only the newest packets, so copies may pass in a flood.
 */

import { HashInput, hashBytes } from '../core/hash.ts';
import type { Packet } from '../sources/packet.ts';

/** A byte-identical copy this soon is the same packet seen twice (SPAN, `any`), and not the next one. */
export const DUPLICATE_FRAME_US = 5_000;

/** Some 100,000 packets a second fit into that time. */
const SLOTS = 512;

export class SeenTwice {
  readonly #way = new HashInput(9);
  readonly #bytes = new Int32Array(SLOTS);
  readonly #ways = new Int32Array(SLOTS);
  readonly #tsUs = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);

  /** True when buf[start..end) from `c` was seen just before; it is remembered. */
  isCopy(buf: Uint8Array, start: number, end: number, c: Packet): boolean {
    const bytes = hashBytes(buf, start, end);
    const to = this.#way.setAddress(0, c.addresses, c.srcOff, c.ipVersion);
    const at = this.#way.setAddress(to, c.addresses, c.dstOff, c.ipVersion);
    this.#way.words[at] = c.ipId;
    const way = this.#way.hash(at + 1);
    const slot = (bytes ^ way) & (SLOTS - 1);
    const isCopy =
      this.#bytes[slot] === bytes &&
      this.#ways[slot] === way &&
      Math.abs(c.tsUs - (this.#tsUs[slot] ?? 0)) < DUPLICATE_FRAME_US;
    this.#bytes[slot] = bytes;
    this.#ways[slot] = way;
    this.#tsUs[slot] = c.tsUs;
    return isCopy;
  }
}
