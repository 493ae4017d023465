/**
 * The facts of messages, a row each: ids only grow, the oldest rows go first. Rows of one dialog are linked in arrival order.
 *
 * Rows are columns of typed arrays in blocks that are used again, so that millions of messages make no work for the
 * garbage collector.
 */

import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';
import { type Accessors, defineAccessors, memoryOf, row, type WideMemory } from '../row.ts';
import { fingerprint } from './fingerprint.ts';

/** Rows of a block. */
export const ROWS = 65_536;
export const NO_ROW = -1;

/** Row flags. */
export const ROW = {
  REQUEST: 1,
  RETRANSMISSION: 2,
  COPY: 4,
  DUPLICATE: 8,
  IPV6: 16,
  SNAPPED: 32,
  /** Of a request: it has credentials. */
  CREDENTIALS: 64,
  /** Of a response: a 401 or 407 to credentials that answered the last challenge. */
  REFUSAL: 64,
  /** The addresses are likely, not proven. */
  WEAK: 128,
} as const;

/** What a row keeps of what the scanner found. */
export type Scanned = Pick<SipScan, 'isRequest' | 'method' | 'status' | 'cseq' | 'cseqMethod' | 'hasAuthorization'>;

/** Rows lie one after the other in one buffer, so that writing or reading one touches two cache lines. */
const MESSAGE = row(96, {
  tsUs: 'f64',
  /** Where its bytes lie. */
  position: 'f64',
  /** The next row of the dialog, or NO_ROW. */
  next: 'f64',
  /** The first half of the fingerprint: the message, whichever way it went. */
  messageHash: 'i32',
  directedHash: 'i32',
  /** How many bytes of the message are kept. */
  byteLength: 'u32',
  /** Slot of the dialog the row belongs to. */
  dialog: 'u32',
  cseq: 'u32',
  status: 'u16',
  /** The IP identification; of a mirrored message the number of what was subtracted from its stamp (hep-clocks.ts). */
  ipId: 'u16',
  srcPort: 'u16',
  dstPort: 'u16',
  flags: 'u8',
  origin: 'u8',
  transport: 'u8',
  method: 'u8',
  src: 16,
  dst: 16,
  /** Number of the file that its bytes lie in, or -1; and their check there. */
  file: 'i32',
  check: 'u32',
});
const AT = MESSAGE.at;
/** What a row costs, charged against the budget of the log beside its bytes. */
export const ROW_COST = MESSAGE.bytes;

class InRing {
  /** The blocks in use, from number `firstBlock` on. */
  protected readonly blocks: WideMemory[] = [];
  protected firstBlock = 0;

  block(row: number): WideMemory {
    return this.blocks[Math.floor(row / ROWS) - this.firstBlock] ?? missing(row);
  }
}
defineAccessors(InRing.prototype, MESSAGE, ROWS);
const WithAccessors = InRing as new () => InRing & Accessors<typeof MESSAGE.kinds>;

export class MessageRows extends WithAccessors {
  #spareBlock: WideMemory | undefined;
  /** The oldest row, and the id of the next one. */
  protected first = 0;
  protected following = 0;

  /** The newest row; one less than firstRow without one. */
  get lastRow(): number {
    return this.following - 1;
  }

  get firstRow(): number {
    return this.first;
  }

  has(row: number): boolean {
    return row >= this.first && row < this.following;
  }

  /** A mirrored message was of this time after all. */
  retime(row: number, tsUs: number, applied: number): void {
    this.setTsUs(row, tsUs);
    this.setIpId(row, applied);
  }

  /** Both halves of the row's fingerprint as one text key. */
  fingerprintKey(row: number): string {
    return `${this.messageHash(row)}.${this.directedHash(row)}`;
  }

  hashesEqual(row: number, hashA: number, hashB: number): boolean {
    return this.messageHash(row) === hashA && this.directedHash(row) === hashB;
  }

  /** Source and destination: the holder of both addresses, their offsets and the ports. */
  endpoints(row: number): { bytes: Uint8Array; srcOff: number; dstOff: number; srcPort: number; dstPort: number } {
    const start = (row % ROWS) * MESSAGE.bytes;
    return {
      bytes: this.block(row).u8,
      srcOff: start + AT.src,
      dstOff: start + AT.dst,
      srcPort: this.srcPort(row),
      dstPort: this.dstPort(row),
    };
  }

  /**
   * A new row, linked to none: of the message whose fingerprint was taken last. `flags`: what neither `c` nor `scan` says.
   * `pos`: where `len` bytes of it lie, in their file when `isInFile`. Returns its id.
   */
  protected addRow(
    slot: number,
    c: Packet,
    scan: Scanned,
    flags: number,
    pos: number,
    len: number,
    isInFile: boolean,
  ): number {
    const { place, addresses, srcOff, dstOff } = c;
    const { isRequest } = scan;
    const isIpv6 = c.ipVersion === 6;
    const row = this.following++;
    const i = row % ROWS;
    const { u8, f64, i32, u32, u16 } = this.#blockOfNext(row);
    const double = i * MESSAGE.doubles;
    const word = i * MESSAGE.words;
    const half = i * MESSAGE.halves;
    f64[double + AT.tsUs] = c.tsUs;
    f64[double + AT.position] = pos;
    f64[double + AT.next] = NO_ROW;
    i32[word + AT.messageHash] = fingerprint.a;
    i32[word + AT.directedHash] = fingerprint.b;
    u32[word + AT.byteLength] = len;
    u32[word + AT.dialog] = slot;
    u32[word + AT.check] = place === null ? 0 : place.check;
    i32[word + AT.file] = place === null || !isInFile ? -1 : place.file;
    u32[word + AT.cseq] = Math.max(scan.cseq, 0);
    u16[half + AT.status] = isRequest ? 0 : scan.status;
    u16[half + AT.ipId] = c.ipId;
    u16[half + AT.srcPort] = c.srcPort;
    u16[half + AT.dstPort] = c.dstPort;
    const at = i * MESSAGE.bytes;
    u8[at + AT.flags] =
      flags |
      (isRequest ? ROW.REQUEST : 0) |
      (isIpv6 ? ROW.IPV6 : 0) |
      (c.isSnapped ? ROW.SNAPPED : 0) |
      (c.isWeak ? ROW.WEAK : 0) |
      (isRequest && scan.hasAuthorization ? ROW.CREDENTIALS : 0);
    u8[at + AT.origin] = c.origin;
    u8[at + AT.transport] = c.transport;
    u8[at + AT.method] = isRequest ? scan.method : scan.cseqMethod;
    const n = isIpv6 ? 16 : 4;
    for (let k = 0; k < n; k++) {
      u8[at + AT.src + k] = addresses[srcOff + k] ?? 0;
      u8[at + AT.dst + k] = addresses[dstOff + k] ?? 0;
    }
    return row;
  }

  /** The oldest row once more, as the newest one and linked to the same; its bytes lie at `pos` now. Returns its id. */
  protected moveRow(pos: number): number {
    const from = this.block(this.first);
    const start = (this.first % ROWS) * MESSAGE.bytes;
    const row = this.following++;
    const to = this.#blockOfNext(row);
    to.u8.set(from.u8.subarray(start, start + MESSAGE.bytes), (row % ROWS) * MESSAGE.bytes);
    this.setPosition(row, pos);
    return row;
  }

  /** The oldest row is nobody's any more. */
  protected dropRow(): void {
    const row = this.first++;
    if (row % ROWS !== ROWS - 1) return;
    this.#spareBlock = this.blocks.shift();
    this.firstBlock++;
  }

  /** The block of the next row. */
  #blockOfNext(row: number): WideMemory {
    const known = this.blocks[Math.floor(row / ROWS) - this.firstBlock];
    if (known !== undefined) return known;
    const block = this.#spareBlock ?? memoryOf(new Uint8Array(ROWS * MESSAGE.bytes));
    this.#spareBlock = undefined;
    this.blocks.push(block);
    return block;
  }
}

/** By itself: an optimising compiler makes the text wherever it may be needed, and calls of block() are many. */
function missing(row: number): never {
  throw new Error(`message row ${row} is not in the log`);
}
