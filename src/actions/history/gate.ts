/**
 * The persistence gate as the thread sees it that writes indexes: a word of shared memory says whether anything may be written,
 * another whether something is being written.
 */

const OPEN = 0;
const BUSY = 1;
/** Whoever closes the gate waits so long for a disk at most. */
const WAIT_MS = 2_000;

export class SharedGate {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  get isOpen(): boolean {
    return Atomics.load(this.#words, OPEN) === 1;
  }

  /** When this returns after `false`, nothing is written any more. */
  set(isOpen: boolean): void {
    Atomics.store(this.#words, OPEN, Number(isOpen));
    if (!isOpen && Atomics.load(this.#words, BUSY) === 1) Atomics.wait(this.#words, BUSY, 1, WAIT_MS);
  }

  /** Runs work that writes, where the gate is open; false where it is closed. */
  write(work: () => void): boolean {
    Atomics.store(this.#words, BUSY, 1);
    try {
      // Only now: whoever closes it waits for what is busy.
      if (!this.isOpen) return false;
      work();
      return true;
    } finally {
      Atomics.store(this.#words, BUSY, 0);
      Atomics.notify(this.#words, BUSY);
    }
  }
}
