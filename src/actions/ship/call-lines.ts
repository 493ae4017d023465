/**
 * The rows of one call: what filters ask for with its document, its identifiers, and its streams. Columns are those of
 * deploy/store/schema.sql.
 */
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import { documentFactsSteps } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { CallDocument, RtpStream } from '../../contract/index.ts';
import type { Steps } from '../../core/turns.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { toCallRow } from '../../view/call-row.ts';
import { knownCallSteps } from '../../view/documents.ts';
import type { CallKey } from './key.ts';
import { hourText } from './key.ts';
import type { Opening } from './opening.ts';

/** A call as it stands. */
export type ShippedCall = {
  readonly facts: DialogFacts;
  readonly document: CallDocument;
  /** The document as it is sent. */
  readonly text: string;
};

export function* shippedCallSteps(e: Evidence, d: Dialog): Steps<ShippedCall> {
  const facts = yield* documentFactsSteps(e, d);
  const document = yield* knownCallSteps(e, d, facts);
  return { facts, document, text: JSON.stringify(document) };
}

export function callLine(
  e: Evidence,
  d: Dialog,
  key: CallKey,
  { facts, document, text }: ShippedCall,
  opening: Opening,
): string {
  const row = toCallRow(e, d, facts);
  const trunkAt = (host: string): string => (host === '' ? '' : (e.trunkAt(host) ?? ''));
  return JSON.stringify({
    ...key,
    created_at: document.created_at,
    updated_at: document.updated_at,
    call_id: row.callId,
    state: row.state,
    method: row.method,
    from_user: row.from,
    to_user: row.to,
    src: opening.src,
    dst: opening.dst,
    trunk_in: trunkAt(opening.caller),
    trunk_out: trunkAt(opening.callee),
    code: row.code ?? 0,
    reason: row.reason,
    pdd_ms: row.pddMs,
    setup_ms: row.setupMs,
    duration_sec: row.durationSec,
    worst_mos: row.worstMos,
    worst_loss_pct: row.worstLossPct,
    worst_jitter_ms: row.worstJitterMs,
    codecs: row.codecs,
    findings: row.findings,
    transport: opening.transport,
    user_agent: opening.userAgent,
    ended_by: row.endedBy,
    origin: row.origin,
    messages: row.messages,
    document: text,
  });
}

/** What it is found by over all days. Told again it replaces itself. */
export function idLines(key: CallKey, { identifiers }: Opening): string[] {
  return identifiers.map(({ kind, text }) => JSON.stringify({ ...key, kind, text }));
}

export function streamLines(key: CallKey, { facts, document }: ShippedCall): string[] {
  return facts.streams.map(({ stream }, i) => {
    const shown = document.streams[i];
    if (shown === undefined) throw new Error('a stream without its document');
    return streamLine({ ...key, hour: hourText(stream.openedUs) }, stream.serial + 1, shown);
  });
}

function streamLine(key: CallKey, stream: number, s: RtpStream): string {
  const windows = s.quality_intervals;
  return JSON.stringify({
    ...key,
    stream,
    ssrc: Number(s.ssrc),
    src: s.src,
    dst: s.dst,
    codec: s.codec ?? '',
    payload_type: s.payload_type,
    packets: s.packets,
    octets: s.octets,
    jitter_ms: s.jitter_ms,
    loss_pct: s.loss_pct,
    mos: s.mos ?? null,
    first_seen: s.first_seen,
    last_seen: s.last_seen,
    window_at: windows.map((w) => w.timestamp),
    window_packets: windows.map((w) => w.packets),
    window_jitter_ms: windows.map((w) => w.jitter_ms),
    window_loss_pct: windows.map((w) => w.loss_pct),
    window_mos: windows.map((w) => w.mos ?? null),
  });
}
