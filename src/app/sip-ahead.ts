/**
 * Scans the messages of a slab a group ahead of their turn, and has the records of their dialogs fetched.
 *
 * With tens of thousands of calls at a time a dialog has left the cache when its next message comes. One message after
 * the other waits for memory; of a group all wait at once.
 */
import { hashBytes } from '../core/half-sip-hash.ts';
import type { ScanCode } from '../sip/scan.ts';
import { SCAN, SipScan, scanSip } from '../sip/scan.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { KIND } from '../sources/records.ts';

/** Scans of a group have room in the innermost cache beside the rest. */
export const GROUP = 16;

/** A message as far as its own bytes tell; reusable. */
export class ScannedSip {
  readonly scan = new SipScan();
  code: ScanCode = SCAN.EMPTY;
  /** hashBytes() of the Call-ID; 0 where there is none. */
  callIdHash = 0;

  read(buf: Uint8Array, start: number, end: number): void {
    const { scan } = this;
    const code = scanSip(buf, start, end, scan);
    const hasCallId = code === SCAN.OK && scan.callIdStart >= 0;
    this.code = code;
    this.callIdHash = hasCallId ? hashBytes(buf, scan.callIdStart, scan.callIdEnd) : 0;
  }
}

/** Has dialogs fetched by the hashes of their Call-IDs, of which the first `count` are meant. */
export type FetchDialogs = (callIdHashes: Int32Array, count: number) => void;

/** For the UDP records of a slab, each of which is taken once, in order. */
export class SipAhead {
  readonly #fetch: FetchDialogs;
  readonly #messages = Array.from({ length: GROUP }, () => new ScannedSip());
  readonly #hashes = new Int32Array(GROUP);
  readonly #none = new ScannedSip();
  #next = 0;
  #end = 0;

  constructor(fetch: FetchDialogs) {
    this.#fetch = fetch;
  }

  /** The message of record `i` of `count`, a UDP record. */
  take(b: RecordBatch, i: number, count: number): ScannedSip {
    if (this.#next === this.#end) this.#readGroup(b, i, count);
    return this.#messages[this.#next++] ?? this.#none;
  }

  #readGroup(b: RecordBatch, first: number, count: number): void {
    let n = 0;
    for (let i = first; i < count && n < GROUP; i++) {
      if (b.kind(i) !== KIND.UDP) continue;
      const message = this.#messages[n] ?? this.#none;
      const start = b.off(i);
      message.read(b.data, start, start + b.len(i));
      this.#hashes[n++] = message.callIdHash;
    }
    this.#fetch(this.#hashes, n);
    this.#next = 0;
    this.#end = n;
  }
}
