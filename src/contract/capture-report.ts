/** The report over the whole capture: findings across all dialogs and streams, worst first. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { FINDING_SEVERITIES } from '../core/words.ts';
import { Count, DateTime, named, ref } from './schema.ts';

export const FindingEvidence = named(
  'FindingEvidence',
  Type.Object({
    host: Type.Optional(Type.String({ description: 'Of a hub: whose agent found it.' })),
    call_id: Type.Optional(Type.String()),
    endpoints: Type.Optional(Type.Array(Type.String())),
    at: Type.Optional(DateTime),
    note: Type.Optional(Type.String()),
  }),
);
export type FindingEvidence = Static<typeof FindingEvidence>;

export const CaptureFinding = named(
  'CaptureFinding',
  Type.Object({
    kind: Type.String(),
    severity: Type.Enum(FINDING_SEVERITIES),
    occurrences: Count,
    unit: Type.String(),
    evidence: Type.Array(ref(FindingEvidence), { maxItems: 10 }),
    evidence_omitted: Count,
  }),
);
export type CaptureFinding = Static<typeof CaptureFinding>;

export const CaptureReport = named(
  'CaptureReport',
  Type.Object({
    frames_read: Count,
    dialogs_examined: Count,
    streams_examined: Count,
    complete: Type.Boolean({ description: 'False: a retention cap shed something and counts are floors.' }),
    findings: Type.Array(ref(CaptureFinding)),
  }),
);
export type CaptureReport = Static<typeof CaptureReport>;
