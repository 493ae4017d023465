/**
 * The rows of one call and its streams: what filters ask for, with its document. Columns are those of
 * deploy/store/schema.sql. Everything is made of the record: no store is needed.
 */
import { DIALOG_STATES, ORIGINS } from '../../core/words.ts';
import { toCallDocument } from '../../view/dialog-document.ts';
import { toRtpStream } from '../../view/stream-document.ts';
import type { CallRecord } from './call-record.ts';
import type { Shipper } from './key.ts';
import { hourText, line, lineHead } from './key.ts';
import { wellFormed } from './lines.ts';
import { streamLine } from './stream-line.ts';

export function callLine({ key, reading, columns: c }: CallRecord, { host, boot }: Shipper): string {
  const { dialog: d } = reading;
  const document = toCallDocument(reading);
  const head = lineHead({ host, boot, number: key.number, version: key.version }, hourText(key.hourUs));
  const text = line(head, {
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
  return wellFormed(text);
}

export function streamLines({ key, reading }: CallRecord, { host, boot }: Shipper): string[] {
  const { number, version } = key;
  return reading.streams.map((stream) => {
    const head = lineHead({ host, boot, number, version }, hourText(stream.openedUs));
    return wellFormed(streamLine(head, stream.serial + 1, toRtpStream(stream)));
  });
}
