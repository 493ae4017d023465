/**
 * An answer about the whole capture: who asks while it is worked out gets the same, and while nothing changed the last one
 * stands. One that takes long may stand for a while longer.
 */
import type { Turns } from '../core/turns.ts';

export type Question<T> = {
  /** Another one when what the answer is made of has changed. */
  readonly key: () => string | number;
  readonly make: () => Promise<T>;
  /** What it makes where too many others are at work: an answer of before is better. */
  readonly nothing?: T;
  /**
   * So many milliseconds an answer stands while things change, by how many it took; after it the next one is begun, and
   * after as many again waited for.
   */
  readonly standsMs: (tookMs: number) => number;
};

type Answer<T> = { readonly key: string | number; readonly value: T; readonly atMs: number; readonly standsMs: number };

export class StandingAnswer<T> {
  readonly #question: Question<T>;
  readonly #turns: Turns;
  #last: Answer<T> | null = null;
  #running: Promise<T> | null = null;

  constructor(question: Question<T>, turns: Turns) {
    this.#question = question;
    this.#turns = turns;
  }

  read(): Promise<T> {
    const last = this.#last;
    if (last?.key === this.#question.key()) return Promise.resolve(last.value);
    const ageMs = last === null ? Number.POSITIVE_INFINITY : this.#turns.nowMs - last.atMs;
    if (last !== null && ageMs < last.standsMs) return Promise.resolve(last.value);
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
    });
    return last !== null && ageMs < 2 * last.standsMs ? Promise.resolve(last.value) : this.#running;
  }

  async #work(): Promise<T> {
    const { key, make, nothing, standsMs } = this.#question;
    const begun = { key: key(), ms: this.#turns.nowMs };
    const value = await make();
    if (value === nothing) return this.#last?.value ?? value;
    const atMs = this.#turns.nowMs;
    this.#last = { key: begun.key, value, atMs, standsMs: standsMs(atMs - begun.ms) };
    return value;
  }
}
