/**
 * A slab of records as typed views, with accessors by record number.
 */
import type { FilePlace, InFrame, Packet } from './packet.ts';
import { FLAG, OFFSET, RECORD_BYTES } from './records.ts';

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

  /** Fills in what record i says of its packet. Asked for one by one these would be calls: they are too many to be inlined. */
  readPacket(i: number, out: Packet): void {
    const bytes = this.bytes;
    const f64 = this.#f64;
    const u32 = this.#u32;
    const u16 = this.#u16;
    const at = i * RECORD_BYTES;
    out.tsUs = f64[i * F64 + OFFSET.tsUs / 8] ?? 0;
    out.origin = bytes[at + OFFSET.origin] ?? 0;
    out.ipVersion = bytes[at + OFFSET.ipVersion] ?? 0;
    out.addresses = bytes;
    out.srcOff = at + OFFSET.src;
    out.dstOff = at + OFFSET.dst;
    out.srcPort = u16[i * U16 + OFFSET.srcPort / 2] ?? 0;
    out.dstPort = u16[i * U16 + OFFSET.dstPort / 2] ?? 0;
    out.vlan = u16[i * U16 + OFFSET.vlan / 2] ?? 0;
    out.dscp = bytes[at + OFFSET.dscp] ?? 0;
    out.frame = f64[i * F64 + OFFSET.frame / 8] ?? -1;
    out.digestLow = (u32[i * U32 + OFFSET.digest / 4] ?? 0) | 0;
    out.digestHigh = (u32[i * U32 + OFFSET.digest / 4 + 1] ?? 0) | 0;
    out.isSnapped = ((bytes[at + OFFSET.flags] ?? 0) & FLAG.SNAPPED) !== 0;
    out.source = u32[i * U32 + OFFSET.source / 4] ?? 0;
  }

  /** The same of a record of a datagram. */
  readDatagram(i: number, out: Packet): void {
    this.readPacket(i, out);
    const u32 = this.#u32;
    const at = i * U32;
    out.ipId = u32[at + OFFSET.aux2 / 4] ?? 0;
    out.frameStart = (u32[at + OFFSET.off / 4] ?? 0) - (u32[at + OFFSET.aux0 / 4] ?? 0);
    // The digest of an INVITE is taken already.
    out.frameLength = out.digestHigh === 0 && out.digestLow === 0 ? (u32[at + OFFSET.aux1 / 4] ?? 0) : 0;
  }

  /** Fills in where the payload of record i lies; false when it does not lie in a file. */
  readPlace(i: number, out: FilePlace): boolean {
    const fileAt = this.#f64[i * F64 + OFFSET.fileAt / 8] ?? 0;
    if (!(fileAt > 0)) return false;
    const u32 = this.#u32;
    const at = i * U32;
    out.at = fileAt;
    out.start = u32[at + OFFSET.off / 4] ?? 0;
    out.end = out.start + (u32[at + OFFSET.len / 4] ?? 0);
    out.check = u32[at + OFFSET.check / 4] ?? 0;
    return true;
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
  check(i: number): number {
    return this.#u32[i * U32 + OFFSET.check / 4] ?? 0;
  }
  link(i: number): number {
    return this.#u32[i * U32 + OFFSET.link / 4] ?? 0;
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
  source(i: number): number {
    return this.#u32[i * U32 + OFFSET.source / 4] ?? 0;
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
  setFrame(i: number, { source, frame, digestLow, digestHigh }: InFrame): void {
    this.#u32[i * U32 + OFFSET.source / 4] = source;
    this.#f64[i * F64 + OFFSET.frame / 8] = frame;
    this.#u32[i * U32 + OFFSET.digest / 4] = digestLow;
    this.#u32[i * U32 + OFFSET.digest / 4 + 1] = digestHigh;
  }
  /** The descriptor of record i, in place. */
  descriptor(i: number): Uint8Array {
    return this.bytes.subarray(i * RECORD_BYTES, (i + 1) * RECORD_BYTES);
  }
}
