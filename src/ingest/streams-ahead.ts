/**
 * Has the claims fetched that a group of new streams will be looked up by, before the first of them is: each look is a way
 * over four places in memory, and one stream after the other waits for each.
 */
import type { RecordBatch } from '../sources/record-batch.ts';
import { KIND } from '../sources/records.ts';

/** Few enough that what was fetched is still there behind the messages between them. */
export const GROUP = 8;

/** Has claims on IPv4 endpoints fetched, of which the first `count` are meant. */
export type FetchClaims = (addresses: Int32Array, ports: Int32Array, count: number) => void;

/** For the STREAM_OPENED records of a slab, each of which is met once, in order. */
export class StreamsAhead {
  readonly #fetch: FetchClaims;
  readonly #addresses = new Int32Array(2 * GROUP);
  readonly #ports = new Int32Array(2 * GROUP);
  /** Behind the last record of the group. */
  #end = 0;

  constructor(fetch: FetchClaims) {
    this.#fetch = fetch;
  }

  /** Another slab begins. */
  begin(): void {
    this.#end = 0;
  }

  /** Record `i` of `count` opens a stream, which is taken next. */
  meet(b: RecordBatch, i: number, count: number): void {
    if (i < this.#end) return;
    let n = 0;
    let at = i;
    for (; at < count && n < 2 * GROUP; at++) {
      if (b.kind(at) !== KIND.STREAM_OPENED || b.ipVersion(at) !== 4) continue;
      this.#note(n++, b.bytes, b.dstOff(at), b.dstPort(at));
      this.#note(n++, b.bytes, b.srcOff(at), b.srcPort(at));
    }
    this.#end = at;
    this.#fetch(this.#addresses, this.#ports, n);
  }

  #note(n: number, bytes: Uint8Array, off: number, port: number): void {
    const high = ((bytes[off] ?? 0) << 8) | (bytes[off + 1] ?? 0);
    this.#addresses[n] = (high << 16) | ((bytes[off + 2] ?? 0) << 8) | (bytes[off + 3] ?? 0);
    this.#ports[n] = port;
  }
}
