/** Calls summed up by what is wrong with them. */

import { capturedText } from '../analysis/captured-at.ts';
import type { AskFinding, AskFindings, TrunkDown, TrunkTroubled } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import { callOf } from './call.ts';
import { RatioCount } from './call-ratios.ts';
import type { Figures } from './figures.ts';
import { troublesOf } from './trunk-words.ts';

const EXAMPLES = 5;
const CODES = 50;

type Named = Pick<TrunkDown, 'trunk' | 'direction'>;

type Tally = { calls: number; newestUs: number; readonly callIds: string[] };

/** A step a call; calls come oldest first. */
export function* findingsSteps(f: Figures, dialogs: readonly Dialog[]): Steps<AskFindings> {
  const { evidence: e } = f;
  const ratios = new RatioCount();
  const byFinding = new Map<string, Tally>();
  const byCode = new Map<string, Tally & { readonly code: number; readonly reason: string }>();
  yield* visitEach(e.stores.dialogs, dialogs, (d) => {
    ratios.add(d);
    const call = callOf(e, d);
    for (const name of call.findings) count(byFinding, name, () => newTally(), d);
    const { code, reason = '' } = call;
    const key = `${code} ${reason}`;
    if (code !== undefined && code >= 400 && (byCode.size < CODES || byCode.has(key)))
      count(byCode, key, () => ({ ...newTally(), code, reason }), d);
  });
  const findings = [...byFinding].map(
    ([finding, { calls, newestUs, callIds }]): AskFinding => ({
      finding,
      calls,
      newest_at: capturedText(newestUs, e.capture.clockSteps),
      call_ids: callIds.reverse(),
    }),
  );
  return {
    schema_version: 1,
    calls: dialogs.length,
    ratios: ratios.ratios,
    ...trunksWrong(f),
    findings: findings.sort((a, b) => b.calls - a.calls || (a.finding < b.finding ? -1 : 1)),
    codes: [...byCode.values()]
      .map(({ code, reason, calls, callIds }) => ({ code, reason, calls, call_ids: callIds.reverse() }))
      .sort((a, b) => b.calls - a.calls || a.code - b.code),
  };
}

/** Trunks with a name that are down, and those that answer and are in trouble. */
function trunksWrong({ trunks, evidence }: Figures): Pick<AskFindings, 'trunks_down' | 'trunks_troubled'> {
  const { nowUs, clockSteps } = evidence.capture;
  const down: TrunkDown[] = [];
  const troubled: TrunkTroubled[] = [];
  for (const row of trunks?.store.rows ?? []) {
    if (!row.isConfigured) continue;
    const { name: trunk, direction } = row;
    const { state, sinceUs } = row.stateAt(nowUs);
    if (state === 'down') down.push({ trunk, direction, since: capturedText(sinceUs, clockSteps) });
    for (const trouble of troublesOf(row, nowUs, clockSteps))
      if (trouble.trouble !== 'down') troubled.push({ trunk, direction, ...trouble });
  }
  return { trunks_down: down.sort(byTrunk), trunks_troubled: troubled.sort(byTrunk) };
}

/** By name, and of one trunk in the order of its rows. */
export function byTrunk(a: Named, b: Named): number {
  return a.trunk < b.trunk
    ? -1
    : a.trunk > b.trunk
      ? 1
      : a.direction < b.direction
        ? -1
        : Number(a.direction > b.direction);
}

function newTally(): Tally {
  return { calls: 0, newestUs: 0, callIds: [] };
}

function count<T extends Tally>(tallies: Map<string, T>, key: string, make: () => T, d: Dialog): void {
  const tally = tallies.get(key) ?? make();
  tallies.set(key, tally);
  tally.calls++;
  tally.newestUs = d.createdUs;
  tally.callIds.push(d.callId);
  if (tally.callIds.length > EXAMPLES) tally.callIds.shift();
}
