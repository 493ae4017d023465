/**
 * Runs the lint rules over the messages of one dialog.
 */

import type { Steps } from '../../core/turns.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Messages } from '../../store/stores.ts';
import { lintCall } from './context.ts';
import type { LintRule, LintRuleRow, LintStream } from './rule.ts';
import { DIALOG_RULES } from './rules-dialog.ts';
import { HEADER_RULES } from './rules-header.ts';
import { MANDATORY_RULES } from './rules-mandatory.ts';
import { MEDIA_RULES } from './rules-media.ts';
import { RESPONSE_RULES } from './rules-response.ts';
import { SDP_RULES } from './rules-sdp.ts';
import { SDP_MEDIA_RULES } from './rules-sdp-media.ts';
import { SYNTAX_RULES } from './rules-syntax.ts';

const ROWS: readonly LintRuleRow[] = [
  ...MANDATORY_RULES,
  ...SYNTAX_RULES,
  ...HEADER_RULES,
  ...DIALOG_RULES,
  ...RESPONSE_RULES,
  ...SDP_RULES,
  ...SDP_MEDIA_RULES,
  ...MEDIA_RULES,
];
export const LINT_RULES: readonly LintRule[] = ROWS.map((row) => ({ basis: 'must', rfc: 3261, ...row }));

/** Findings of one rule in one dialog. */
const FINDINGS_A_RULE = 25;
const OBSERVED_CHARS = 300;

export type LintFinding = { readonly rule: LintRule; readonly messageIndex: number; readonly observed: string };

export type LintResult = {
  /** In the order of the messages. */
  readonly findings: readonly LintFinding[];
  /** Messages that were not looked at: those before them hold LINT_BYTES. */
  readonly unread: number;
};

/** `suppressed` are ids of rules that are not run. A step a message read, and one a rule. */
export function* lintDialog(
  d: Dialog,
  log: Messages,
  streams: readonly LintStream[],
  suppressed: ReadonlySet<string>,
): Steps<LintResult> {
  const call = yield* lintCall(d, log, streams);
  const counts = new Map<LintRule, number>();
  const findings: LintFinding[] = [];
  for (const m of call.messages)
    for (const rule of LINT_RULES) {
      yield;
      const count = counts.get(rule) ?? 0;
      if (count >= FINDINGS_A_RULE || suppressed.has(rule.id)) continue;
      const observed = rule.check(m, call);
      if (observed === null) continue;
      counts.set(rule, count + 1);
      findings.push({ rule, messageIndex: m.index, observed: observed.slice(0, OBSERVED_CHARS) });
    }
  return { findings, unread: call.unread };
}
