/**
 * Keeps messages as captured, in a ring with a byte budget. The oldest go first, and are counted. While strangers have most
 * of the log, message-room.ts chooses what stays; that moves to the young end of the ring, as if it had just come.
 *
 * A message in a capture file that can be read again is not copied. It is charged as if it were, so the same messages stay
 * whatever they were read from.
 *
 * Bytes lie in chunks. What stays of a chunk slides to its beginning, so this needs no memory. message-rows.ts has the
 * facts.
 */

import { wordsOf } from '../../core/byte-search.ts';
import { asBuffer } from '../../core/byte-text.ts';
import type { Packet } from '../../sources/packet.ts';
import type { MessageOwner, MessageOwners, Staying } from './message-room.ts';
import { bytesTaken, isMostlyStrangers, ownerOf, stayingOf } from './message-room.ts';
import type { Scanned } from './message-rows.ts';
import { MessageRows, NO_ROW, ROW_COST } from './message-rows.ts';

/** Bytes kept of one message: of a longer one, what stands before. @cap */
export const MAX_KEPT_MESSAGE_BYTES = 128 * 1024;

/** Bytes of a chunk of the message log: an eighth of its budget, within these bounds. @cap */
const CHUNK_MIN = 256 * 1024;
const CHUNK_MAX = 8 * 1024 * 1024;

const NO_BYTES = new Uint8Array(0);

/** Reads a message's bytes from file number `file`; null when they are no longer there. */
export type ReadFile = (file: number, at: number, length: number, check: number) => Uint8Array | null;

type ChunkMemory = { readonly bytes: Buffer; readonly i32: Int32Array };

/**
 * `memory` is null until a message is copied. Messages begin at multiples of four. `lastRow` is its newest one; `marks` are
 * the rows that lie at each 32nd of it.
 */
type Chunk = { memory: ChunkMemory | null; used: number; lastRow: number; readonly marks: number[] };
const MARKS = 32;

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

function memoryFor(bytes: Buffer): ChunkMemory {
  return { bytes, i32: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2) };
}

/** Ring of messages. Row ids only grow; an id below `firstRow` has been evicted. */
export class MessageLog extends MessageRows {
  readonly #budgetBytes: number;
  readonly #chunkBytes: number;
  readonly #readFile: ReadFile;
  readonly #owners: MessageOwners;
  readonly #chunks = new Map<number, Chunk>();
  #firstChunk = 0;
  #lastChunk = -1;
  /** The chunk written last: nearly every append goes there again. */
  #writeChunk: Chunk | undefined;
  #spareChunk: ChunkMemory | undefined;
  /** The rows that moved last. */
  #movedFrom = 0;
  #movedTo = NO_ROW;
  evicted = 0;
  /** Told of each row of a dialog that gets another id. */
  onMove: ((dialog: number, from: number, to: number) => void) | null = null;

  constructor(budgetBytes: number, owners: MessageOwners, readFile: ReadFile = () => null) {
    super();
    this.#readFile = readFile;
    this.#chunkBytes = Math.min(CHUNK_MAX, Math.max(CHUNK_MIN, 2 ** Math.floor(Math.log2(budgetBytes / 8))));
    this.#budgetBytes = Math.max(budgetBytes, 2 * this.#chunkBytes);
    this.#owners = owners;
  }

  get bytesHeld(): number {
    return this.#chunks.size * this.#chunkBytes + (this.following - this.first) * ROW_COST;
  }

  /** The row that came before it, those left out that only moved last. */
  before(row: number): number {
    return row - 1 === this.#movedTo ? this.#movedFrom - 1 : row - 1;
  }

  /** Appends the message at bytes[start..end), of `owner`; for `flags` and the fingerprint see addRow(). Returns its row. */
  append(
    owner: MessageOwner,
    c: Packet,
    scan: Scanned,
    flags: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): number {
    const len = Math.min(end - start, MAX_KEPT_MESSAGE_BYTES);
    const chunk = this.#roomFor(len);
    const { place } = c;
    let pos = this.#lastChunk * this.#chunkBytes + chunk.used;
    // A message that is a whole payload of a file stays there.
    const isInFile = place !== null && place.start === start && place.end === end && len === end - start;
    if (isInFile) pos = place.at;
    else copyBytes(bytes, start, len, this.#memoryOf(chunk), chunk.used);
    const row = this.addRow(owner.slot, c, scan, flags, pos, len, isInFile);
    this.#take(chunk, len, row);
    const { tailRow } = owner;
    if (tailRow === NO_ROW) owner.openRow = row | 0;
    // Rows of a dialog go oldest first: without the newest one no row is left.
    if (tailRow < this.first) owner.headRow = row;
    else this.setNext(tailRow, row);
    owner.tailRow = row;
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

  #roomFor(len: number): Chunk {
    const last = this.#writeChunk;
    if (last !== undefined && last.used + len <= this.#chunkBytes) return last;
    const partly = this.#makeRoom();
    this.#writeChunk = partly ?? this.#addChunk(null);
    return this.#writeChunk;
  }

  #addChunk(memory: ChunkMemory | null): Chunk {
    const chunk: Chunk = { memory, used: 0, lastRow: this.following - 1, marks: [] };
    this.#chunks.set(++this.#lastChunk, chunk);
    return chunk;
  }

  /** The chunk's newest row is this one, of so many bytes. */
  #take(chunk: Chunk, len: number, row: number): void {
    chunk.used += bytesTaken(len);
    chunk.lastRow = row;
    while (chunk.used * MARKS > (chunk.marks.length + 1) * this.#chunkBytes) chunk.marks.push(row);
  }

  /** Until there is room for a chunk. Returns the newest one when it has stayed in part and has room itself. */
  #makeRoom(): Chunk | null {
    let partly: Chunk | null = null;
    const last = this.#lastChunk;
    const isFull = (): boolean => this.bytesHeld + (partly === null ? this.#chunkBytes : 0) > this.#budgetBytes;
    if (this.#chunks.size === 0 || !isFull()) return null;
    const marks = [...this.#chunks.values()].map((chunk) => chunk.marks);
    const isSorted = isMostlyStrangers(this, this.#owners, marks);
    while (this.#chunks.size > 0 && isFull()) {
      // What has moved once goes, should all of it have stayed.
      const mayStay = isSorted && this.#firstChunk <= last;
      const newest: Chunk | null = this.#clear(partly, mayStay);
      partly = newest !== null && newest.used * 2 <= this.#chunkBytes ? newest : null;
    }
    return partly;
  }

  /** Takes out the oldest chunk. What may stay of it moves to `partly`, or to a new one at the other end; that is returned. */
  #clear(partly: Chunk | null, mayStay: boolean): Chunk | null {
    const oldest = this.#chunks.get(this.#firstChunk);
    this.#chunks.delete(this.#firstChunk++);
    if (oldest === undefined || oldest === partly) return null;
    const staying = mayStay ? stayingOf(this, this.#owners, this.first, oldest.lastRow, this.#chunkBytes) : null;
    let to = partly;
    if (staying !== null && staying.bytes > 0 && (to === null || (to.used + staying.bytes) * 2 > this.#chunkBytes))
      to = this.#addChunk(oldest.memory);
    this.#movedFrom = this.following;
    this.#moveOrDrop(oldest, staying, to);
    this.#movedTo = this.following - 1;
    if (to === null || to.memory !== oldest.memory) this.#spareChunk = oldest.memory ?? this.#spareChunk;
    return to;
  }

  #moveOrDrop(oldest: Chunk, staying: Staying | null, to: Chunk | null): void {
    // By dialog, the row that most likely comes before its next one, where that is not its first.
    const befores = new Map<number, number>();
    for (; this.first <= oldest.lastRow; this.dropRow()) {
      const row = this.first;
      const owner = ownerOf(this, this.#owners, row);
      const moved = owner !== undefined && to !== null && staying?.isStaying(owner) === true;
      const place = moved ? this.#move(oldest, to) : NO_ROW;
      if (!moved) this.evicted++;
      if (owner !== undefined) this.#relink(owner, row, place, befores);
    }
  }

  /** Moves the oldest row, and its bytes, from one chunk to the other, or to an earlier place in the same memory. */
  #move(from: Chunk, to: Chunk): number {
    const row = this.first;
    const length = this.byteLength(row);
    let pos = this.position(row);
    if (this.file(row) < 0 && from.memory !== null) {
      const start = pos % this.#chunkBytes;
      const memory = this.#memoryOf(to);
      if (memory !== from.memory || start !== to.used)
        memory.bytes.set(from.memory.bytes.subarray(start, start + length), to.used);
      pos = this.#lastChunk * this.#chunkBytes + to.used;
    }
    const place = this.moveRow(pos);
    this.#take(to, length, place);
    return place;
  }

  /** The dialog's row is another one now, or gone: NO_ROW. */
  #relink(owner: MessageOwner, row: number, place: number, befores: Map<number, number>): void {
    const next = this.next(row);
    const isHead = owner.headRow === row;
    const before = isHead ? NO_ROW : this.#rowBefore(owner, row, befores.get(owner.slot) ?? owner.headRow);
    if (isHead) owner.headRow = place === NO_ROW ? next : place;
    else this.setNext(before, place === NO_ROW ? next : place);
    const last = place === NO_ROW ? before : place;
    if (last === NO_ROW) return;
    befores.set(owner.slot, last);
    if (next === NO_ROW) owner.tailRow = last;
    if (place !== NO_ROW) this.onMove?.(owner.slot, row, place);
  }

  /** Of a dialog's rows the one before `row`, which is not its first: those before it have moved. Most likely it is `likely`. */
  #rowBefore(owner: MessageOwner, row: number, likely: number): number {
    let before = likely;
    for (let next = this.next(before); next !== row; next = this.next(before))
      before = next === NO_ROW ? owner.headRow : next;
    return before;
  }

  #memoryOf(chunk: Chunk): ChunkMemory {
    if (chunk.memory !== null) return chunk.memory;
    chunk.memory = this.#spareChunk ?? memoryFor(asBuffer(new Uint8Array(this.#chunkBytes)));
    this.#spareChunk = undefined;
    return chunk.memory;
  }
}
