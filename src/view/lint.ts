/** Lint findings as the contract shows them. */

import type { LintFinding } from '../analysis/lint/lint.ts';
import type { LintResult } from '../contract/index.ts';
import type { Dialog } from '../store/dialog.ts';

export function toLintResult(d: Dialog, findings: readonly LintFinding[]): LintResult {
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
  };
}
