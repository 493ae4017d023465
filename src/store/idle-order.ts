/**
 * Who has been idle longest: a binary heap of slots by the time of their last touch, each as it stood when last looked at.
 *
 * A touch writes nothing here, only the time in the dialog itself, which its message has in the cache anyway: as links
 * between neighbours, each would write into three places far apart. Times only grow, so the least one that is still true
 * is the least of all.
 */
const FIRST_SLOTS = 1024;
/** Times looked after at each dialog that is added to a heap half full, so that little is left to do when it is full. */
const LOOKED_AFTER = 4;

/** When the dialog in a slot was last touched; it never falls. */
export type TouchedAt = (slot: number) => number;

export class IdleOrder {
  readonly #touchedAt: TouchedAt;
  #slots = new Int32Array(FIRST_SLOTS);
  #times = new Float64Array(FIRST_SLOTS);
  #size = 0;
  readonly #half: number;

  /** `most` is how many slots there will be. */
  constructor(most: number, touchedAt: TouchedAt) {
    this.#half = most / 2;
    this.#touchedAt = touchedAt;
  }

  get size(): number {
    return this.#size;
  }

  /** A slot that is not in the heap, touched last of all. */
  add(slot: number): void {
    if (this.#size === this.#slots.length) this.#grow();
    const i = this.#size++;
    this.#slots[i] = slot;
    this.#times[i] = this.#touchedAt(slot);
    if (this.#size < this.#half) return;
    for (let n = 0; n < LOOKED_AFTER && this.#refresh(); n++);
  }

  /** Takes out the slot idle longest; -1 when there is none. */
  takeOldest(): number {
    if (this.#size === 0) return -1;
    while (this.#refresh());
    const oldest = this.#slots[0] ?? -1;
    const last = --this.#size;
    this.#sink(this.#slots[last] ?? -1, this.#times[last] ?? 0);
    return oldest;
  }

  /** Brings the first one's time up to date; false when it was. */
  #refresh(): boolean {
    const slot = this.#slots[0] ?? -1;
    const now = this.#touchedAt(slot);
    if (now === this.#times[0]) return false;
    this.#sink(slot, now);
    return true;
  }

  /** Puts a slot into the place of the first one, and where it belongs from there. */
  #sink(slot: number, time: number): void {
    const slots = this.#slots;
    const times = this.#times;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && (times[child + 1] ?? 0) < (times[child] ?? 0)) child++;
      const least = times[child] ?? 0;
      if (least >= time) break;
      slots[i] = slots[child] ?? -1;
      times[i] = least;
      i = child;
    }
    slots[i] = slot;
    times[i] = time;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const times = new Float64Array(this.#times.length * 2);
    slots.set(this.#slots);
    times.set(this.#times);
    this.#slots = slots;
    this.#times = times;
  }
}
