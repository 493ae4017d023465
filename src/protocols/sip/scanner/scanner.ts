/**
 * The compiled scanner (wasm/) and its memory: gives it copies of messages, many at a time or one (docs/adr/0019).
 */

import { HASH_KEY } from '../../../core/hash.ts';
import { MAX_LEADING_BYTES, MAX_MESSAGE_BYTES, MAX_SCAN_GAP } from '../../../core/item-limits.ts';
import { NOT_HELD } from './scan-codes.ts';
import * as AT from './scan-layout.ts';
import { SCANNER_BASE64 } from './scanner-module.ts';

/** What Node has and its types leave out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Record<string, unknown> };
};

/** What wasm/scan.ts exports. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly results: { readonly value: number };
  readonly jobs: { readonly value: number };
  readonly input: { readonly value: number };
  scanJobs(count: number): void;
  setHashKey(low: number, high: number): void;
};

/** Bytes of a single message that are copied at first: its headers, nearly always. */
const FIRST_BYTES = 4096;

/** No message is looked at behind this, whatever stands before it. */
const SCAN_BYTES = MAX_LEADING_BYTES + MAX_MESSAGE_BYTES;

/** Addresses are 32 bits; a scan needs to know of so many bytes more only that they are there. */
const LAST_END = 0x4000_0000;

let module: object | null = null;

/** The module, compiled when it is first asked for. Of SIMD it needs what every processor has that runs the addon. */
function ownModule(): object {
  module ??= new WebAssembly.Module(Buffer.from(SCANNER_BASE64, 'base64'));
  return module;
}

/** Each has a memory of its own; what it found stays until it scans again. */
export class SipScanner {
  readonly #run: (count: number) => void;
  readonly #bytes: Uint8Array;
  readonly #jobs: Int32Array;
  readonly #input: number;
  readonly #results: readonly Int32Array[];
  readonly #single: Int32Array;
  #count = 0;
  /** Bytes of the input that are taken by copies made. */
  #used = 0;
  // The copy that is still to be made.
  #source: Uint8Array;
  #from = 0;
  #to = 0;

  constructor() {
    // wasm/scan.ts exports these.
    const exports = new WebAssembly.Instance(ownModule()).exports as Exports;
    exports.setHashKey(...HASH_KEY);
    const { buffer } = exports.memory;
    this.#run = exports.scanJobs;
    this.#bytes = new Uint8Array(buffer);
    this.#input = exports.input.value;
    this.#jobs = new Int32Array(buffer, exports.jobs.value, AT.JOB_INTS * AT.JOBS);
    const { value } = exports.results;
    const resultOf = (i: number): Int32Array => new Int32Array(buffer, value + 4 * AT.RESULT_INTS * i, AT.RESULT_INTS);
    this.#results = Array.from({ length: AT.JOBS }, (_, i) => resultOf(i));
    this.#single = resultOf(AT.JOBS);
    this.#source = this.#bytes;
  }

  /** Where the scan of the `i`th message of a group stands; below JOBS. */
  result(i: number): Int32Array {
    return this.#results[i] ?? this.#single;
  }

  /**
   * Puts the datagram at `start`..`end` of `buf` into the group, as its `i`th; false when it has no room beside the others.
   * `buf` must stay as it is until scan().
   */
  add(buf: Uint8Array, start: number, end: number, i: number): boolean {
    // One that is too long is refused unread.
    const length = end - start > MAX_MESSAGE_BYTES ? 0 : end - start;
    if (buf !== this.#source || start < this.#from || start - this.#to > MAX_SCAN_GAP) {
      this.#copy();
      this.#source = buf;
      this.#from = start;
      this.#to = start;
    }
    if (this.#used + start + length - this.#from > AT.INPUT_BYTES) return false;
    if (start + length > this.#to) this.#to = start + length;
    const shift = this.#input + this.#used - this.#from;
    this.#addJob(shift + start, shift + end, shift + start + length, shift, false, i);
    return true;
  }

  #addJob(start: number, end: number, held: number, shift: number, isStream: boolean, result: number): void {
    const jobs = this.#jobs;
    const job = AT.JOB_INTS * this.#count++;
    jobs[job + AT.JOB_START] = start;
    jobs[job + AT.JOB_END] = end;
    jobs[job + AT.JOB_HELD] = held;
    jobs[job + AT.JOB_SHIFT] = shift;
    jobs[job + AT.JOB_IS_STREAM] = isStream ? 1 : 0;
    jobs[job + AT.JOB_RESULT] = result;
  }

  /** Copies what the messages added since the last copy span. */
  #copy(): void {
    const length = this.#to - this.#from;
    // Of a Buffer subarray() makes another one, which takes longer.
    const { buffer, byteOffset } = this.#source;
    if (length > 0) this.#bytes.set(new Uint8Array(buffer, byteOffset + this.#from, length), this.#input + this.#used);
    this.#used += length;
  }

  /** Scans the messages that were added, and begins a new group. */
  scan(): void {
    this.#copy();
    this.#run(this.#count);
    this.#count = 0;
    this.#used = 0;
    // Keeps no buffer alive, and no message goes on with it.
    this.#source = this.#bytes;
    this.#from = 0;
    this.#to = 0;
  }

  /** Scans one message into `out`; not between add() and scan(). */
  scanOne(buf: Uint8Array, start: number, end: number, isStream: boolean, out: Int32Array): void {
    const length = end - start;
    const input = this.#input;
    const last = input + Math.min(length, LAST_END);
    const most = isStream || length <= MAX_MESSAGE_BYTES ? Math.min(length, SCAN_BYTES) : 0;
    for (let held = Math.min(most, FIRST_BYTES); ; held = Math.min(most, held * 8)) {
      this.#bytes.set(buf.subarray(start, start + held), input);
      this.#addJob(input, last, input + held, input - start, isStream, AT.JOBS);
      this.#run(1);
      this.#count = 0;
      if (held === most || this.#single[AT.OUTCOME] !== NOT_HELD) break;
    }
    out.set(this.#single);
  }
}

let scanner: SipScanner | null = null;

/** The scanner of this thread, compiled when it is first asked for. */
export function sipScanner(): SipScanner {
  scanner ??= new SipScanner();
  return scanner;
}
