/** Findings in calls that ended, by the trunk of the call or the class of the phone. */
import { PairCounts } from './plain-counts.ts';

/** Pairs of a trunk, or a class, and a finding with counts of their own; others count as the finding `other`. @cap */
const FINDING_PAIRS_SHOWN = 1_500;

export const FINDING_PAIRS = FINDING_PAIRS_SHOWN;

/** Places that are kept for `other`: as many as there are trunks, or classes. */
const KEPT = 60;
const OTHER_FINDING = 'other';
/** Calls that ended in a second with too many to look at. */
export const NOT_JUDGED = 'not-judged';

export class FindingCounts {
  readonly pairs = new PairCounts();

  add(label: string, finding: string): void {
    const { pairs } = this;
    const isFull = !pairs.has(label, finding) && pairs.size >= FINDING_PAIRS_SHOWN - KEPT;
    pairs.add(label, isFull ? OTHER_FINDING : finding);
  }
}
