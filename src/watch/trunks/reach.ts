/**
 * Whether a trunk can be reached, by the requests it answers: down after so many in a row without any answer, up after one.
 */

/** The last of them gets this long for its answer. */
const GRACE_US = 2e6;

export type Outage = { readonly fromUs: number; readonly toUs: number };

export class Reach {
  /** Requests in a row without any answer after which it is down. */
  readonly #most: number;
  #unanswered = 0;
  /** The first of these, and the one that was too many; NaN without one. */
  #firstUs = Number.NaN;
  #lastStrawUs = Number.NaN;
  /** When it was asked last, and when it answered last; NaN never. */
  askedUs = Number.NaN;
  answeredUs = Number.NaN;
  /** Since when it has answered without an outage; NaN where it never did. */
  upUs = Number.NaN;
  outages = 0;
  lastOutage: Outage | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  asked(tsUs: number): void {
    this.askedUs = this.askedUs >= tsUs ? this.askedUs : tsUs;
    if (this.#unanswered === 0) this.#firstUs = tsUs;
    this.#unanswered++;
    if (this.#unanswered === this.#most) this.#lastStrawUs = tsUs;
  }

  /** Some answer came, to whatever request. */
  answered(tsUs: number): void {
    this.answeredUs = this.answeredUs >= tsUs ? this.answeredUs : tsUs;
    if (this.isDown(tsUs)) {
      this.outages++;
      this.lastOutage = { fromUs: this.#firstUs, toUs: tsUs };
      this.upUs = tsUs;
    } else if (Number.isNaN(this.upUs)) this.upUs = tsUs;
    this.forget();
  }

  /** Requests without an answer say nothing any more: what asks otherwise was answered since. */
  forget(): void {
    this.#unanswered = 0;
    this.#lastStrawUs = Number.NaN;
  }

  isDown(nowUs: number): boolean {
    return nowUs >= this.#lastStrawUs + GRACE_US;
  }

  /** The first request without an answer, where it is down. */
  get downUs(): number {
    return this.#firstUs;
  }
}
