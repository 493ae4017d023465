/** How many dialogs each method opened, by the state they are in: the method split of a list without a walk over it. */

import { DIALOG_STATES } from '../core/words.ts';

/** Method names above which the empty ones are looked for. */
const MANY_METHODS = 64;

type Opened = { readonly methodText: string };

export class MethodCounts {
  /** One count a state. Methods are text that anybody can send, so one that nothing opened any more is forgotten. */
  readonly #byMethod = new Map<string, { total: number; readonly byState: Uint32Array }>();
  /** Doubles with what is left, so that a flood of names costs each of them a constant. */
  #sweepAt = MANY_METHODS;
  #last = '';
  #lastCounts: { total: number; readonly byState: Uint32Array } | null = null;

  /** Adds `by` to the dialogs of this method in this state. */
  add({ methodText }: Opened, state: number, by: 1 | -1): void {
    const counts = this.#countsOf(methodText);
    counts.byState[state] = (counts.byState[state] ?? 0) + by;
    counts.total += by;
  }

  /** A dialog of this method goes from one state to another. */
  move({ methodText }: Opened, from: number, to: number): void {
    const { byState } = this.#countsOf(methodText);
    byState[from] = (byState[from] ?? 0) - 1;
    byState[to] = (byState[to] ?? 0) + 1;
  }

  /** Dialogs by method, of one state or, with null, of all. */
  split(state: number | null): Map<string, number> {
    const split = new Map<string, number>();
    for (const [method, { total, byState }] of this.#byMethod) {
      const count = state === null ? total : (byState[state] ?? 0);
      if (count > 0) split.set(method, count);
      else if (total === 0) this.#forget(method);
    }
    return split;
  }

  #countsOf(method: string): { total: number; readonly byState: Uint32Array } {
    if (this.#lastCounts !== null && method === this.#last) return this.#lastCounts;
    let counts = this.#byMethod.get(method);
    if (counts === undefined) {
      if (this.#byMethod.size >= this.#sweepAt) this.#sweep();
      counts = { total: 0, byState: new Uint32Array(DIALOG_STATES.length) };
      this.#byMethod.set(method, counts);
    }
    this.#last = method;
    this.#lastCounts = counts;
    return counts;
  }

  #sweep(): void {
    for (const [method, { total }] of this.#byMethod) if (total === 0) this.#forget(method);
    this.#sweepAt = Math.max(MANY_METHODS, this.#byMethod.size * 2);
  }

  #forget(method: string): void {
    this.#byMethod.delete(method);
    if (this.#last === method) this.#lastCounts = null;
  }
}
