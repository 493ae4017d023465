/**
 * Attackers that the detection reported: the latest alert of each source and kind, the newest first.
 */

import { capturedText } from '../analysis/captured-at.ts';
import type { AskAlert, AskSecurity } from '../contract/index.ts';
import type { SecurityAlert } from '../security/alert.ts';
import { alertText } from '../security/outputs/security-line.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { Figures } from './figures.ts';

export function toAskSecurity({ security, evidence }: Figures): AskSecurity {
  const alerts = security === null ? [] : [...security.reported].sort((a, b) => b.atUs - a.atUs);
  return {
    schema_version: 1,
    is_watching: security !== null,
    alerts: alerts.map((alert) => toAlert(alert, evidence.rules.names.of(alert.source), evidence.capture.clockSteps)),
  };
}

function toAlert(alert: SecurityAlert, name: string | null, steps: readonly ClockStep[]): AskAlert {
  const { evidence } = alert;
  const tallies = (map: ReadonlyMap<string | number, number>): AskAlert['codes'] =>
    [...map].map(([name, count]) => ({ name: name === 0 ? 'no answer' : String(name), count }));
  return {
    kind: alert.kind,
    behaviour: alert.behaviour,
    source: alert.source,
    ...(alert.net === null ? {} : { net: alert.net }),
    ...(name === null ? {} : { name }),
    at: capturedText(alert.atUs, steps),
    first_at: capturedText(evidence.firstUs, steps),
    count: evidence.count,
    method: alert.method,
    methods: tallies(evidence.methods),
    codes: tallies(evidence.codes),
    targets: [...evidence.targets],
    ...(alert.userAgent === '' ? {} : { user_agent: alert.userAgent }),
    text: alertText(alert),
  };
}
