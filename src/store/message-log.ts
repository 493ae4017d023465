/**
 * Messages as captured, in a ring with a byte budget: the oldest go first, and are counted.
 *
 * Rows are columns of typed arrays, bytes lie in chunks that are dropped whole, so that millions of
 * messages make no work for the garbage collector. Rows of one dialog are linked in arrival order.
 */

const CHUNK_BYTES = 1024 * 1024;
const ROWS = 4096;
/** What a row's columns cost, charged against the budget beside its bytes. */
const ROW_COST = 96;
export const NO_ROW = -1;

/** Row flags. */
export const ROW = { REQUEST: 1, RETRANSMISSION: 2, COPY: 4, DUPLICATE: 8, IPV6: 16, SNAPPED: 32, CREDENTIALS: 64 } as const;

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
};

type Chunk = { bytes: Uint8Array; used: number; rows: number };

class RowBlock {
  readonly tsUs = new Float64Array(ROWS);
  readonly pos = new Float64Array(ROWS);
  readonly next = new Float64Array(ROWS);
  readonly len = new Uint32Array(ROWS);
  readonly dialog = new Uint32Array(ROWS);
  readonly hashA = new Int32Array(ROWS);
  readonly hashB = new Int32Array(ROWS);
  readonly cseq = new Uint32Array(ROWS);
  readonly status = new Uint16Array(ROWS);
  readonly ipId = new Uint16Array(ROWS);
  readonly srcPort = new Uint16Array(ROWS);
  readonly dstPort = new Uint16Array(ROWS);
  readonly flags = new Uint8Array(ROWS);
  readonly origin = new Uint8Array(ROWS);
  readonly transport = new Uint8Array(ROWS);
  readonly method = new Uint8Array(ROWS);
  readonly addresses = new Uint8Array(ROWS * 32);
}

/** Ring of messages. Row ids only grow; an id below `firstRow` has been evicted. */
export class MessageLog {
  readonly #budgetBytes: number;
  readonly #onEvict: (dialog: number, row: number, next: number) => void;
  readonly #blocks = new Map<number, RowBlock>();
  readonly #chunks = new Map<number, Chunk>();
  #firstChunk = 0;
  #lastChunk = -1;
  #firstRow = 0;
  #nextRow = 0;
  #spareBlock: RowBlock | undefined;
  #spareChunk: Uint8Array | undefined;
  evicted = 0;

  /** `onEvict(dialog, row, next)` is told of each row that goes; `next` is its dialog's next row, or NO_ROW. */
  constructor(budgetBytes: number, onEvict: (dialog: number, row: number, next: number) => void) {
    this.#budgetBytes = Math.max(budgetBytes, 2 * CHUNK_BYTES);
    this.#onEvict = onEvict;
  }

  get firstRow(): number {
    return this.#firstRow;
  }

  get bytesHeld(): number {
    return this.#chunks.size * CHUNK_BYTES + (this.#nextRow - this.#firstRow) * ROW_COST;
  }

  /** Appends a message; `prev` is the dialog's last row, or NO_ROW. Returns the new row's id. */
  append(facts: MessageFacts, bytes: Uint8Array, start: number, end: number, prev: number): number {
    const len = Math.min(end - start, CHUNK_BYTES);
    const chunk = this.#roomFor(len);
    const pos = this.#lastChunk * CHUNK_BYTES + chunk.used;
    chunk.bytes.set(bytes.subarray(start, start + len), chunk.used);
    chunk.used += len;
    const row = this.#nextRow++;
    const i = row % ROWS;
    const b = this.#block(row);
    b.tsUs[i] = facts.tsUs;
    b.pos[i] = pos;
    b.next[i] = NO_ROW;
    b.len[i] = len;
    b.dialog[i] = facts.dialog;
    b.hashA[i] = facts.hashA;
    b.hashB[i] = facts.hashB;
    b.cseq[i] = facts.cseq;
    b.status[i] = facts.status;
    b.ipId[i] = facts.ipId;
    b.srcPort[i] = facts.srcPort;
    b.dstPort[i] = facts.dstPort;
    b.flags[i] = facts.flags;
    b.origin[i] = facts.origin;
    b.transport[i] = facts.transport;
    b.method[i] = facts.method;
    const a = b.addresses;
    const at = i * 32;
    const n = (facts.flags & ROW.IPV6) !== 0 ? 16 : 4;
    for (let k = 0; k < n; k++) {
      a[at + k] = facts.addresses[facts.srcOff + k] ?? 0;
      a[at + 16 + k] = facts.addresses[facts.dstOff + k] ?? 0;
    }
    chunk.rows = row;
    if (prev >= this.#firstRow) this.#at(prev).next[prev % ROWS] = row;
    return row;
  }

  has(row: number): boolean {
    return row >= this.#firstRow && row < this.#nextRow;
  }

  next(row: number): number {
    return this.#at(row).next[row % ROWS] ?? NO_ROW;
  }

  tsUs(row: number): number {
    return this.#at(row).tsUs[row % ROWS] ?? 0;
  }

  flags(row: number): number {
    return this.#at(row).flags[row % ROWS] ?? 0;
  }

  origin(row: number): number {
    return this.#at(row).origin[row % ROWS] ?? 0;
  }

  transport(row: number): number {
    return this.#at(row).transport[row % ROWS] ?? 0;
  }

  method(row: number): number {
    return this.#at(row).method[row % ROWS] ?? 0;
  }

  status(row: number): number {
    return this.#at(row).status[row % ROWS] ?? 0;
  }

  cseq(row: number): number {
    return this.#at(row).cseq[row % ROWS] ?? 0;
  }

  ipId(row: number): number {
    return this.#at(row).ipId[row % ROWS] ?? 0;
  }

  /** Both halves of the row's fingerprint as one text key. */
  fingerprintKey(row: number): string {
    const b = this.#at(row);
    const i = row % ROWS;
    return `${b.hashA[i]}.${b.hashB[i]}`;
  }

  hashesEqual(row: number, hashA: number, hashB: number): boolean {
    const b = this.#at(row);
    const i = row % ROWS;
    return b.hashA[i] === hashA && b.hashB[i] === hashB;
  }

  /** The message's bytes, in place: valid until the next append. */
  bytes(row: number): Uint8Array {
    const b = this.#at(row);
    const i = row % ROWS;
    const pos = b.pos[i] ?? 0;
    const chunk = this.#chunks.get(Math.floor(pos / CHUNK_BYTES));
    if (chunk === undefined) return new Uint8Array(0);
    const off = pos % CHUNK_BYTES;
    return chunk.bytes.subarray(off, off + (b.len[i] ?? 0));
  }

  /** Source and destination: the holder of both addresses, their offsets and the ports. */
  endpoints(row: number): { bytes: Uint8Array; srcOff: number; dstOff: number; srcPort: number; dstPort: number } {
    const b = this.#at(row);
    const i = row % ROWS;
    return {
      bytes: b.addresses,
      srcOff: i * 32,
      dstOff: i * 32 + 16,
      srcPort: b.srcPort[i] ?? 0,
      dstPort: b.dstPort[i] ?? 0,
    };
  }

  #at(row: number): RowBlock {
    const block = this.#blocks.get(Math.floor(row / ROWS));
    if (block === undefined) throw new Error(`message row ${row} is not in the log`);
    return block;
  }

  #block(row: number): RowBlock {
    const key = Math.floor(row / ROWS);
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = this.#spareBlock ?? new RowBlock();
      this.#spareBlock = undefined;
      this.#blocks.set(key, block);
    }
    return block;
  }

  #roomFor(len: number): Chunk {
    const last = this.#chunks.get(this.#lastChunk);
    if (last !== undefined && last.used + len <= CHUNK_BYTES) return last;
    while (this.#chunks.size > 0 && this.bytesHeld + CHUNK_BYTES > this.#budgetBytes) this.#dropOldest();
    const chunk: Chunk = { bytes: this.#spareChunk ?? new Uint8Array(CHUNK_BYTES), used: 0, rows: this.#nextRow - 1 };
    this.#spareChunk = undefined;
    this.#chunks.set(++this.#lastChunk, chunk);
    return chunk;
  }

  #dropOldest(): void {
    const chunk = this.#chunks.get(this.#firstChunk);
    if (chunk === undefined) return;
    this.#chunks.delete(this.#firstChunk++);
    this.#spareChunk = chunk.bytes;
    for (; this.#firstRow <= chunk.rows; this.#firstRow++) {
      const row = this.#firstRow;
      const block = this.#at(row);
      const i = row % ROWS;
      this.evicted++;
      this.#onEvict(block.dialog[i] ?? 0, row, block.next[i] ?? NO_ROW);
      if (i === ROWS - 1) {
        this.#spareBlock = block;
        this.#blocks.delete(Math.floor(row / ROWS));
      }
    }
  }
}
