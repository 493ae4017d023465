/**
 * Messages as captured, in a ring with a byte budget: the oldest go first, and are counted.
 *
 * What lies in a capture file that can be read again is not copied; it is charged as if it were, so that the same
 * messages are kept whatever they were read from.
 *
 * Rows are columns of typed arrays, bytes lie in chunks that are dropped whole, so that millions of
 * messages make no work for the garbage collector. Rows of one dialog are linked in arrival order.
 */

import { wordsOf } from '../core/byte-search.ts';
import { MAX_KEPT_MESSAGE_BYTES } from '../core/limits.ts';

/** Chunks are an eighth of the budget, within these bounds; the larger ones can lie on huge pages. */
const CHUNK_MIN = 256 * 1024;
const CHUNK_MAX = 8 * 1024 * 1024;
/** Rows of a block, which is as large as three huge pages. */
const ROWS = 65_536;
/** What a row's columns cost, charged against the budget beside its bytes. */
const ROW_COST = 96;
export const NO_ROW = -1;
const NO_BYTES = new Uint8Array(0);

/** Row flags. */
export const ROW = {
  REQUEST: 1,
  RETRANSMISSION: 2,
  COPY: 4,
  DUPLICATE: 8,
  IPV6: 16,
  SNAPPED: 32,
  CREDENTIALS: 64,
} as const;

/** The facts of a message that its dialog keeps. */
export type MessageFacts = {
  tsUs: number;
  dialog: number;
  hashA: number;
  hashB: number;
  flags: number;
  origin: number;
  transport: number;
  method: number;
  status: number;
  cseq: number;
  ipId: number;
  srcPort: number;
  dstPort: number;
  /** Holder of the two 16-byte addresses, at these offsets. */
  addresses: Uint8Array;
  srcOff: number;
  dstOff: number;
  /** Where all of its bytes lie in a file, or null: they are copied. */
  place: { readonly file: number; readonly at: number; readonly check: number } | null;
};

/** Reads a message's bytes from file number `file`; null when they are no longer there. */
export type ReadFile = (file: number, at: number, length: number, check: number) => Uint8Array | null;

type ChunkMemory = { readonly bytes: Uint8Array; readonly i32: Int32Array };

/** `memory` is null until a message is copied. Messages begin at multiples of four. */
type Chunk = { memory: ChunkMemory | null; used: number; rows: number };

/**
 * Rows lie one after the other in one buffer, so that writing or reading one touches two cache lines:
 *
 *     0 tsUs f64   8 pos f64   16 next f64   24 hashA i32  28 hashB i32  32 len u32  36 dialog u32
 *     40 cseq u32  44 status u16  46 ipId u16  48 srcPort u16  50 dstPort u16
 *     52 flags 53 origin 54 transport 55 method   56 src 16   72 dst 16   88 check u32   92 file number + 1 u32
 */
const ROW_BYTES = 96;
const F64 = ROW_BYTES / 8;
const U32 = ROW_BYTES / 4;
const U16 = ROW_BYTES / 2;
const POS = 1;
const NEXT = 2;
const HASH_A = 6;
const HASH_B = 7;
const LEN = 8;
const DIALOG = 9;
const CSEQ = 10;
const CHECK = 22;
const FILE = 23;
const STATUS = 22;
const IP_ID = 23;
const SRC_PORT = 24;
const DST_PORT = 25;
const FLAGS = 52;
const ORIGIN = 53;
const TRANSPORT = 54;
const METHOD = 55;
const SRC = 56;
const DST = 72;

class RowBlock {
  readonly u8: Uint8Array;
  readonly f64: Float64Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly u16: Uint16Array;

  constructor(u8: Uint8Array) {
    this.u8 = u8;
    this.f64 = new Float64Array(u8.buffer, u8.byteOffset, u8.length / 8);
    this.i32 = new Int32Array(u8.buffer, u8.byteOffset, u8.length / 4);
    this.u32 = new Uint32Array(u8.buffer, u8.byteOffset, u8.length / 4);
    this.u16 = new Uint16Array(u8.buffer, u8.byteOffset, u8.length / 2);
  }
}

/** A message longer than this is copied by the engine, which does more before it begins and then goes faster. */
const COPIED_HERE = 2048;

/**
 * Copies into `to` at `at`, a multiple of four. Word by word: subarray() and set() leave an object a message behind, and
 * what lives in the young generation is moved the more often for it.
 */
function copyBytes(from: Buffer, start: number, len: number, to: ChunkMemory, at: number): void {
  if (len > COPIED_HERE) {
    to.bytes.set(from.subarray(start, start + len), at);
    return;
  }
  const words = wordsOf(from);
  const { i32 } = to;
  const end = start + len;
  let p = start;
  let i = at >> 2;
  for (; p + 16 <= end; p += 16, i += 4) {
    i32[i] = words.getInt32(p, true);
    i32[i + 1] = words.getInt32(p + 4, true);
    i32[i + 2] = words.getInt32(p + 8, true);
    i32[i + 3] = words.getInt32(p + 12, true);
  }
  for (; p + 4 <= end; p += 4) i32[i++] = words.getInt32(p, true);
  for (let k = i * 4; p < end; p++) to.bytes[k++] = from[p] ?? 0;
}

function memoryFor(bytes: Uint8Array): ChunkMemory {
  return { bytes, i32: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2) };
}

/** Ring of messages. Row ids only grow; an id below `firstRow` has been evicted. */
export class MessageLog {
  readonly #budgetBytes: number;
  readonly #chunkBytes: number;
  readonly #allocate: (bytes: number) => Uint8Array;
  readonly #readFile: ReadFile;
  readonly #touch: (memory: Uint8Array) => void;
  readonly #onEvict: (dialog: number, row: number, next: number) => void;
  /** Those in use, from number `#firstBlock` on. */
  readonly #blocks: RowBlock[] = [];
  #firstBlock = 0;
  readonly #chunks = new Map<number, Chunk>();
  #firstChunk = 0;
  #lastChunk = -1;
  #firstRow = 0;
  #nextRow = 0;
  #spareBlock: RowBlock | undefined;
  /** The chunk written last: nearly every append goes there again. */
  #writeChunk: Chunk | undefined;
  #spareChunk: ChunkMemory | undefined;
  evicted = 0;

  /**
   * `onEvict(dialog, row, next)` is told of each row that goes; `next` is its dialog's next row, or NO_ROW. `touch` is
   * given memory that will be written to soon: a page's first write costs its thread up to some milliseconds a huge page.
   */
  constructor(
    budgetBytes: number,
    onEvict: (dialog: number, row: number, next: number) => void,
    allocate: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes),
    readFile: ReadFile = () => null,
    touch: (memory: Uint8Array) => void = () => undefined,
  ) {
    this.#readFile = readFile;
    this.#touch = touch;
    this.#allocate = allocate;
    this.#chunkBytes = Math.min(CHUNK_MAX, Math.max(CHUNK_MIN, 2 ** Math.floor(Math.log2(budgetBytes / 8))));
    this.#budgetBytes = Math.max(budgetBytes, 2 * this.#chunkBytes);
    this.#onEvict = onEvict;
  }

  /** The newest row; one less than firstRow when there is none. */
  get lastRow(): number {
    return this.#nextRow - 1;
  }

  /** Slot of the dialog the row belongs to. */
  dialog(row: number): number {
    return this.#at(row).u32[(row % ROWS) * U32 + DIALOG] ?? 0;
  }

  get firstRow(): number {
    return this.#firstRow;
  }

  get bytesHeld(): number {
    return this.#chunks.size * this.#chunkBytes + (this.#nextRow - this.#firstRow) * ROW_COST;
  }

  /** Appends a message; `prev` is the dialog's last row, or NO_ROW. Returns the new row's id. */
  append(facts: MessageFacts, bytes: Buffer, start: number, end: number, prev: number): number {
    const len = Math.min(end - start, MAX_KEPT_MESSAGE_BYTES);
    const chunk = this.#roomFor(len);
    const { place } = facts;
    let pos = this.#lastChunk * this.#chunkBytes + chunk.used;
    if (place !== null && len === end - start) pos = place.at;
    else copyBytes(bytes, start, len, this.#memoryOf(chunk), chunk.used);
    chunk.used += (len + 3) & ~3;
    const row = this.#nextRow++;
    const i = row % ROWS;
    if (this.#firstRow === 0) this.#lookAhead(chunk, i);
    const { u8, f64, i32, u32, u16 } = this.#block(row);
    f64[i * F64] = facts.tsUs;
    f64[i * F64 + POS] = pos;
    f64[i * F64 + NEXT] = NO_ROW;
    i32[i * U32 + HASH_A] = facts.hashA;
    i32[i * U32 + HASH_B] = facts.hashB;
    u32[i * U32 + LEN] = len;
    u32[i * U32 + DIALOG] = facts.dialog;
    u32[i * U32 + CHECK] = place === null ? 0 : place.check;
    u32[i * U32 + FILE] = place === null || len < end - start ? 0 : place.file + 1;
    u32[i * U32 + CSEQ] = facts.cseq;
    u16[i * U16 + STATUS] = facts.status;
    u16[i * U16 + IP_ID] = facts.ipId;
    u16[i * U16 + SRC_PORT] = facts.srcPort;
    u16[i * U16 + DST_PORT] = facts.dstPort;
    const at = i * ROW_BYTES;
    u8[at + FLAGS] = facts.flags;
    u8[at + ORIGIN] = facts.origin;
    u8[at + TRANSPORT] = facts.transport;
    u8[at + METHOD] = facts.method;
    const n = (facts.flags & ROW.IPV6) !== 0 ? 16 : 4;
    const a = facts.addresses;
    for (let k = 0; k < n; k++) {
      u8[at + SRC + k] = a[facts.srcOff + k] ?? 0;
      u8[at + DST + k] = a[facts.dstOff + k] ?? 0;
    }
    chunk.rows = row;
    if (prev >= this.#firstRow) this.#at(prev).f64[(prev % ROWS) * F64 + NEXT] = row;
    return row;
  }

  has(row: number): boolean {
    return row >= this.#firstRow && row < this.#nextRow;
  }

  next(row: number): number {
    return this.#at(row).f64[(row % ROWS) * F64 + NEXT] ?? NO_ROW;
  }

  tsUs(row: number): number {
    return this.#at(row).f64[(row % ROWS) * F64] ?? 0;
  }

  flags(row: number): number {
    return this.#at(row).u8[(row % ROWS) * ROW_BYTES + FLAGS] ?? 0;
  }

  origin(row: number): number {
    return this.#at(row).u8[(row % ROWS) * ROW_BYTES + ORIGIN] ?? 0;
  }

  transport(row: number): number {
    return this.#at(row).u8[(row % ROWS) * ROW_BYTES + TRANSPORT] ?? 0;
  }

  method(row: number): number {
    return this.#at(row).u8[(row % ROWS) * ROW_BYTES + METHOD] ?? 0;
  }

  status(row: number): number {
    return this.#at(row).u16[(row % ROWS) * U16 + STATUS] ?? 0;
  }

  cseq(row: number): number {
    return this.#at(row).u32[(row % ROWS) * U32 + CSEQ] ?? 0;
  }

  ipId(row: number): number {
    return this.#at(row).u16[(row % ROWS) * U16 + IP_ID] ?? 0;
  }

  /** Both halves of the row's fingerprint as one text key. */
  fingerprintKey(row: number): string {
    const { i32 } = this.#at(row);
    const i = (row % ROWS) * U32;
    return `${i32[i + HASH_A]}.${i32[i + HASH_B]}`;
  }

  /** The first half of the row's fingerprint: the message, whichever way it went. */
  messageHash(row: number): number {
    return this.#at(row).i32[(row % ROWS) * U32 + HASH_A] ?? 0;
  }

  hashesEqual(row: number, hashA: number, hashB: number): boolean {
    const { i32 } = this.#at(row);
    const i = (row % ROWS) * U32;
    return i32[i + HASH_A] === hashA && i32[i + HASH_B] === hashB;
  }

  /** How many bytes of the message are kept. */
  byteLength(row: number): number {
    return this.#at(row).u32[(row % ROWS) * U32 + LEN] ?? 0;
  }

  /** The message's bytes, in place: valid until the next append. None when their file has changed. */
  bytes(row: number): Uint8Array {
    const { f64, u32 } = this.#at(row);
    const i = row % ROWS;
    const pos = f64[i * F64 + POS] ?? 0;
    const length = u32[i * U32 + LEN] ?? 0;
    const file = (u32[i * U32 + FILE] ?? 0) - 1;
    if (file >= 0) return this.#readFile(file, pos, length, u32[i * U32 + CHECK] ?? 0) ?? NO_BYTES;
    const memory = this.#chunks.get(Math.floor(pos / this.#chunkBytes))?.memory;
    if (memory === undefined || memory === null) return NO_BYTES;
    const off = pos % this.#chunkBytes;
    return memory.bytes.subarray(off, off + length);
  }

  /** Source and destination: the holder of both addresses, their offsets and the ports. */
  endpoints(row: number): { bytes: Uint8Array; srcOff: number; dstOff: number; srcPort: number; dstPort: number } {
    const b = this.#at(row);
    const i = row % ROWS;
    return {
      bytes: b.u8,
      srcOff: i * ROW_BYTES + SRC,
      dstOff: i * ROW_BYTES + DST,
      srcPort: b.u16[i * U16 + SRC_PORT] ?? 0,
      dstPort: b.u16[i * U16 + DST_PORT] ?? 0,
    };
  }

  #at(row: number): RowBlock {
    return this.#blocks[Math.floor(row / ROWS) - this.#firstBlock] ?? missing(row);
  }

  /** The block of the next row. */
  #block(row: number): RowBlock {
    const known = this.#blocks[Math.floor(row / ROWS) - this.#firstBlock];
    if (known !== undefined) return known;
    const block = this.#spareBlock ?? new RowBlock(this.#allocate(ROWS * ROW_BYTES));
    this.#spareBlock = undefined;
    this.#blocks.push(block);
    return block;
  }

  /** While nothing has gone whose memory could be used again, new memory is got ready when the last is half full. */
  #lookAhead(chunk: Chunk, i: number): void {
    if (i === ROWS / 2 && this.#spareBlock === undefined) {
      this.#spareBlock = new RowBlock(this.#allocate(ROWS * ROW_BYTES));
      this.#touch(this.#spareBlock.u8);
    }
    if (chunk.memory === null || this.#spareChunk !== undefined || chunk.used * 2 < this.#chunkBytes) return;
    if (this.bytesHeld + this.#chunkBytes > this.#budgetBytes) return;
    this.#spareChunk = memoryFor(this.#allocate(this.#chunkBytes));
    this.#touch(this.#spareChunk.bytes);
  }

  #roomFor(len: number): Chunk {
    const last = this.#writeChunk;
    if (last !== undefined && last.used + len <= this.#chunkBytes) return last;
    while (this.#chunks.size > 0 && this.bytesHeld + this.#chunkBytes > this.#budgetBytes) this.#dropOldest();
    const chunk: Chunk = { memory: null, used: 0, rows: this.#nextRow - 1 };
    this.#chunks.set(++this.#lastChunk, chunk);
    this.#writeChunk = chunk;
    return chunk;
  }

  #memoryOf(chunk: Chunk): ChunkMemory {
    if (chunk.memory !== null) return chunk.memory;
    chunk.memory = this.#spareChunk ?? memoryFor(this.#allocate(this.#chunkBytes));
    this.#spareChunk = undefined;
    return chunk.memory;
  }

  #dropOldest(): void {
    const chunk = this.#chunks.get(this.#firstChunk);
    if (chunk === undefined) return;
    this.#chunks.delete(this.#firstChunk++);
    this.#spareChunk = chunk.memory ?? this.#spareChunk;
    for (; this.#firstRow <= chunk.rows; this.#firstRow++) {
      const row = this.#firstRow;
      const block = this.#at(row);
      const i = row % ROWS;
      this.evicted++;
      this.#onEvict(block.u32[i * U32 + DIALOG] ?? 0, row, block.f64[i * F64 + NEXT] ?? NO_ROW);
      if (i === ROWS - 1) {
        this.#spareBlock = block;
        this.#blocks.shift();
        this.#firstBlock++;
      }
    }
  }
}

/** By itself: an optimising compiler makes the text wherever it may be needed, and calls of #at() are many. */
function missing(row: number): never {
  throw new Error(`message row ${row} is not in the log`);
}
