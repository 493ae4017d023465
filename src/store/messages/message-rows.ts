/**
 * The facts of messages, a row each: ids only grow, the oldest rows go first. Rows of one dialog are linked in arrival order.
 *
 * Rows are columns of typed arrays in blocks that are used again, so that millions of messages make no work for the
 * garbage collector.
 */

/** Rows of a block, which is as large as three huge pages. */
export const ROWS = 65_536;
/** What a row's columns cost, charged against the budget of the log beside its bytes. */
export const ROW_COST = 96;
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

export class MessageRows {
  readonly #allocate: (bytes: number) => Uint8Array;
  /** Those in use, from number `#firstBlock` on. */
  readonly #blocks: RowBlock[] = [];
  #firstBlock = 0;
  #spareBlock: RowBlock | undefined;
  /** The oldest row, and the id of the next one. */
  protected first = 0;
  protected following = 0;

  constructor(allocate: (bytes: number) => Uint8Array) {
    this.#allocate = allocate;
  }

  /** The newest row; one less than firstRow without one. */
  get lastRow(): number {
    return this.following - 1;
  }

  get firstRow(): number {
    return this.first;
  }

  /** Slot of the dialog the row belongs to. */
  dialog(row: number): number {
    return this.at(row).u32[(row % ROWS) * U32 + DIALOG] ?? 0;
  }

  has(row: number): boolean {
    return row >= this.first && row < this.following;
  }

  next(row: number): number {
    return this.at(row).f64[(row % ROWS) * F64 + NEXT] ?? NO_ROW;
  }

  tsUs(row: number): number {
    return this.at(row).f64[(row % ROWS) * F64] ?? 0;
  }

  flags(row: number): number {
    return this.at(row).u8[(row % ROWS) * ROW_BYTES + FLAGS] ?? 0;
  }

  origin(row: number): number {
    return this.at(row).u8[(row % ROWS) * ROW_BYTES + ORIGIN] ?? 0;
  }

  transport(row: number): number {
    return this.at(row).u8[(row % ROWS) * ROW_BYTES + TRANSPORT] ?? 0;
  }

  method(row: number): number {
    return this.at(row).u8[(row % ROWS) * ROW_BYTES + METHOD] ?? 0;
  }

  status(row: number): number {
    return this.at(row).u16[(row % ROWS) * U16 + STATUS] ?? 0;
  }

  cseq(row: number): number {
    return this.at(row).u32[(row % ROWS) * U32 + CSEQ] ?? 0;
  }

  /** The IP identification; of a mirrored message the number of what was subtracted from its stamp (hep-clocks.ts). */
  ipId(row: number): number {
    return this.at(row).u16[(row % ROWS) * U16 + IP_ID] ?? 0;
  }

  /** A mirrored message was of this time after all. */
  retime(row: number, tsUs: number, applied: number): void {
    const b = this.at(row);
    b.f64[(row % ROWS) * F64] = tsUs;
    b.u16[(row % ROWS) * U16 + IP_ID] = applied;
  }

  /** Both halves of the row's fingerprint as one text key. */
  fingerprintKey(row: number): string {
    const { i32 } = this.at(row);
    const i = (row % ROWS) * U32;
    return `${i32[i + HASH_A]}.${i32[i + HASH_B]}`;
  }

  /** The first half of the row's fingerprint: the message, whichever way it went. */
  messageHash(row: number): number {
    return this.at(row).i32[(row % ROWS) * U32 + HASH_A] ?? 0;
  }

  hashesEqual(row: number, hashA: number, hashB: number): boolean {
    const { i32 } = this.at(row);
    const i = (row % ROWS) * U32;
    return i32[i + HASH_A] === hashA && i32[i + HASH_B] === hashB;
  }

  /** How many bytes of the message are kept. */
  byteLength(row: number): number {
    return this.at(row).u32[(row % ROWS) * U32 + LEN] ?? 0;
  }

  /** Source and destination: the holder of both addresses, their offsets and the ports. */
  endpoints(row: number): { bytes: Uint8Array; srcOff: number; dstOff: number; srcPort: number; dstPort: number } {
    const b = this.at(row);
    const i = row % ROWS;
    return {
      bytes: b.u8,
      srcOff: i * ROW_BYTES + SRC,
      dstOff: i * ROW_BYTES + DST,
      srcPort: b.u16[i * U16 + SRC_PORT] ?? 0,
      dstPort: b.u16[i * U16 + DST_PORT] ?? 0,
    };
  }

  /** A new row, linked to none. `pos`: where `len` bytes of it lie, in their file when `isInFile`. Returns its id. */
  protected addRow(facts: MessageFacts, pos: number, len: number, isInFile: boolean): number {
    const { place } = facts;
    const row = this.following++;
    const i = row % ROWS;
    const { u8, f64, i32, u32, u16 } = this.#block(row);
    f64[i * F64] = facts.tsUs;
    f64[i * F64 + POS] = pos;
    f64[i * F64 + NEXT] = NO_ROW;
    i32[i * U32 + HASH_A] = facts.hashA;
    i32[i * U32 + HASH_B] = facts.hashB;
    u32[i * U32 + LEN] = len;
    u32[i * U32 + DIALOG] = facts.dialog;
    u32[i * U32 + CHECK] = place === null ? 0 : place.check;
    u32[i * U32 + FILE] = place === null || !isInFile ? 0 : place.file + 1;
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
    return row;
  }

  /** The oldest row once more, as the newest one and linked to the same; its bytes lie at `pos` now. Returns its id. */
  protected moveRow(pos: number): number {
    const from = this.at(this.first);
    const start = (this.first % ROWS) * ROW_BYTES;
    const row = this.following++;
    const to = this.#block(row);
    to.u8.set(from.u8.subarray(start, start + ROW_BYTES), (row % ROWS) * ROW_BYTES);
    to.f64[(row % ROWS) * F64 + POS] = pos;
    return row;
  }

  protected link(row: number, next: number): void {
    this.at(row).f64[(row % ROWS) * F64 + NEXT] = next;
  }

  /** Where its bytes lie. */
  protected position(row: number): number {
    return this.at(row).f64[(row % ROWS) * F64 + POS] ?? 0;
  }

  /** Number of the file they lie in, or -1; and their check. */
  protected file(row: number): number {
    return (this.at(row).u32[(row % ROWS) * U32 + FILE] ?? 0) - 1;
  }

  protected check(row: number): number {
    return this.at(row).u32[(row % ROWS) * U32 + CHECK] ?? 0;
  }

  /** The oldest row is nobody's any more. */
  protected dropRow(): void {
    const row = this.first++;
    if (row % ROWS !== ROWS - 1) return;
    this.#spareBlock = this.#blocks.shift();
    this.#firstBlock++;
  }

  /** A block that will be written to soon; null when there is one. */
  protected blockAhead(): Uint8Array | null {
    if (this.#spareBlock !== undefined) return null;
    this.#spareBlock = new RowBlock(this.#allocate(ROWS * ROW_BYTES));
    return this.#spareBlock.u8;
  }

  protected at(row: number): RowBlock {
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
}

/** By itself: an optimising compiler makes the text wherever it may be needed, and calls of #at() are many. */
function missing(row: number): never {
  throw new Error(`message row ${row} is not in the log`);
}
