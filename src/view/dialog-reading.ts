/**
 * Reads from the stores, at one moment, what the document of a dialog says. Whoever has the result needs no store, and may
 * be another thread.
 */

import { framePointerText } from '../analysis/captured-at.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { noMediaFault } from '../analysis/findings.ts';
import type { Dialog as DialogDocument } from '../contract/index.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { CallTiming } from '../store/dialogs/call-timing.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { SdpEntry } from '../store/media/sdp-timeline.ts';
import { toDiagnosis, toIcmpMedia } from './diagnosis.ts';
import type { MediaFacts } from './media-lines.ts';
import { toMediaFacts } from './media-lines.ts';
import { referToUri, toSiprecMetadata } from './recording.ts';
import { toSignalingDiagnosis } from './signaling.ts';
import type { StreamReading } from './stream-reading.ts';

/** One entry of its SDP timeline. */
export type SdpReading = Pick<SdpEntry, 'tsUs' | 'isOffer' | 'mode' | 'event' | 'address' | 'port'> & {
  readonly codecs: readonly string[];
};

/** What analysis adds, as the contract shows it. */
export type Judged = Pick<
  DialogDocument,
  'diagnosis' | 'icmp_media' | 'refer_to' | 'siprec_metadata' | 'signaling_diagnosis'
>;

/** Times in microseconds, numbers of `state` and `origin` those of core/words.ts. */
export type DialogReading = {
  readonly callId: string;
  readonly state: number;
  readonly method: string;
  readonly msgCount: number;
  readonly createdUs: number;
  readonly updatedUs: number;
  readonly clockSteps: readonly ClockStep[];
  readonly retransmits: number;
  readonly timing: CallTiming;
  readonly sdp: readonly SdpReading[];
  readonly from: string;
  readonly to: string;
  /** Hosts or URNs, where these are ''. */
  readonly fromHost: string;
  readonly toHost: string;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  /** 0 without one. */
  readonly finalCode: number;
  readonly finalReason: string;
  /** As text. */
  readonly frame: string | null;
  readonly origin: number;
  readonly tags: readonly string[];
  readonly judged: Judged;
  readonly media: MediaFacts;
};

/** A dialog and its streams. */
export type CallReading = { readonly dialog: DialogReading; readonly streams: readonly StreamReading[] };

export function readDialog(e: Evidence, d: Dialog, facts: DialogFacts): DialogReading {
  return {
    callId: d.callId,
    state: d.state,
    method: d.methodText,
    msgCount: d.msgCount,
    createdUs: d.createdUs,
    updatedUs: d.updatedUs,
    clockSteps: e.capture.clockSteps,
    retransmits: d.retransmits,
    timing: callTiming(d),
    sdp: (d.sdp ?? []).map(readSdp),
    from: d.fromUser,
    to: d.toUser,
    fromHost: d.fromUser === '' ? d.from : '',
    toHost: d.toUser === '' ? d.to : '',
    fromDisplay: d.fromDisplay,
    toDisplay: d.toDisplay,
    finalCode: d.finalCode,
    finalReason: d.finalReason,
    frame: d.frame === null ? null : (framePointerText(d.frame, e.capture.sources) ?? null),
    origin: d.origin,
    tags: facts.tags,
    judged: judgedOf(e, d, facts),
    media: toMediaFacts(d, facts),
  };
}

function readSdp(entry: SdpEntry): SdpReading {
  const { tsUs, isOffer, mode, event, address, port, codecs } = entry;
  return { tsUs, isOffer, mode, event, address, port, codecs: codecs.names };
}

const noDiagnosis = toDiagnosis(noMediaFault(), null, null);
Object.freeze(noDiagnosis.hints);
/** Of nearly all calls, which share it. */
export const NOTHING_JUDGED: Judged = Object.freeze({ diagnosis: Object.freeze(noDiagnosis) });

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
