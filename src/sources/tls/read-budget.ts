/**
 * How much of one file is read and searched, its debug file included: a file that asks for more is left out. Every way of
 * reading takes time in proportion to these bytes, whatever the file says.
 */

/**
 * Bytes read of one file and its debug file together; a file that asks for more gets no probe (`uprobe_files_unread`). The
 * largest programs of Go need a quarter.
 *
 * @cap
 */
export const MAX_PROGRAM_READ_BYTES = 128 * 1024 * 1024;

/** Bytes that a single read counts for at least. @cap */
const LEAST_PROGRAM_READ_BYTES = 512;

/** To search a byte takes a part of what it takes to read one. */
const SEARCHED_PER_READ = 8;
/** Bytes that could be read meanwhile. */
const LOOK_BYTES = 32;

export class ReadBudget {
  #left: number;

  constructor(mostBytes = MAX_PROGRAM_READ_BYTES) {
    this.#left = mostBytes;
  }

  /** Whether something was left out: what is known of the file is not all. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Before bytes are read; false when they may not be. */
  mayRead(bytes: number): boolean {
    return this.#spend(Math.max(bytes, LEAST_PROGRAM_READ_BYTES));
  }

  /** Before bytes that were read are searched once more. */
  maySearch(bytes: number): boolean {
    return this.#spend(bytes / SEARCHED_PER_READ);
  }

  /** Before what was found is looked at: a mark, a note. */
  mayLook(): boolean {
    return this.#spend(LOOK_BYTES);
  }

  #spend(bytes: number): boolean {
    // What is refused once stays refused, also a smaller one after it.
    this.#left = this.#left < bytes ? -1 : this.#left - bytes;
    return this.#left >= 0;
  }
}
