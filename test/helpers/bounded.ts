/**
 * That work is bounded, whatever the input: hostile input costs a parser of the wrong order seconds, one of the right
 * order milliseconds. This is no measurement of speed.
 */
import assert from 'node:assert/strict';

/** A machine that does other things takes the processor away for some hundred milliseconds, but not every time. */
const TRIES = 5;

/** Does the work, again while it took `limitMs` or longer; throws with `what` when it never took less. */
export function assertBounded(limitMs: number, what: string, work: () => void): void {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && least >= limitMs; i++) {
    const started = performance.now();
    work();
    least = Math.min(least, performance.now() - started);
  }
  assert.ok(least < limitMs, `${what}: ${least.toFixed(0)} ms at best`);
}
