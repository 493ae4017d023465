/**
 * Scans the messages of a slab a group ahead of their turn, and has the records of their dialogs fetched.
 *
 * With tens of thousands of calls at a time a dialog has left the cache when its next message comes. One message after
 * the other waits for memory; of a group all wait at once.
 */
import type { RecordBatch } from '../sources/record-batch.ts';
import { KIND } from '../sources/records.ts';
import type { ScannedSip } from './scanned.ts';
import { ScannedHep } from './scanned.ts';

/** Scans of a group have room in the innermost cache beside the rest. */
export const GROUP = 16;

/** Has dialogs fetched by the hashes of their Call-IDs, of which the first `count` are meant. */
export type FetchDialogs = (callIdHashes: Int32Array, count: number) => void;

/** For the UDP and HEP records of a slab, each of which is taken once, in order. */
export class SipAhead {
  readonly #fetch: FetchDialogs;
  /** Of a message by UDP only the inner part is used. */
  readonly #packets = Array.from({ length: GROUP }, () => new ScannedHep());
  readonly #hashes = new Int32Array(GROUP);
  readonly #none = new ScannedHep();
  #next = 0;
  #end = 0;

  constructor(fetch: FetchDialogs) {
    this.#fetch = fetch;
  }

  /** The message of record `i` of `count`, a UDP record. */
  takeSip(b: RecordBatch, i: number, count: number): ScannedSip {
    return this.takeHep(b, i, count).sip;
  }

  /** The packet of record `i` of `count`, a HEP record. */
  takeHep(b: RecordBatch, i: number, count: number): ScannedHep {
    if (this.#next === this.#end) this.#readGroup(b, i, count);
    return this.#packets[this.#next++] ?? this.#none;
  }

  #readGroup(b: RecordBatch, first: number, count: number): void {
    let n = 0;
    for (let i = first; i < count && n < GROUP; i++) {
      const kind = b.kind(i);
      if (kind !== KIND.UDP && kind !== KIND.HEP) continue;
      const packet = this.#packets[n] ?? this.#none;
      const start = b.off(i);
      const end = start + b.len(i);
      if (kind === KIND.UDP) packet.sip.read(b.data, start, end);
      else packet.read(b.data, start, end);
      this.#hashes[n++] = kind === KIND.UDP || packet.isSip() ? packet.sip.callIdHash : 0;
    }
    this.#fetch(this.#hashes, n);
    this.#next = 0;
    this.#end = n;
  }
}
