/**
 * Counts what is wrong across a whole capture: each kind of finding once, with how often it occurred and where to look. Here
 * our names of findings become the kinds of `/v1/report`.
 */

import type { AnyFinding } from '../analysis/finding-table.ts';
import { FINDINGS } from '../analysis/finding-table.ts';
import type { CaptureFinding, FindingEvidence } from '../contract/index.ts';
import { FINDING_SEVERITIES } from '../core/words.ts';

/** Examples kept of a kind. */
const EVIDENCE_KEPT = 10;

export class CaptureFindings {
  readonly #byName = new Map<AnyFinding, CaptureFinding>();

  /**
   * One more occurrence, or `times` of them; the first ones are kept as examples, and only those are asked for. A finding
   * without a word in the report is left out.
   */
  add(name: AnyFinding, example: (() => FindingEvidence) | null, times = 1): void {
    let finding = this.#byName.get(name);
    if (finding === undefined) {
      const { severity, unit, v1 } = FINDINGS[name];
      if (v1?.report === undefined || severity === 'note') return;
      finding = { kind: v1.report, severity, occurrences: 0, unit, evidence: [], evidence_omitted: 0 };
      this.#byName.set(name, finding);
    }
    finding.occurrences += times;
    if (example !== null && finding.evidence.length < EVIDENCE_KEPT) finding.evidence.push(example());
    if (finding.severity !== 'blind') finding.evidence_omitted = finding.occurrences - finding.evidence.length;
  }

  /** Worst first, then by number. */
  list(): CaptureFinding[] {
    const rank = (f: CaptureFinding): number => FINDING_SEVERITIES.indexOf(f.severity);
    return [...this.#byName.values()].sort(
      (a, b) => rank(a) - rank(b) || b.occurrences - a.occurrences || (a.kind < b.kind ? -1 : 1),
    );
  }
}
