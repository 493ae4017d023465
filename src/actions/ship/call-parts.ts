/** What of a call is shipped beside its document, read from the stores: columns and messages. */
import type { CallMessage } from '../../analysis/call-messages.ts';
import { callWayAmong } from '../../analysis/call-way.ts';
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { FindingName } from '../../analysis/finding-names.ts';
import type { Opening } from '../../analysis/opening.ts';
import type { FieldName } from '../../core/call-fields.ts';
import { fieldValue } from '../../core/call-fields.ts';
import type { Steps } from '../../core/turns.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { bindingOf } from '../../view/ask-registrations.ts';
import { callOf } from '../../view/call.ts';
import { callHints } from '../../view/call-hints.ts';
import type { CallColumns, FieldValue } from './call-record.ts';
import { nothingOf, STORED_FIELDS } from './call-record.ts';
import { isInTime } from './key.ts';

/** Trunks that a shipped call names: a call that goes to more of them is a scan. @cap */
const TRUNKS_MAX = 16;

export function columnsOf(
  e: Evidence,
  d: Dialog,
  facts: DialogFacts,
  findings: readonly FindingName[],
  { userAgent, numbers }: Opening,
): CallColumns {
  const call = callOf(e, d, facts);
  // The message that opened the call may be gone by now, and findings were asked for already.
  const known: Partial<Record<FieldName, FieldValue>> = { user_agent: userAgent, findings };
  const way = callWayAmong(d, facts.messages);
  const trunkAt = (host = ''): string => (host === '' ? '' : (e.trunkAt(host) ?? ''));
  return {
    fields: STORED_FIELDS.map((field) => known[field.name] ?? fieldValue(call, field) ?? nothingOf(field.kind)),
    trunkIn: trunkAt(way?.src.host),
    trunkOut: trunkAt(way?.dst.host),
    trunks: trunksOf(e, facts.messages),
    numbers,
    hints: callHints(facts),
    binding: d.methodText === 'REGISTER' ? JSON.stringify(bindingOf(e, d)) : '',
  };
}

/** Trunks of all hops that are kept. */
function trunksOf(e: Evidence, messages: DialogFacts['messages']): string[] {
  const hosts = new Set<string>();
  const trunks: string[] = [];
  const meet = (host: string): void => {
    if (hosts.has(host) || trunks.length >= TRUNKS_MAX) return;
    hosts.add(host);
    const trunk = e.trunkAt(host);
    if (trunk !== null && !trunks.includes(trunk)) trunks.push(trunk);
  };
  for (const { src, dst } of messages) {
    meet(src.host);
    meet(dst.host);
  }
  return trunks;
}

/** Which messages: of those that are kept, oldest first, the last has the number `upTo` - 1, and the first wanted is `from`. */
export type MessageRange = { readonly kept: readonly CallMessage[]; readonly from: number; readonly upTo: number };

/**
 * Hands the messages over, a step each. Returns how many messages of the range are not kept any more, or have a time that
 * cannot be.
 */
export function* messageSteps(
  { kept, from, upTo }: MessageRange,
  nowUs: number,
  take: (message: number, row: number, bytes: Buffer) => void,
): Steps<number> {
  if (from >= upTo) return 0;
  const first = upTo - kept.length;
  let taken = 0;
  for (let i = Math.max(0, from - first); i < kept.length; i++) {
    const m = kept[i];
    // Empty where it is not kept any more.
    const bytes = m?.bytes;
    if (m === undefined || bytes === undefined || bytes.length === 0 || !isInTime(m.tsUs, nowUs)) continue;
    take(first + i, m.row, bytes);
    taken++;
    yield;
  }
  return upTo - from - taken;
}
