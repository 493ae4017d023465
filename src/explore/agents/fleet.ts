/**
 * What all agents answer of themselves, as one: each within two seconds, and who is missing is named. Whoever asks meanwhile, or
 * shortly after, gets the same answer, so that many askers ask the agents once.
 */
import { AskPulse, AskSecurity, CaptureReport, Stats } from '../../contract/index.ts';
import { AGENT_HEALTH_BYTES, AGENT_REPORT_BYTES, AGENT_SECURITY_BYTES, AGENT_VALUES } from '../../core/hub-limits.ts';
import type { Pulse } from '../../view/pulse.ts';
import { readDocument } from '../remote/answers.ts';
import type { Agents, Missing } from './agents.ts';
import { addPulse, addReport, addSecurity, addStats, noPulse, noReport, noSecurity, noStats } from './fleet-sums.ts';

const HEALTH = { bytes: AGENT_HEALTH_BYTES, values: AGENT_VALUES, ms: 2_000 };
const SECURITY = { bytes: AGENT_SECURITY_BYTES, values: AGENT_VALUES, ms: 2_000 };
/** It looks at all calls of each agent. */
const REPORT = { bytes: AGENT_REPORT_BYTES, values: AGENT_VALUES, ms: 10_000 };
/** So long an answer is good. */
const FRESH_MS = 2_000;

export type Fleet = {
  stats(): Promise<{ readonly stats: Stats; readonly missing: readonly Missing[] }>;
  pulse(): Promise<Pulse>;
  security(): Promise<AskSecurity>;
  /** Not complete where an agent is missing. */
  captureReport(): Promise<CaptureReport>;
};

export function fleetOf(agents: Agents): Fleet {
  return {
    stats: shared(async () => {
      const stats = noStats();
      const missing = await agents.everywhere(
        (requests) => readDocument(requests, '/v1/stats', Stats, HEALTH),
        (_, one) => addStats(stats, one),
      );
      stats.capture_quality.degraded ||= missing.length > 0;
      return { stats, missing };
    }),
    pulse: shared(async () => {
      let pulse = noPulse();
      const missing = await agents.everywhere(
        (requests) => readDocument(requests, '/ask/pulse', AskPulse, HEALTH),
        (_, one) => {
          pulse = addPulse(pulse, one);
        },
      );
      return { ...pulse, isDegraded: pulse.isDegraded || missing.length > 0 };
    }),
    security: shared(async () => {
      const security = noSecurity();
      const missing = await agents.everywhere(
        (requests) => readDocument(requests, '/ask/security', AskSecurity, SECURITY),
        (host, one) => addSecurity(security, host, one),
      );
      return { ...security, missing: [...missing] };
    }),
    captureReport: shared(async () => {
      const report = noReport();
      const missing = await agents.everywhere(
        (requests) => readDocument(requests, '/v1/report', CaptureReport, REPORT),
        (host, one) => addReport(report, host, one),
      );
      return { ...report, complete: report.complete && missing.length === 0 };
    }),
  };
}

/** Asks once for all who ask at a time. */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  let atMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (made !== null && performance.now() - atMs < FRESH_MS) return made;
    atMs = Number.POSITIVE_INFINITY;
    made = make().finally(() => {
      atMs = performance.now();
    });
    return made;
  };
}
