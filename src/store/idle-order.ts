/**
 * Slots in the order they were last touched: a doubly linked list of two integers a slot.
 *
 * As links between the objects themselves, each touch would write into three objects that lie far apart, and tell the
 * garbage collector of each.
 */
const FIRST_SLOTS = 1024;
const NONE = -1;

export class IdleOrder {
  /** The slot touched before this one, and the one touched after it. */
  #links: Int32Array = new Int32Array(FIRST_SLOTS * 2);
  #oldest = NONE;
  #newest = NONE;

  /** The slot idle longest; -1 when there is none. */
  get oldest(): number {
    return this.#oldest;
  }

  /** A slot that is not in the list, as the one touched last. */
  add(slot: number): void {
    if (slot * 2 >= this.#links.length) {
      const larger = new Int32Array(Math.max(this.#links.length, slot + 1) * 2);
      larger.set(this.#links);
      this.#links = larger;
    }
    this.#links[2 * slot] = this.#newest;
    this.#links[2 * slot + 1] = NONE;
    if (this.#newest === NONE) this.#oldest = slot;
    else this.#links[2 * this.#newest + 1] = slot;
    this.#newest = slot;
  }

  touch(slot: number): void {
    if (slot === this.#newest) return;
    this.remove(slot);
    this.add(slot);
  }

  /** A slot that is in the list. */
  remove(slot: number): void {
    const older = this.#links[2 * slot] ?? NONE;
    const newer = this.#links[2 * slot + 1] ?? NONE;
    if (older === NONE) this.#oldest = newer;
    else this.#links[2 * older + 1] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#links[2 * newer] = older;
  }
}
