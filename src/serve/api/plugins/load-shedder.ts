/** When a late event loop is a reason to refuse: when it stays late, not for one long turn and not while it starts. */

import { ProblemError } from '../../http/problem-error.ts';

/** Samples that must have been late one after the other. */
const LATE_SAMPLES = 2;

/**
 * Samples after the start that say nothing of the clients: making the routes alone is one long turn, and then files are
 * read by code that runs for the first time. On a machine with other work both took seconds, and the first who asked
 * were refused.
 */
const START_SAMPLES = 10;

export type LoadShedder = {
  /** Notes one sample, in order. */
  sample(isLate: boolean): void;
  /** For each request that finds the last sample late; rejects when the request is to be refused. */
  onPressure(): Promise<void>;
};

export function createLoadShedder(): LoadShedder {
  let late = 0;
  let sampled = 0;
  return {
    sample(isLate) {
      sampled++;
      late = isLate && sampled > START_SAMPLES ? late + 1 : 0;
    },
    async onPressure() {
      if (late < LATE_SAMPLES) return;
      throw new ProblemError('overloaded', 'The event loop is late; try again.', { 'retry-after': '1' });
    },
  };
}
