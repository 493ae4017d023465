/**
 * Calls summed up: by what is wrong with them, and registrations by who registers from where.
 */
import type { Evidence } from '../analysis/evidence.ts';
import type { AskFinding, AskFindings, AskRegistration, AskRegistrations } from '../contract/index.ts';
import { MAX_REGISTRATIONS_SHOWN } from '../core/item-limits.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { toCallRow } from './call-row.ts';
import { timestampText } from './captured-at.ts';

const EXAMPLES = 5;
const CODES = 50;

type Tally = { calls: number; newestUs: number; readonly callIds: string[] };

/** A step a call; calls come oldest first. */
export function* findingsSteps(e: Evidence, dialogs: readonly Dialog[]): Steps<AskFindings> {
  const byFinding = new Map<string, Tally>();
  const byCode = new Map<string, Tally & { readonly code: number; readonly reason: string }>();
  for (const d of dialogs) {
    yield;
    if (e.stores.dialogs.bySlot(d.slot) !== d) continue;
    const row = toCallRow(e, d);
    for (const name of row.findings) count(byFinding, name, () => newTally(), d);
    const { code, reason } = row;
    if (code === null || code < 400) continue;
    const key = `${code} ${reason}`;
    if (byCode.size < CODES || byCode.has(key)) count(byCode, key, () => ({ ...newTally(), code, reason }), d);
  }
  const findings = [...byFinding].map(
    ([finding, { calls, newestUs, callIds }]): AskFinding => ({
      finding,
      calls,
      newest_at: timestampText(newestUs),
      call_ids: callIds.reverse(),
    }),
  );
  return {
    schema_version: 1,
    calls: dialogs.length,
    findings: findings.sort((a, b) => b.calls - a.calls || (a.finding < b.finding ? -1 : 1)),
    codes: [...byCode.values()]
      .map(({ code, reason, calls, callIds }) => ({ code, reason, calls, call_ids: callIds.reverse() }))
      .sort((a, b) => b.calls - a.calls || a.code - b.code),
  };
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

/** A step a dialog; one row a user and address, the newest first. */
export function* registrationsSteps(e: Evidence, dialogs: readonly Dialog[]): Steps<AskRegistrations> {
  const rows = new Map<string, AskRegistration>();
  for (const d of dialogs) {
    yield;
    if (e.stores.dialogs.bySlot(d.slot) !== d || d.methodText !== 'REGISTER') continue;
    const row = toCallRow(e, d);
    const src = row.src.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    const key = `${row.to} ${src}`;
    const before = rows.get(key);
    // In order of the newest: the row moves to the end.
    rows.delete(key);
    const name = e.rules.names.of(src);
    rows.set(key, {
      user: row.to,
      src,
      ...(name === null ? {} : { name }),
      state: row.state,
      attempts: (before?.attempts ?? 0) + 1,
      failed: (before?.failed ?? 0) + (row.state === 'Failed' ? 1 : 0),
      last_at: timestampText(d.updatedUs),
      ...(row.userAgent === '' ? {} : { user_agent: row.userAgent }),
      ...(row.code === null ? {} : { code: row.code }),
      ...(row.reason === '' ? {} : { reason: row.reason }),
      call_id: d.callId,
    });
  }
  const all = [...rows.values()].reverse();
  return { schema_version: 1, total: all.length, registrations: all.slice(0, MAX_REGISTRATIONS_SHOWN) };
}
