/**
 * The rows of one call: what filters ask for with its document, its identifiers, and its streams. Columns are those of
 * deploy/store/schema.sql.
 */
import type { CallMessage } from '../../analysis/call-messages.ts';
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { FindingName } from '../../analysis/finding-names.ts';
import type { CallIdentifier, Opening } from '../../analysis/opening.ts';
import { wayOf } from '../../analysis/opening.ts';
import type { CallDocument } from '../../contract/index.ts';
import type { Steps } from '../../core/turns.ts';
import { callTiming } from '../../store/dialogs/call-timing.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { bindingOf } from '../../view/ask-registrations.ts';
import { callHints } from '../../view/call-hints.ts';
import { toCallRow } from '../../view/call-row.ts';
import { toCallDocument } from '../../view/dialog-document.ts';
import { callReadingSteps } from '../../view/documents.ts';
import type { CallKey } from './key.ts';
import { hourText, isInTime, line, lineHead } from './key.ts';
import { streamLine } from './stream-line.ts';

/** A call that goes to more of them is a scan. */
const TRUNKS_MAX = 16;

/** A call as it stands. */
export type ShippedCall = {
  readonly facts: DialogFacts;
  readonly findings: readonly FindingName[];
  readonly document: CallDocument;
};

export function* shippedCallSteps(
  e: Evidence,
  d: Dialog,
  facts: DialogFacts,
  findings: readonly FindingName[],
): Steps<ShippedCall> {
  return { facts, findings, document: toCallDocument(yield* callReadingSteps(e, d, facts)) };
}

export function callLine(
  e: Evidence,
  d: Dialog,
  head: string,
  { facts, findings, document }: ShippedCall,
  { userAgent, numbers }: Opening,
): string {
  const row = toCallRow(e, d, facts);
  const timing = callTiming(d);
  const way = wayOf(facts.messages[0]);
  const trunkAt = (host: string): string => (host === '' ? '' : (e.trunkAt(host) ?? ''));
  return line(head, {
    created_at: document.created_at,
    updated_at: document.updated_at,
    call_id: document.call_id,
    state: row.state,
    method: row.method,
    from_user: row.from,
    to_user: row.to,
    src: way.src,
    dst: way.dst,
    trunk_in: trunkAt(way.caller),
    trunk_out: trunkAt(way.callee),
    code: row.code ?? 0,
    reason: row.reason,
    pdd_ms: timing.pddMs,
    setup_ms: timing.setupMs,
    talk_ms: timing.durationMs,
    duration_sec: document.duration_sec,
    worst_mos: row.worstMos,
    worst_loss_pct: row.worstLossPct,
    worst_jitter_ms: row.worstJitterMs,
    codecs: row.codecs,
    findings,
    transport: way.transport,
    user_agent: userAgent,
    ended_by: row.endedBy,
    origin: row.origin,
    messages: row.messages,
    trunks: trunksOf(e, facts.messages),
    numbers,
    hints: callHints(facts),
    binding: row.method === 'REGISTER' ? JSON.stringify(bindingOf(e, d)) : '',
    // The store keeps an object that stands for a text as it is written: it is not quoted, and not read again.
    document,
  });
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

/** What it is found by over all days. Told again it replaces itself. */
export function idLines(head: string, identifiers: readonly CallIdentifier[]): string[] {
  return identifiers.map(({ kind, text }) => `${head}"kind":"${kind}","text":${JSON.stringify(text)}}`);
}

export function streamLines(key: CallKey, { facts, document }: ShippedCall): string[] {
  return facts.streams.map(({ stream }, i) => {
    const shown = document.streams[i];
    if (shown === undefined) throw new Error('a stream without its document');
    return streamLine(lineHead(key, hourText(stream.openedUs)), stream.serial + 1, shown);
  });
}
