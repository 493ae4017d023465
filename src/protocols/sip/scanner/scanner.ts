/**
 * The compiled scanner (wasm/) and its memory: gives it copies of messages, many at a time or one (docs/adr/0019).
 */

import { HASH_KEY } from '../../../core/hash.ts';
import { MAX_MESSAGE_BYTES } from './scan-bounds.ts';
import * as AT from './scan-layout.ts';
import { SCANNER_BASE64 } from './scanner-module.ts';

/** Bytes between two messages of one buffer that are copied with them rather than begin another copy. @cap */
const MAX_SCAN_GAP = 2048;

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
    this.#addJob(start, end, shift, i);
    return true;
  }

  #addJob(start: number, end: number, shift: number, result: number): void {
    const jobs = this.#jobs;
    const job = AT.JOB_INTS * this.#count++;
    jobs[job + AT.JOB_START] = start + shift;
    jobs[job + AT.JOB_END] = end + shift;
    jobs[job + AT.JOB_SHIFT] = shift;
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
    // Keeps no buffer alive, and no message continues with it.
    this.#source = this.#bytes;
    this.#from = 0;
    this.#to = 0;
  }

  /** Scans one message; not between add() and scan(). What it found stays until the next one. */
  scanOne(buf: Uint8Array, start: number, end: number): Int32Array {
    if (end - start <= MAX_MESSAGE_BYTES) this.#bytes.set(buf.subarray(start, end), this.#input);
    this.#addJob(start, end, this.#input - start, AT.JOBS);
    this.#run(1);
    this.#count = 0;
    return this.#single;
  }
}

let scanner: SipScanner | null = null;

/** The scanner of this thread, compiled when it is first asked for. */
export function sipScanner(): SipScanner {
  scanner ??= new SipScanner();
  return scanner;
}
