/**
 * Plans when to look at each call next, by the second. A call that becomes due earlier moves. A call that becomes due later
 * stays where it is.
 */

/** `dueSec` is infinite where nothing is due. */
export type Due = { dueSec: number };

export class Agenda<T extends Due> {
  readonly #bySecond = new Map<number, T[]>();
  #nextSec = Number.POSITIVE_INFINITY;

  /** At the latest in this second. */
  note(one: T, sec: number): void {
    if (one.dueSec <= sec) return;
    one.dueSec = sec;
    const others = this.#bySecond.get(sec);
    if (others === undefined) this.#bySecond.set(sec, [one]);
    else others.push(one);
    if (sec < this.#nextSec) this.#nextSec = sec;
  }

  /** Takes out what is due up to this second, the earliest first. */
  *due(nowSec: number): Generator<T> {
    if (this.#nextSec > nowSec) return;
    const seconds = [...this.#bySecond.keys()].filter((sec) => sec <= nowSec).sort((a, b) => a - b);
    for (const sec of seconds) {
      const all = this.#bySecond.get(sec) ?? [];
      this.#bySecond.delete(sec);
      for (const one of all) {
        if (one.dueSec !== sec) continue;
        one.dueSec = Number.POSITIVE_INFINITY;
        yield one;
      }
    }
    this.#nextSec = Math.min(Number.POSITIVE_INFINITY, ...this.#bySecond.keys());
  }
}
