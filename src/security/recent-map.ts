/** A map with a cap whose longest unused entry gives first: what the detection remembers under keyed hashes. */

export class RecentMap<V> {
  readonly #max: number;
  readonly #entries = new Map<number, V>();
  /** Entries that the cap shed. */
  evicted = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: number): V | undefined {
    return this.#entries.get(key);
  }

  /** Sets an entry as the one used last. */
  set(key: number, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      this.evicted++;
      return;
    }
  }

  delete(key: number): void {
    this.#entries.delete(key);
  }

  /** Removes entries from the longest unused on, as long as `isOld` holds. */
  expire(isOld: (value: V) => boolean): void {
    for (const [key, value] of this.#entries) {
      if (!isOld(value)) return;
      this.#entries.delete(key);
    }
  }
}
