/**
 * Rows of one length in blocks of memory that no garbage collector walks and no growth copies. A row that is given back
 * is the next one taken.
 */
const BLOCK_BITS = 16;
const BLOCK = 1 << BLOCK_BITS;
export const NONE = -1;

export type RowBlock = { readonly f64: Float64Array; readonly i32: Int32Array };

export class RowBlocks {
  readonly #words: number;
  readonly #allocate: (bytes: number) => Uint8Array;
  readonly #blocks: RowBlock[] = [];
  #firstFree = NONE;
  #used = 0;
  #taken = 0;

  /** `words`: 32-bit words of a row, an even number; `allocate` gives zeroed memory on an 8-byte boundary. */
  constructor(words: number, allocate: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes)) {
    this.#words = words;
    this.#allocate = allocate;
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
  block(row: number): RowBlock {
    const known = this.#blocks[row >> BLOCK_BITS];
    if (known === undefined) throw new RangeError(`there is no row ${row}`);
    return known;
  }

  /** First word of the row in its block. */
  wordOf(row: number): number {
    return (row & (BLOCK - 1)) * this.#words;
  }

  /** A row, with whatever stood in it. */
  take(): number {
    this.#taken++;
    const row = this.#firstFree;
    if (row === NONE) {
      if (this.#used === this.room) this.#blocks.push(this.#made());
      return this.#used++;
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

  #made(): RowBlock {
    const bytes = this.#allocate(BLOCK * this.#words * 4);
    return {
      f64: new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8),
      i32: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4),
    };
  }
}
