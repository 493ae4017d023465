/** Lint findings as the contract shows them. */

import type { LintResult as LintFindings } from '../analysis/lint/lint.ts';
import { LINT_RULES } from '../analysis/lint/lint.ts';
import { nearest } from '../config/spelling.ts';
import type { LintResult } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import { failure } from '../core/errors.ts';
import { grouped } from '../core/maps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';

export function toLintResult(d: Dialog, { findings, unread }: LintFindings): LintResult {
  return {
    schema_version: 1,
    call_id: d.callId,
    finding_count: findings.length,
    findings: findings.map(({ rule, messageIndex, observed }) => ({
      rule_id: rule.id,
      severity: rule.severity,
      basis: rule.basis,
      rfc: rule.rfc,
      section: rule.section,
      message_index: messageIndex,
      observed,
      expected: rule.expected,
      explanation: rule.explanation,
    })),
    ...(unread === 0 ? {} : { messages_unread: unread }),
  };
}

/** Rules that a report names. */
const WORST = 3;

/** How many errors of the protocol the messages have, and the first of the worst rules; nothing where there is none. */
export function lintLines({ findings }: LintFindings): string[] {
  const errors = findings.filter(({ rule }) => rule.severity === 'error');
  if (errors.length === 0) return [];
  const byRule = [...grouped(errors, ({ rule }) => rule.id).values()].sort((a, b) => b.length - a.length);
  const named = byRule.slice(0, WORST).flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const { rule, messageIndex, observed } = first;
    const often = more.length === 0 ? '' : ` and ${more.length} more`;
    return `${rule.id} (RFC ${rule.rfc} ${rule.section}), message ${messageIndex}${often}: ${observed}`;
  });
  return [`${counted(errors.length, 'protocol error')} of ${counted(byRule.length, 'rule')}`, ...named];
}

/** Throws ServiceError for the first name that no rule has: a misspelt --lint-suppress would leave its rule running. */
export function refuseUnknownRules(names: readonly string[]): void {
  const known = new Set(LINT_RULES.map((rule) => rule.id));
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const hint = meant === null ? 'the rule_id of each finding names its rule' : `did you mean ${JSON.stringify(meant)}?`;
  throw failure('LINT_RULE_UNKNOWN', { rule: JSON.stringify(unknown), hint });
}
