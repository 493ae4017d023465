/**
 * Runs of whole HEP packets: what goes to collectors and to the disk. A packet has its length in bytes 4 and 5, so a run
 * needs no index.
 *
 * Packets are written one after another into slabs of memory. What was written becomes a block that all collectors share;
 * nobody writes there again.
 */
import { HEADER_BYTES } from '../../decode/hep/chunks.ts';
import type { HepEncoder, HepFacts } from './hep-encode.ts';

/** Packets are written into pieces of memory of this size. @cap with HEP_OUT_BYTES */
export const HEP_OUT_SLAB_BYTES = 256 * 1024;

/** `madeMs`: by performance.now(); 0 of an earlier time. */
export type Block = { readonly bytes: Buffer; readonly messages: number; readonly madeMs: number };

const MAGIC = 0x48455033;

/** Where the packet at `at` ends; 0 when there is no whole one. */
export function packetEnd(bytes: Buffer, at: number): number {
  if (bytes.length - at < HEADER_BYTES || bytes.readUInt32BE(at) !== MAGIC) return 0;
  const end = at + bytes.readUInt16BE(at + 4);
  return end < at + HEADER_BYTES || end > bytes.length ? 0 : end;
}

/** The whole packets at the beginning, of `mostBytes` or a packet more. */
export function wholePackets(bytes: Buffer, mostBytes = bytes.length): Block {
  let at = 0;
  let messages = 0;
  for (let end = packetEnd(bytes, at); end > 0 && at < mostBytes; end = packetEnd(bytes, at)) {
    at = end;
    messages++;
  }
  return { bytes: bytes.subarray(0, at), messages, madeMs: 0 };
}

/** What is left of these bytes, one after another, without the first `count`. */
export function bytesAfter(count: number, all: readonly Buffer[]): Buffer[] {
  let before = count;
  const left: Buffer[] = [];
  for (const bytes of all) {
    if (before < bytes.length) left.push(bytes.subarray(before));
    before = Math.max(0, before - bytes.length);
  }
  return left;
}

export class BlockWriter {
  readonly #encoder: HepEncoder;
  #slab = Buffer.allocUnsafeSlow(HEP_OUT_SLAB_BYTES);
  #from = 0;
  #at = 0;
  #messages = 0;

  constructor(encoder: HepEncoder) {
    this.#encoder = encoder;
  }

  /** Messages that were written since the last block. */
  get messages(): number {
    return this.#messages;
  }

  /** Writes a packet of `length` bytes (of the encoder); false where there is no room before take() was called. */
  write(length: number, facts: HepFacts, b: Uint8Array, start: number, end: number): boolean {
    if (this.#at + length > this.#slab.length) {
      if (this.#messages > 0) return false;
      this.#slab = Buffer.allocUnsafeSlow(HEP_OUT_SLAB_BYTES);
      this.#from = 0;
      this.#at = 0;
    }
    this.#encoder.write(this.#slab, this.#at, length, facts, b, start, end);
    this.#at += length;
    this.#messages++;
    return true;
  }

  /** What was written since the last time; null nothing. */
  take(): Block | null {
    if (this.#messages === 0) return null;
    const block = {
      bytes: this.#slab.subarray(this.#from, this.#at),
      messages: this.#messages,
      madeMs: performance.now(),
    };
    this.#from = this.#at;
    this.#messages = 0;
    return block;
  }
}
