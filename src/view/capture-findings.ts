/**
 * What is wrong across a whole capture: each kind of finding once, with how often it occurred and where to look.
 *
 * Severities: `blind` the capture shed something, so that counts are floors; `critical` callers heard nothing; `major`
 * calls failed or sounded bad; `minor` worth a look.
 */

import type { CaptureFinding, FindingEvidence } from '../contract/index.ts';

/** Examples kept of a kind. */
const EVIDENCE_KEPT = 10;

/** Here and not taken from the schema: a run that serves no API loads no schema. */
const WORST_FIRST: readonly CaptureFinding['severity'][] = ['blind', 'critical', 'major', 'minor'];

/** Every kind there is. */
const FINDINGS = {
  dialogs_evicted: ['blind', 'dialogs'],
  messages_evicted: ['blind', 'messages'],
  descriptions_evicted: ['blind', 'dialogs'],
  streams_evicted: ['blind', 'streams'],
  streams_refused: ['blind', 'streams'],
  packets_missed: ['critical', 'packets'],
  no_media: ['critical', 'dialogs'],
  one_way_audio: ['critical', 'dialogs'],
  icmp_unreachable: ['critical', 'dialogs'],
  /** Sources that the detection reported, while somebody asked for it. */
  fraud: ['critical', 'sources'],
  scanner: ['major', 'sources'],
  reg_flood: ['major', 'sources'],
  ack_missing: ['major', 'dialogs'],
  auth_loop: ['major', 'dialogs'],
  final_failure: ['major', 'dialogs'],
  nat_mismatch: ['major', 'dialogs'],
  no_final_response: ['major', 'dialogs'],
  packet_loss: ['major', 'streams'],
  poor_quality: ['major', 'streams'],
  registration_failure: ['major', 'dialogs'],
  /** The clock of the host was set while it captured. */
  clock_step: ['minor', 'steps'],
  high_jitter: ['minor', 'streams'],
  orphaned_stream: ['minor', 'streams'],
  post_dial_delay: ['minor', 'dialogs'],
  private_media_address: ['minor', 'dialogs'],
  /** The called side decided: busy, no answer, declined, unknown number. */
  refused_by_callee: ['minor', 'dialogs'],
  retransmissions: ['minor', 'dialogs'],
  source_disagreement: ['minor', 'dialogs'],
} as const satisfies Readonly<Record<string, readonly [CaptureFinding['severity'], CaptureFinding['unit']]>>;
export type FindingKind = keyof typeof FINDINGS;

export class CaptureFindings {
  readonly #byKind = new Map<FindingKind, CaptureFinding>();

  /** One more occurrence, or `times` of them; the first ones are kept as examples, and only those are asked for. */
  add(kind: FindingKind, example: (() => FindingEvidence) | null, times = 1): void {
    let finding = this.#byKind.get(kind);
    if (finding === undefined) {
      const [severity, unit] = FINDINGS[kind];
      finding = { kind, severity, occurrences: 0, unit, evidence: [], evidence_omitted: 0 };
      this.#byKind.set(kind, finding);
    }
    finding.occurrences += times;
    if (example !== null && finding.evidence.length < EVIDENCE_KEPT) finding.evidence.push(example());
    if (finding.severity !== 'blind') finding.evidence_omitted = finding.occurrences - finding.evidence.length;
  }

  /** Worst first, then by number. */
  list(): CaptureFinding[] {
    const rank = (f: CaptureFinding): number => WORST_FIRST.indexOf(f.severity);
    return [...this.#byKind.values()].sort(
      (a, b) => rank(a) - rank(b) || b.occurrences - a.occurrences || (a.kind < b.kind ? -1 : 1),
    );
  }
}
