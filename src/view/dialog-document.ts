/**
 * The full dialog: Dialog of the contract, absent where nothing is known.
 */

import type { DialogFacts } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { Dialog as DialogDocument, RtpStream, SdpExchange, Timing } from '../contract/index.ts';
import { DIALOG_STATES, ORIGINS } from '../core/words.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { SdpEntry } from '../store/media/sdp-timeline.ts';
import { framePointerText, spanSec, timestampText } from './captured-at.ts';
import { toDiagnosis, toIcmpMedia } from './diagnosis.ts';
import { referToUri, toSiprecMetadata } from './recording.ts';
import { toSignalingDiagnosis } from './signaling.ts';

function toTiming(d: Dialog): Timing {
  const t = callTiming(d);
  const out: Timing = { retransmits: d.retransmits };
  if (t.pddMs !== null) out.pdd_ms = t.pddMs;
  if (t.setupMs !== null) out.setup_ms = t.setupMs;
  if (t.ringMs !== null) out.ring_ms = t.ringMs;
  if (t.tryingDelayMs !== null) out.trying_delay_ms = t.tryingDelayMs;
  if (t.teardownMs !== null) out.teardown_ms = t.teardownMs;
  return out;
}

export function toDialogDocument(e: Evidence, d: Dialog, facts: DialogFacts, streams: RtpStream[]): DialogDocument {
  const doc: DialogDocument = {
    schema_version: 1,
    call_id: d.callId,
    state: DIALOG_STATES[d.state] ?? 'Trying',
    method: d.methodText,
    msg_count: d.msgCount,
    duration_sec: spanSec(d.createdUs, d.updatedUs),
    timing: toTiming(d),
    sdp_timeline: (d.sdp ?? []).map(toSdpExchange),
    diagnosis: toDiagnosis(facts.media, facts.relay, facts.stunMismatch),
    streams,
  };
  if (d.fromUser !== '') doc.from = d.fromUser;
  if (d.toUser !== '') doc.to = d.toUser;
  if (d.fromDisplay !== null) doc.from_display = d.fromDisplay;
  if (d.toDisplay !== null) doc.to_display = d.toDisplay;
  if (d.finalCode !== 0) {
    doc.final_status_code = d.finalCode;
    doc.final_status_reason = d.finalReason;
  }
  const frame = d.frame === null ? undefined : framePointerText(d.frame, e.capture.sources);
  if (frame !== undefined) doc.frame = frame;
  const origin = ORIGINS[d.origin];
  if (origin !== undefined) doc.input_origin = origin;
  if (facts.tags.length > 0) doc.tags = [...facts.tags];
  const icmpMedia = toIcmpMedia(e.stores.icmp.media, facts.icmp);
  if (icmpMedia !== null) doc.icmp_media = icmpMedia;
  if (d.referTo !== null) doc.refer_to = referToUri(d.referTo);
  if (facts.recording !== null) doc.siprec_metadata = toSiprecMetadata(facts.recording);
  if (facts.signaling !== null) doc.signaling_diagnosis = toSignalingDiagnosis(facts.signaling);
  return doc;
}

export function toSdpExchange(entry: SdpEntry): SdpExchange {
  const out: SdpExchange = {
    timestamp: timestampText(entry.tsUs),
    direction: entry.isOffer ? 'offer' : 'answer',
    codecs: [...entry.codecs.names],
    mode: entry.mode,
  };
  if (entry.event !== null) out.event = entry.event;
  if (entry.address !== null) out.media_addr = entry.address;
  if (entry.port !== null) out.media_port = entry.port;
  return out;
}
