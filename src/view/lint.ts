/** Lint findings as the contract shows them. */

import type { LintResult as LintFindings } from '../analysis/lint/lint.ts';
import { LINT_RULES } from '../analysis/lint/lint.ts';
import { nearest } from '../config/spelling.ts';
import type { LintResult } from '../contract/index.ts';
import { failure } from '../core/errors.ts';
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

/** Throws ServiceError for the first name that no rule has: a misspelt --lint-suppress would leave its rule running. */
export function refuseUnknownRules(names: readonly string[]): void {
  const known = new Set(LINT_RULES.map((rule) => rule.id));
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const hint = meant === null ? 'the rule_id of each finding names its rule' : `did you mean ${JSON.stringify(meant)}?`;
  throw failure('LINT_RULE_UNKNOWN', { rule: JSON.stringify(unknown), hint });
}
