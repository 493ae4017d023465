/** Lint findings as the contract shows them. */

import type { LintResult as Found } from '../analysis/lint/lint.ts';
import type { LintResult } from '../contract/index.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';

export function toLintResult(d: Dialog, { findings, unread }: Found): LintResult {
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
