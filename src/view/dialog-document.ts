/**
 * The full dialog: Dialog of the contract, absent where nothing is known.
 */

import { capturedText } from '../analysis/captured-at.ts';
import type { CallDocument, Dialog as DialogDocument, RtpStream, SdpExchange, Timing } from '../contract/index.ts';
import { spanSec } from '../core/rounded.ts';
import { DIALOG_STATES, ORIGINS } from '../core/words.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { CallReading, DialogReading, SdpReading } from './dialog-reading.ts';
import { toRtpStream } from './stream-document.ts';

/** With its times, and more of its media. */
export function toCallDocument({ dialog, streams }: CallReading): CallDocument {
  return Object.assign(toDialogDocument(dialog, streams.map(toRtpStream)), {
    created_at: capturedText(dialog.createdUs, dialog.clockSteps),
    updated_at: capturedText(dialog.updatedUs, dialog.clockSteps),
    ...(dialog.fromHost === '' ? {} : { from_host: dialog.fromHost }),
    ...(dialog.toHost === '' ? {} : { to_host: dialog.toHost }),
    ...dialog.media,
  });
}

export function toDialogDocument(r: DialogReading, streams: RtpStream[]): DialogDocument {
  const { judged } = r;
  const doc: DialogDocument = {
    schema_version: 1,
    call_id: r.callId,
    state: DIALOG_STATES[r.state] ?? 'Trying',
    method: r.method,
    msg_count: r.msgCount,
    duration_sec: spanSec(r.createdUs, r.updatedUs),
    timing: toTiming(r),
    sdp_timeline: r.sdp.map((entry) => toSdpExchange(entry, r.clockSteps)),
    diagnosis: judged.diagnosis,
    streams,
  };
  if (r.from !== '') doc.from = r.from;
  if (r.to !== '') doc.to = r.to;
  if (r.fromDisplay !== null) doc.from_display = r.fromDisplay;
  if (r.toDisplay !== null) doc.to_display = r.toDisplay;
  if (r.finalCode !== 0) {
    doc.final_status_code = r.finalCode;
    doc.final_status_reason = r.finalReason;
  }
  if (r.frame !== null) doc.frame = r.frame;
  const origin = ORIGINS[r.origin];
  if (origin !== undefined) doc.input_origin = origin;
  if (r.tags.length > 0) doc.tags = [...r.tags];
  if (judged.icmp_media !== undefined) doc.icmp_media = judged.icmp_media;
  if (judged.refer_to !== undefined) doc.refer_to = judged.refer_to;
  if (judged.siprec_metadata !== undefined) doc.siprec_metadata = judged.siprec_metadata;
  if (judged.signaling_diagnosis !== undefined) doc.signaling_diagnosis = judged.signaling_diagnosis;
  return doc;
}

function toTiming({ retransmits, timing: t }: DialogReading): Timing {
  const out: Timing = { retransmits };
  if (t.pddMs !== null) out.pdd_ms = t.pddMs;
  if (t.setupMs !== null) out.setup_ms = t.setupMs;
  if (t.ringMs !== null) out.ring_ms = t.ringMs;
  if (t.tryingDelayMs !== null) out.trying_delay_ms = t.tryingDelayMs;
  if (t.teardownMs !== null) out.teardown_ms = t.teardownMs;
  return out;
}

function toSdpExchange(entry: SdpReading, steps: readonly ClockStep[]): SdpExchange {
  const out: SdpExchange = {
    timestamp: capturedText(entry.tsUs, steps),
    direction: entry.isOffer ? 'offer' : 'answer',
    codecs: [...entry.codecs],
    mode: entry.mode,
  };
  if (entry.event !== null) out.event = entry.event;
  if (entry.address !== null) out.media_addr = entry.address;
  if (entry.port !== null) out.media_port = entry.port;
  return out;
}
