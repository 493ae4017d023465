/**
 * Messages as captured, in a ring with a byte budget: the oldest go first, and are counted.
 *
 * What lies in a capture file that can be read again is not copied; it is charged as if it were, so that the same
 * messages are kept whatever they were read from.
 *
 * Bytes lie in chunks that are dropped whole; message-rows.ts has the facts.
 */

import { wordsOf } from '../core/byte-search.ts';
import { MAX_KEPT_MESSAGE_BYTES } from '../core/limits.ts';
import type { MessageFacts } from './message-rows.ts';
import { MessageRows, ROW_COST, ROWS } from './message-rows.ts';

/** Chunks are an eighth of the budget, within these bounds; the larger ones can lie on huge pages. */
const CHUNK_MIN = 256 * 1024;
const CHUNK_MAX = 8 * 1024 * 1024;
const NO_BYTES = new Uint8Array(0);

/** Reads a message's bytes from file number `file`; null when they are no longer there. */
export type ReadFile = (file: number, at: number, length: number, check: number) => Uint8Array | null;

type ChunkMemory = { readonly bytes: Uint8Array; readonly i32: Int32Array };

/** `memory` is null until a message is copied. Messages begin at multiples of four. */
type Chunk = { memory: ChunkMemory | null; used: number; rows: number };

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
export class MessageLog extends MessageRows {
  readonly #budgetBytes: number;
  readonly #chunkBytes: number;
  readonly #allocate: (bytes: number) => Uint8Array;
  readonly #readFile: ReadFile;
  readonly #touch: (memory: Uint8Array) => void;
  readonly #onEvict: (dialog: number, row: number, next: number) => void;
  readonly #chunks = new Map<number, Chunk>();
  #firstChunk = 0;
  #lastChunk = -1;
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
    super(allocate);
    this.#readFile = readFile;
    this.#touch = touch;
    this.#allocate = allocate;
    this.#chunkBytes = Math.min(CHUNK_MAX, Math.max(CHUNK_MIN, 2 ** Math.floor(Math.log2(budgetBytes / 8))));
    this.#budgetBytes = Math.max(budgetBytes, 2 * this.#chunkBytes);
    this.#onEvict = onEvict;
  }

  get bytesHeld(): number {
    return this.#chunks.size * this.#chunkBytes + (this.following - this.first) * ROW_COST;
  }

  /** Appends a message; `prev` is the dialog's last row, or NO_ROW. Returns the new row's id. */
  append(facts: MessageFacts, bytes: Buffer, start: number, end: number, prev: number): number {
    const len = Math.min(end - start, MAX_KEPT_MESSAGE_BYTES);
    const chunk = this.#roomFor(len);
    const { place } = facts;
    let pos = this.#lastChunk * this.#chunkBytes + chunk.used;
    const isInFile = place !== null && len === end - start;
    if (isInFile) pos = place.at;
    else copyBytes(bytes, start, len, this.#memoryOf(chunk), chunk.used);
    chunk.used += (len + 3) & ~3;
    const row = this.addRow(facts, pos, len, isInFile);
    if (this.first === 0) this.#lookAhead(chunk, row);
    chunk.rows = row;
    if (prev >= this.first) this.link(prev, row);
    return row;
  }

  /** The message's bytes, in place: valid until the next append. None when their file has changed. */
  bytes(row: number): Uint8Array {
    const pos = this.position(row);
    const length = this.byteLength(row);
    const file = this.file(row);
    if (file >= 0) return this.#readFile(file, pos, length, this.check(row)) ?? NO_BYTES;
    const memory = this.#chunks.get(Math.floor(pos / this.#chunkBytes))?.memory;
    if (memory === undefined || memory === null) return NO_BYTES;
    const off = pos % this.#chunkBytes;
    return memory.bytes.subarray(off, off + length);
  }

  /** While nothing has gone whose memory could be used again, new memory is got ready when the last is half full. */
  #lookAhead(chunk: Chunk, row: number): void {
    if (row % ROWS === ROWS / 2) {
      const ahead = this.blockAhead();
      if (ahead !== null) this.#touch(ahead);
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
    const chunk: Chunk = { memory: null, used: 0, rows: this.following - 1 };
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
    while (this.first <= chunk.rows) {
      const row = this.first;
      this.evicted++;
      this.#onEvict(this.dialog(row), row, this.next(row));
      this.dropRow();
    }
  }
}
