/**
 * The rows of one call: by what it is found, its streams, and what filters ask for with its document. Columns are those of
 * deploy/store/schema.sql. Everything is made of the record: no store is needed.
 */
import { DIALOG_STATES, ORIGINS } from '../../core/words.ts';
import { asCaptured } from '../../store/clock-steps.ts';
import { toCallDocument } from '../../view/dialog-document.ts';
import { toRtpStream } from '../../view/stream-document.ts';
import type { CallRecord } from './call-record.ts';
import type { Shipper } from './key.ts';
import { hourText, line, lineHead } from './key.ts';
import { wellFormed } from './lines.ts';
import { streamLine } from './stream-line.ts';

/** A row that a thread makes: the line of one table. */
export type ShippedRow = { readonly table: 'messages' | 'ids' | 'streams' | 'calls'; readonly line: string };

export function callRows(call: CallRecord, shipper: Shipper): ShippedRow[] {
  const { key, reading, identifiers } = call;
  // Spelled out, as in analysis/stream-quality.ts.
  const { host, boot } = shipper;
  const { number, version } = key;
  const headAt = (us: number): string => lineHead({ host, boot, number, version }, hourText(us));
  const head = headAt(key.hourUs);
  const rows: ShippedRow[] = [];
  const add = (table: ShippedRow['table'], text: string): void => {
    rows.push({ table, line: wellFormed(text) });
  };
  for (const identifier of identifiers) add('ids', line(head, identifier));
  for (const s of reading.streams)
    add('streams', streamLine(headAt(asCaptured(s.clockSteps, s.openedUs)), s.serial + 1, toRtpStream(s)));
  add('calls', callLine(head, call));
  return rows;
}

function callLine(head: string, { reading, columns: c }: CallRecord): string {
  const { dialog: d } = reading;
  const document = toCallDocument(reading);
  return line(head, {
    created_at: document.created_at,
    updated_at: document.updated_at,
    call_id: d.callId,
    state: DIALOG_STATES[d.state] ?? '',
    method: d.method,
    from_user: d.from,
    to_user: d.to,
    src: c.src,
    dst: c.dst,
    trunk_in: c.trunkIn,
    trunk_out: c.trunkOut,
    code: c.code,
    reason: c.reason,
    pdd_ms: d.timing.pddMs,
    setup_ms: d.timing.setupMs,
    talk_ms: d.timing.durationMs,
    duration_sec: document.duration_sec,
    worst_mos: c.worstMos,
    worst_loss_pct: c.worstLossPct,
    worst_jitter_ms: c.worstJitterMs,
    codecs: c.codecs,
    findings: c.findings,
    transport: c.transport,
    user_agent: c.userAgent,
    ended_by: c.endedBy,
    origin: ORIGINS[d.origin] ?? '',
    messages: d.msgCount,
    trunks: c.trunks,
    numbers: c.numbers,
    hints: c.hints,
    binding: c.binding,
    // The store keeps an object that stands for a text as it is written: it is not quoted, and not read again.
    document,
  });
}
