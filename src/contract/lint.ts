/** Lint findings of one dialog: which sentence of which RFC the wire breaks. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, named, ref, SchemaVersion1 } from './schema.ts';

export const LintFinding = named(
  'LintFinding',
  Type.Object({
    rule_id: Type.String(),
    severity: Type.Enum(['error', 'warning', 'notice', 'info']),
    basis: Type.Enum(['must', 'should', 'interop', 'observation']),
    rfc: Type.Integer({ minimum: 0 }),
    section: Type.String(),
    message_index: Count,
    observed: Type.String(),
    expected: Type.String(),
    explanation: Type.String(),
  }),
);
export type LintFinding = Static<typeof LintFinding>;

export const LintResult = named(
  'LintResult',
  Type.Object({
    schema_version: SchemaVersion1,
    call_id: Type.String(),
    finding_count: Count,
    findings: Type.Array(ref(LintFinding)),
    messages_unread: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Messages that no rule looked at, because those before them hold 4 MiB; absent when all were.',
      }),
    ),
  }),
);
export type LintResult = Static<typeof LintResult>;
