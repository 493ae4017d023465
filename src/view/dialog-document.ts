/**
 * The full dialog: Dialog of the contract, absent where nothing is known.
 */

import { capturedText, framePointerText } from '../analysis/captured-at.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { noMediaFault } from '../analysis/findings.ts';
import type { CallDocument, Dialog as DialogDocument, RtpStream, SdpExchange, Timing } from '../contract/index.ts';
import { spanSec } from '../core/rounded.ts';
import { DIALOG_STATES, ORIGINS } from '../core/words.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { SdpEntry } from '../store/media/sdp-timeline.ts';
import { toDiagnosis, toIcmpMedia } from './diagnosis.ts';
import { toMediaFacts } from './media-lines.ts';
import { reportFacts } from './phone-reports.ts';
import { referToUri, toSiprecMetadata } from './recording.ts';
import { toSignalingDiagnosis } from './signaling.ts';

/** With its times, and more of its media. */
export function toCallDocument(e: Evidence, d: Dialog, facts: DialogFacts, streams: RtpStream[]): CallDocument {
  const { clockSteps } = e.capture;
  const doc: CallDocument = Object.assign(toDialogDocument(e, d, facts, streams), {
    created_at: capturedText(d.createdUs, clockSteps),
    updated_at: capturedText(d.updatedUs, clockSteps),
  });
  if (d.fromUser === '' && d.from !== '') doc.from_host = d.from;
  if (d.toUser === '' && d.to !== '') doc.to_host = d.to;
  return Object.assign(doc, toMediaFacts(d, facts), reportFacts(e, d, facts.streams));
}

export function toDialogDocument(e: Evidence, d: Dialog, facts: DialogFacts, streams: RtpStream[]): DialogDocument {
  const { clockSteps, sources } = e.capture;
  const judged = judgedOf(e, d, facts);
  const doc: DialogDocument = {
    schema_version: 1,
    call_id: d.callId,
    state: DIALOG_STATES[d.state] ?? 'Trying',
    method: d.methodText,
    msg_count: d.msgCount,
    duration_sec: spanSec(d.createdUs, d.updatedUs),
    timing: toTiming(d),
    sdp_timeline: (d.sdp ?? []).map((entry) => toSdpExchange(entry, clockSteps)),
    diagnosis: judged.diagnosis,
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
  const pointer = d.frame === null ? undefined : framePointerText(d.frame, sources);
  if (pointer !== undefined) doc.frame = pointer;
  const origin = ORIGINS[d.origin];
  if (origin !== undefined) doc.input_origin = origin;
  if (facts.tags.length > 0) doc.tags = [...facts.tags];
  if (judged.icmp_media !== undefined) doc.icmp_media = judged.icmp_media;
  if (judged.refer_to !== undefined) doc.refer_to = judged.refer_to;
  if (judged.siprec_metadata !== undefined) doc.siprec_metadata = judged.siprec_metadata;
  if (judged.signaling_diagnosis !== undefined) doc.signaling_diagnosis = judged.signaling_diagnosis;
  return doc;
}

/** What analysis adds, as the contract shows it. */
export type Judged = Pick<
  DialogDocument,
  'diagnosis' | 'icmp_media' | 'refer_to' | 'siprec_metadata' | 'signaling_diagnosis'
>;

const noDiagnosis = toDiagnosis(noMediaFault(), null, null);
Object.freeze(noDiagnosis.hints);
/** Of nearly all calls, which share it. */
const NOTHING_JUDGED: Judged = Object.freeze({ diagnosis: Object.freeze(noDiagnosis) });

export function judgedOf(e: Evidence, d: Dialog, facts: DialogFacts): Judged {
  const { media, relay, stunMismatch, recording, signaling } = facts;
  const icmpMedia = toIcmpMedia(e.stores.icmp.media, facts.icmp);
  const isSound = media.hints.length === 0 && relay === null && stunMismatch === null;
  if (isSound && icmpMedia === null && d.referTo === null && recording === null && signaling === null)
    return NOTHING_JUDGED;
  const judged: Judged = { diagnosis: toDiagnosis(media, relay, stunMismatch) };
  if (icmpMedia !== null) judged.icmp_media = icmpMedia;
  if (d.referTo !== null) judged.refer_to = referToUri(d.referTo);
  if (recording !== null) judged.siprec_metadata = toSiprecMetadata(recording);
  if (signaling !== null) judged.signaling_diagnosis = toSignalingDiagnosis(signaling);
  return judged;
}

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

function toSdpExchange(entry: SdpEntry, steps: readonly ClockStep[]): SdpExchange {
  const out: SdpExchange = {
    timestamp: capturedText(entry.tsUs, steps),
    direction: entry.isOffer ? 'offer' : 'answer',
    codecs: [...entry.codecs.names],
    mode: entry.mode,
  };
  if (entry.event !== null) out.event = entry.event;
  if (entry.address !== null) out.media_addr = entry.address;
  if (entry.port !== null) out.media_port = entry.port;
  return out;
}
