/**
 * Tells until when a live session has read everything that was captured. What waits in a ring is older than the clock on the
 * wall. Whoever judged by the wall clock would find requests unanswered although their answers are still in the ring, and
 * would not count an attacker who keeps the program busy for two seconds.
 */

export class LiveClock {
  readonly #everyUs: number;
  #wallUs = Number.NaN;
  #nowUs = Number.NEGATIVE_INFINITY;
  /** How old was what was read since the last question, and before that one. */
  #lagUs = 0;
  #lagBeforeUs = 0;

  /** `everyUs`: how often it is asked; later than that means that the event loop stood still. */
  constructor(everyUs: number) {
    this.#everyUs = everyUs;
  }

  /** What was captured at `capturedUs` is read when the wall shows `wallUs`. */
  onRead(capturedUs: number, wallUs: number): void {
    this.#lagUs = Math.max(this.#lagUs, wallUs - capturedUs);
  }

  /** The time of the capture when the wall shows `wallUs`; it never falls. */
  at(wallUs: number): number {
    const lateUs = Number.isNaN(this.#wallUs) ? 0 : wallUs - this.#wallUs - this.#everyUs;
    const behindUs = Math.max(0, lateUs, this.#lagUs, this.#lagBeforeUs);
    this.#wallUs = wallUs;
    this.#lagBeforeUs = Math.max(this.#lagUs, lateUs);
    this.#lagUs = 0;
    this.#nowUs = Math.max(this.#nowUs, wallUs - behindUs);
    return this.#nowUs;
  }
}
