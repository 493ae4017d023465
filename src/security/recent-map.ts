/**
 * A map with a cap: the entry that was unused longest goes first. It holds what the detection remembers, mostly under keyed
 * hashes.
 */
import { dropOldest } from '../core/maps.ts';

export class RecentMap<V, K = number> {
  readonly #max: number;
  readonly #entries = new Map<K, V>();
  /** Entries that the cap shed. */
  evicted = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Sets an entry as the one used last. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    dropOldest(this.#entries);
    this.evicted++;
  }

  delete(key: K): void {
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
