/**
 * A slab of records as typed views, with accessors by record number.
 */
import { OFFSET, RECORD_BYTES } from './records.ts';

const F64 = RECORD_BYTES / 8;
const U32 = RECORD_BYTES / 4;
const U16 = RECORD_BYTES / 2;

export class RecordBatch {
  /** Payload bytes; a record's lie at off(i)..off(i)+len(i). */
  readonly data: Buffer;
  /** The descriptors: the addresses of record i lie at srcOff(i) and dstOff(i). */
  readonly bytes: Uint8Array;
  readonly #f64: Float64Array;
  readonly #u32: Uint32Array;
  readonly #u16: Uint16Array;

  /** `descriptors` must lie on an 8-byte boundary of its buffer. */
  constructor(data: Buffer, descriptors: Uint8Array) {
    this.data = data;
    this.bytes = descriptors;
    const { buffer, byteOffset, byteLength } = descriptors;
    this.#f64 = new Float64Array(buffer, byteOffset, byteLength / 8);
    this.#u32 = new Uint32Array(buffer, byteOffset, byteLength / 4);
    this.#u16 = new Uint16Array(buffer, byteOffset, byteLength / 2);
  }

  tsUs(i: number): number {
    return this.#f64[i * F64 + OFFSET.tsUs / 8] ?? 0;
  }
  frame(i: number): number {
    return this.#f64[i * F64 + OFFSET.frame / 8] ?? -1;
  }
  digestLow(i: number): number {
    return this.#u32[i * U32 + OFFSET.digest / 4] ?? 0;
  }
  digestHigh(i: number): number {
    return this.#u32[i * U32 + OFFSET.digest / 4 + 1] ?? 0;
  }
  off(i: number): number {
    return this.#u32[i * U32 + OFFSET.off / 4] ?? 0;
  }
  len(i: number): number {
    return this.#u32[i * U32 + OFFSET.len / 4] ?? 0;
  }
  wireLen(i: number): number {
    return this.#u32[i * U32 + OFFSET.wireLen / 4] ?? 0;
  }
  aux0(i: number): number {
    return this.#u32[i * U32 + OFFSET.aux0 / 4] ?? 0;
  }
  aux1(i: number): number {
    return this.#u32[i * U32 + OFFSET.aux1 / 4] ?? 0;
  }
  aux2(i: number): number {
    return this.#u32[i * U32 + OFFSET.aux2 / 4] ?? 0;
  }
  fileAt(i: number): number {
    return this.#f64[i * F64 + OFFSET.fileAt / 8] ?? 0;
  }
  check(i: number): number {
    return this.#u32[i * U32 + OFFSET.check / 4] ?? 0;
  }
  srcPort(i: number): number {
    return this.#u16[i * U16 + OFFSET.srcPort / 2] ?? 0;
  }
  dstPort(i: number): number {
    return this.#u16[i * U16 + OFFSET.dstPort / 2] ?? 0;
  }
  kind(i: number): number {
    return this.bytes[i * RECORD_BYTES + OFFSET.kind] ?? 0;
  }
  origin(i: number): number {
    return this.bytes[i * RECORD_BYTES + OFFSET.origin] ?? 0;
  }
  ipVersion(i: number): number {
    return this.bytes[i * RECORD_BYTES + OFFSET.ipVersion] ?? 0;
  }
  transport(i: number): number {
    return this.bytes[i * RECORD_BYTES + OFFSET.transport] ?? 0;
  }
  flags(i: number): number {
    return this.bytes[i * RECORD_BYTES + OFFSET.flags] ?? 0;
  }
  srcOff(i: number): number {
    return i * RECORD_BYTES + OFFSET.src;
  }
  dstOff(i: number): number {
    return i * RECORD_BYTES + OFFSET.dst;
  }
  /** Points record i at another frame: the one a reassembled datagram began in. */
  setFrame(i: number, frame: number, digestLow: number, digestHigh: number): void {
    this.#f64[i * F64 + OFFSET.frame / 8] = frame;
    this.#u32[i * U32 + OFFSET.digest / 4] = digestLow;
    this.#u32[i * U32 + OFFSET.digest / 4 + 1] = digestHigh;
  }
  /** The descriptor of record i, in place. */
  descriptor(i: number): Uint8Array {
    return this.bytes.subarray(i * RECORD_BYTES, (i + 1) * RECORD_BYTES);
  }
}
