/** Growable buffers for partial data, charged to one budget so that their sum has a cap. */

const SMALLEST = 2_048;
const LARGEST_POOLED = 64 * 1024;
const POOLED_PER_SIZE = 32;

/** Counts what is buffered; keeps a few freed arrays, because most partial messages are short-lived. */
export class ByteBudget {
  readonly limit: number;
  used = 0;
  readonly #free = new Map<number, Uint8Array[]>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get isExceeded(): boolean {
    return this.used > this.limit;
  }

  charge(bytes: number): void {
    this.used += bytes;
  }

  release(bytes: number): void {
    this.used -= bytes;
  }

  /** An array of at least `bytes`; its content is undefined. */
  take(bytes: number): Uint8Array {
    let size = SMALLEST;
    while (size < bytes) size *= 2;
    this.used += size;
    return this.#free.get(size)?.pop() ?? new Uint8Array(size);
  }

  give(array: Uint8Array): void {
    this.used -= array.length;
    if (array.length > LARGEST_POOLED) return;
    const list = this.#free.get(array.length);
    if (list === undefined) this.#free.set(array.length, [array]);
    else if (list.length < POOLED_PER_SIZE) list.push(array);
  }
}

const EMPTY = new Uint8Array(0);

/** Bytes [0, length) of `bytes`; `bytes` changes whenever it grows. The caller bounds what it appends. */
export class ByteBuffer {
  readonly #budget: ByteBudget;
  bytes: Uint8Array = EMPTY;
  length = 0;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  append(src: Uint8Array, start: number, end: number): void {
    const need = this.length + end - start;
    if (need > this.bytes.length) {
      const grown = this.#budget.take(need);
      if (this.length > 0) grown.set(this.bytes.subarray(0, this.length));
      if (this.bytes.length > 0) this.#budget.give(this.bytes);
      this.bytes = grown;
    }
    if (end - start < 24) {
      for (let i = start, o = this.length; i < end; i++, o++) this.bytes[o] = src[i] ?? 0;
    } else this.bytes.set(src.subarray(start, end), this.length);
    this.length = need;
  }

  /** Drops the first `n` bytes; gives the memory back when nothing is left. */
  dropFront(n: number): void {
    if (n >= this.length) this.clear();
    else if (n > 0) {
      this.bytes.copyWithin(0, n, this.length);
      this.length -= n;
    }
  }

  clear(): void {
    if (this.bytes.length > 0) this.#budget.give(this.bytes);
    this.bytes = EMPTY;
    this.length = 0;
  }
}
