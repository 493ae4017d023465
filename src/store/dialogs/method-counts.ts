/** How many dialogs each method opened, by the state they are in: the method split of a list without a walk over it. */

import { DIALOG_STATES } from '../../core/words.ts';

/** Names of unknown methods; beyond it the log drops names that no dialog has any more. @cap */
const MAX_OTHER_METHODS = 64;

/** `knownMethod` is the METHOD id that says the method's text, or -1. */
type Opened = { readonly methodText: string; readonly knownMethod: number };
type Counts = { total: number; readonly byState: Uint32Array };

export class MethodCounts {
  /** One count a state. Methods are text that anybody can send, so one that nothing opened any more is forgotten. */
  readonly #byMethod = new Map<string, Counts>();
  /** The same by METHOD id, once one was asked for. */
  #byKnown: (Counts | undefined)[] = [];
  /** Doubles with what is left, so that a flood of names costs each of them a constant. */
  #sweepAt = MAX_OTHER_METHODS;

  /** Adds `by` to the dialogs of this method in this state. */
  add(opened: Opened, state: number, by: 1 | -1): void {
    const counts = this.#countsOf(opened);
    counts.byState[state] = (counts.byState[state] ?? 0) + by;
    counts.total += by;
  }

  /** A dialog of this method goes from one state to another. */
  move(opened: Opened, from: number, to: number): void {
    const { byState } = this.#countsOf(opened);
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

  #countsOf(opened: Opened): Counts {
    const { knownMethod } = opened;
    if (knownMethod < 0) return this.#countsOfText(opened.methodText);
    const known = this.#byKnown[knownMethod] ?? this.#countsOfText(opened.methodText);
    this.#byKnown[knownMethod] = known;
    return known;
  }

  #countsOfText(method: string): Counts {
    let counts = this.#byMethod.get(method);
    if (counts === undefined) {
      if (this.#byMethod.size >= this.#sweepAt) this.#sweep();
      counts = { total: 0, byState: new Uint32Array(DIALOG_STATES.length) };
      this.#byMethod.set(method, counts);
    }
    return counts;
  }

  #sweep(): void {
    for (const [method, { total }] of this.#byMethod) if (total === 0) this.#forget(method);
    this.#sweepAt = Math.max(MAX_OTHER_METHODS, this.#byMethod.size * 2);
  }

  #forget(method: string): void {
    this.#byMethod.delete(method);
    this.#byKnown = [];
  }
}
