/**
 * Slots in the order they were last touched: a doubly linked list in two integer columns.
 *
 * As links between the objects themselves, each touch would write into three objects that lie far apart, and tell the
 * garbage collector of each.
 */
const FIRST_SLOTS = 1024;
const NONE = -1;

export class IdleOrder {
  #older: Int32Array = new Int32Array(FIRST_SLOTS).fill(NONE);
  #newer: Int32Array = new Int32Array(FIRST_SLOTS).fill(NONE);
  #oldest = NONE;
  #newest = NONE;

  /** The slot idle longest; -1 when there is none. */
  get oldest(): number {
    return this.#oldest;
  }

  /** A slot that is not in the list, as the one touched last. */
  add(slot: number): void {
    if (slot >= this.#older.length) {
      this.#older = grown(this.#older, slot);
      this.#newer = grown(this.#newer, slot);
    }
    this.#older[slot] = this.#newest;
    this.#newer[slot] = NONE;
    if (this.#newest === NONE) this.#oldest = slot;
    else this.#newer[this.#newest] = slot;
    this.#newest = slot;
  }

  touch(slot: number): void {
    if (slot === this.#newest) return;
    this.remove(slot);
    this.add(slot);
  }

  /** A slot that is in the list. */
  remove(slot: number): void {
    const older = this.#older[slot] ?? NONE;
    const newer = this.#newer[slot] ?? NONE;
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
  }
}

function grown(column: Int32Array, slot: number): Int32Array {
  const larger = new Int32Array(Math.max(column.length * 2, slot + 1)).fill(NONE);
  larger.set(column);
  return larger;
}
