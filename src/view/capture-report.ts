/** The report over the whole capture as the contract shows it. */

import type { Finding } from '../analysis/capture-findings.ts';
import type { CaptureFinding } from '../contract/index.ts';
import { timestampText } from './timestamp.ts';

export function toCaptureFinding(f: Finding): CaptureFinding {
  return {
    kind: f.kind,
    severity: f.severity,
    occurrences: f.occurrences,
    unit: f.unit,
    evidence: f.examples.map((e) => ({
      ...(e.callId === undefined ? {} : { call_id: e.callId }),
      ...(e.endpoints === undefined ? {} : { endpoints: [...e.endpoints] }),
      ...(e.atUs === undefined ? {} : { at: timestampText(e.atUs) }),
      ...(e.note === undefined ? {} : { note: e.note }),
    })),
    evidence_omitted: f.severity === 'blind' ? 0 : Math.max(0, f.occurrences - f.examples.length),
  };
}
