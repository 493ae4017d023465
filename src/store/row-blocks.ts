/**
 * Rows of one length in blocks of memory that no garbage collector walks and no growth copies. A row that is given back
 * is the next one taken.
 */
import { memoryOf, type WideMemory } from './row.ts';

const BLOCK_BITS = 16;
export const BLOCK = 1 << BLOCK_BITS;
export const NONE = -1;

export class RowBlocks {
  readonly #words: number;
  readonly #blocks: WideMemory[] = [];
  #firstFree = NONE;
  #used = 0;
  #taken = 0;

  /** `words`: 32-bit words of a row, an even number. */
  constructor(words: number) {
    this.#words = words;
  }

  /** Rows taken now. */
  get size(): number {
    return this.#taken;
  }

  /** Rows there is memory for. */
  get room(): number {
    return this.#blocks.length * BLOCK;
  }

  /** The memory that `row` lies in, from word `wordOf(row)` on. */
  block(row: number): WideMemory {
    const known = this.#blocks[row >> BLOCK_BITS];
    return known ?? missing(row);
  }

  /** First word of the row in its block. */
  wordOf(row: number): number {
    return (row & (BLOCK - 1)) * this.#words;
  }

  /** The 32-bit integer `at` words into the row. */
  get(row: number, at: number): number {
    return this.block(row).i32[this.wordOf(row) + at] ?? NONE;
  }

  set(row: number, at: number, value: number): void {
    this.block(row).i32[this.wordOf(row) + at] = value;
  }

  /** A row, with whatever stood in it. */
  take(): number {
    this.#taken++;
    const row = this.#firstFree;
    if (row === NONE) {
      const used = this.#used++;
      if (used === this.room) this.#blocks.push(memoryOf(new Uint8Array(BLOCK * this.#words * 4)));
      return used;
    }
    this.#firstFree = this.block(row).i32[this.wordOf(row)] ?? NONE;
    return row;
  }

  /** Nobody knows the row any more. */
  give(row: number): void {
    this.#taken--;
    this.block(row).i32[this.wordOf(row)] = this.#firstFree;
    this.#firstFree = row;
  }
}

/** By itself: an optimising compiler makes the text wherever it may be needed, and calls of block() are many. */
function missing(row: number): never {
  throw new RangeError(`there is no row ${row}`);
}
