/**
 * Work that can rest: a generator that yields wherever it may be interrupted, a millisecond apart or less. Turns takes its
 * steps in slices; who holds nobody up takes them all at once.
 */
export type Steps<T> = Generator<void, T, void>;

/** All steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
