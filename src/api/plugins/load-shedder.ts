/** When a late event loop is a reason to refuse: when it stays late, not for one long turn such as the start itself. */

import { ProblemError } from '../problem.ts';

/** Samples that must have been late one after the other. */
const LATE_SAMPLES = 1.5;

/** To be called for each request that finds the last sample late; rejects when the request is to be refused. */
export function createLoadShedder(
  sampleMs: number,
  nowMs: () => number = () => performance.now(),
): () => Promise<void> {
  let lateSinceMs = -Infinity;
  let lateAtMs = -Infinity;
  return async () => {
    const now = nowMs();
    // A sample in between was in time, or nobody asked meanwhile.
    if (now - lateAtMs > 2 * sampleMs) lateSinceMs = now;
    lateAtMs = now;
    if (now - lateSinceMs < LATE_SAMPLES * sampleMs) return;
    throw new ProblemError('overloaded', 'The event loop is late; try again.', { 'retry-after': '1' });
  };
}
