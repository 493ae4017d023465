/** When a late event loop is a reason to refuse: when it stays late, not for one long turn such as the start itself. */

import { ProblemError } from '../../http/problem-error.ts';

/** Samples that must have been late one after the other. */
const LATE_SAMPLES = 2;

export type LoadShedder = {
  /** Notes one sample, in order. */
  sample(isLate: boolean): void;
  /** For each request that finds the last sample late; rejects when the request is to be refused. */
  onPressure(): Promise<void>;
};

export function createLoadShedder(): LoadShedder {
  let late = 0;
  return {
    sample(isLate) {
      late = isLate ? late + 1 : 0;
    },
    async onPressure() {
      if (late < LATE_SAMPLES) return;
      throw new ProblemError('overloaded', 'The event loop is late; try again.', { 'retry-after': '1' });
    },
  };
}
