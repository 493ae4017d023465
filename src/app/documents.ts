/**
 * Documents of a session: stores and analysis put together for one dialog or stream.
 */

import { hasOtherLeg } from '../analysis/b2bua.ts';
import type { IcmpFinding } from '../analysis/icmp-media.ts';
import { icmpFindings } from '../analysis/icmp-media.ts';
import { legsWithin } from '../analysis/legs-within.ts';
import type { LintFinding } from '../analysis/lint/lint.ts';
import { lintDialog } from '../analysis/lint/lint.ts';
import type { LintStream } from '../analysis/lint/rule.ts';
import { diagnoseMedia } from '../analysis/media.ts';
import type { MediaFindings, MediaStream } from '../analysis/media-model.ts';
import { recordingMetadata } from '../analysis/recording.ts';
import type { MediaRelay, StunMismatch } from '../analysis/relay.ts';
import { findRelay, findStunMismatch, isTurnRelayed, lapsedHint, stunMismatchHint } from '../analysis/relay.ts';
import type { SignalingFindings } from '../analysis/signaling/diagnose.ts';
import { diagnoseSignaling } from '../analysis/signaling/diagnose.ts';
import { dialogTags } from '../analysis/tags.ts';
import { isMediaPathVisible } from '../analysis/vantage.ts';
import type { Dialog as DialogDocument, RtpStream, StreamRow } from '../contract/index.ts';
import { endpointKeyText } from '../core/ip.ts';
import { packetMs } from '../rtp/stream-snapshot.ts';
import type { Dialog } from '../store/dialog.ts';
import type { Stream } from '../store/stream.ts';
import type { UnseenStream } from '../store/unseen-streams.ts';
import { toDiagnosis, toIcmpMedia } from '../view/diagnosis.ts';
import { toDialogDocument } from '../view/dialog-document.ts';
import { toSiprecMetadata } from '../view/recording.ts';
import { toSignalingDiagnosis } from '../view/signaling.ts';
import { toRtpStream, toStreamRow } from '../view/stream-document.ts';
import type { StreamQuality } from '../view/stream-quality.ts';
import { streamQuality } from '../view/stream-quality.ts';
import { toTermination } from '../view/termination.ts';
import type { CaptureSession } from './capture-session.ts';

/** Calls looked at that share a socket with one; load generators let all their calls share one. */
const MAX_SHARING = 64;

/** A stream and its quality, or null when its counters are gone. */
export function qualityOf(session: CaptureSession, stream: Stream): StreamQuality | null {
  return streamQuality(stream, session.quality);
}

export function streamDocument(session: CaptureSession, stream: Stream): RtpStream | null {
  const q = qualityOf(session, stream);
  return q === null ? null : toRtpStream(stream, q, session.sources);
}

export function streamRow(session: CaptureSession, stream: Stream): StreamRow | null {
  const q = qualityOf(session, stream);
  return q === null ? null : toStreamRow(stream, q);
}

/** Everything known about a dialog: its streams with their quality, and what is wrong. */
export type DialogFacts = {
  streams: { stream: Stream; quality: StreamQuality }[];
  media: MediaFindings;
  relay: MediaRelay | null;
  stunMismatch: StunMismatch | null;
  icmp: readonly IcmpFinding[];
  signaling: SignalingFindings | null;
};

export function dialogFacts(session: CaptureSession, d: Dialog): DialogFacts {
  const streams: DialogFacts['streams'] = [];
  for (const stream of d.streams ?? []) {
    const quality = qualityOf(session, stream);
    if (quality !== null) streams.push({ stream, quality });
  }
  const { nowUs, stun, icmp } = session;
  const { thresholds } = session.options;
  const media = diagnoseMedia(
    d,
    streams.map(({ stream, quality }) => mediaStream(session, stream, quality)),
    {
      sawRtp: session.sawRtp,
      isPathVisible: () => isMediaPathVisible(d, session.log, session.streams.fromNewest()),
      sharesMedia: streams.length === 0 && sharesMedia(d),
      nowUs,
      unseen: unseenStreams(session, d),
      thresholds,
    },
  );
  const plain = streams.map(({ stream }) => stream);
  const relay = findRelay(d, plain, stun, nowUs);
  if (relay !== null && !Number.isNaN(relay.lapsedUs)) media.hints.push(lapsedHint(d, relay, nowUs));
  const stunMismatch = media.privateMediaAddress ? findStunMismatch(d, stun) : null;
  if (stunMismatch !== null) media.hints.push(stunMismatchHint(stunMismatch));
  const flows = icmp.media.errors === 0 ? [] : icmp.media.ofDialog(d);
  const findings = icmpFindings(d, flows, thresholds.icmpErrors);
  for (const { isFault, hint } of findings) if (isFault) media.hints.push(hint);
  return {
    streams,
    media,
    relay,
    stunMismatch,
    icmp: findings,
    signaling: diagnoseSignaling(d, session.log, { nowUs, thresholds, icmp: icmp.notes(d) }),
  };
}

/** Labels are looked for only where they are shown: whether a call has another leg takes longer than all the rest. */
function tagsOf(session: CaptureSession, d: Dialog, { streams }: DialogFacts): string[] {
  return dialogTags(d, {
    eventPackets: streams.reduce((sum, { quality }) => sum + quality.snapshot.eventPackets, 0),
    isTurnRelayed: isTurnRelayed(
      streams.map(({ stream }) => stream),
      session.stun,
    ),
    hasOtherLeg: isB2bua(session, d),
    within: legsWithin(d, session.log),
  });
}

/** Calls are tied together only where somebody can ask for it. */
function isB2bua(session: CaptureSession, d: Dialog): boolean {
  const { identifiers, dialogs, log } = session;
  return identifiers !== null && hasOtherLeg(d, { dialogs, identifiers }, log);
}

function mediaStream(session: CaptureSession, stream: Stream, quality: StreamQuality): MediaStream {
  const { snapshot } = quality;
  return {
    stream,
    packets: snapshot.packets,
    expected: snapshot.expected,
    lost: snapshot.lost,
    firstUs: snapshot.firstUs,
    lastUs: snapshot.lastUs,
    codec: quality.codec,
    payloadType: snapshot.payloadType,
    packetMs: packetMs(snapshot, quality.clockRate),
    comfortNoisePackets: snapshot.cnPackets,
    hasReverse: hasReverse(session, stream, snapshot.firstUs, snapshot.lastUs),
  };
}

/** Streams from the dialog's endpoints, while it lasted, that only RTCP speaks of. */
function unseenStreams(session: CaptureSession, d: Dialog): UnseenStream[] {
  const { unseen } = session.rtcp;
  if (unseen.size === 0) return [];
  const found = new Set<UnseenStream>();
  // A relay may carry RTCP from another address than the media.
  const seen = new Set((d.streams ?? []).map((s) => s.ssrc));
  for (const key of d.claimedKeys)
    for (const u of unseen.at(key))
      if (u.lastUs >= d.createdUs && !(u.firstUs > d.endedUs) && !seen.has(u.ssrc)) found.add(u);
  return [...found];
}

/** Later calls that named one of this call's sockets while it lasted, nearest first. */
function* sharing(d: Dialog): Generator<Dialog> {
  let other = d.sharesWith;
  for (let i = 0; other !== null && other !== d && i < MAX_SHARING; i++, other = other.sharesWith) yield other;
}

/** A stream of a call that shares the sockets ran the other way meanwhile. */
function hasReverse(session: CaptureSession, stream: Stream, firstUs: number, lastUs: number): boolean {
  const { dialog, srcKey, dstKey } = stream;
  if (dialog === null) return false;
  for (const other of sharing(dialog))
    for (const s of other.streams ?? [])
      if (
        s.srcKey === dstKey &&
        s.dstKey === srcKey &&
        s.openedUs <= lastUs &&
        session.streams.lastSeenUs(s) >= firstUs
      )
        return true;
  return false;
}

/** A call that shares this one's sockets has media there. */
function sharesMedia(d: Dialog): boolean {
  const keys = d.claimedKeys ?? [];
  for (const other of sharing(d))
    if ((other.streams ?? []).some((s) => keys.includes(s.srcKey) || keys.includes(s.dstKey))) return true;
  return false;
}

/** The dialog with the cause that the wire named for its end. */
export function dialogReport(session: CaptureSession, d: Dialog): DialogDocument {
  const termination = toTermination(d, session.sources);
  const document = dialogDocument(session, d);
  return termination === null ? document : { ...document, termination };
}

/** What the lint rules find in the dialog. */
export function dialogLint(session: CaptureSession, d: Dialog): LintFinding[] {
  const streams: LintStream[] = [];
  for (const stream of d.streams ?? []) {
    const q = qualityOf(session, stream);
    if (q === null) continue;
    const { snapshot } = q;
    streams.push({
      src: endpointKeyText(stream.srcKey),
      dst: endpointKeyText(stream.dstKey),
      payloadType: snapshot.payloadType,
      packets: snapshot.packets,
      packetMs: packetMs(snapshot, q.clockRate),
    });
  }
  return lintDialog(d, session.log, streams, new Set(session.options.lintSuppress));
}

export function dialogDocument(session: CaptureSession, d: Dialog): DialogDocument {
  const facts = dialogFacts(session, d);
  const recording = recordingMetadata(d, session.log);
  return toDialogDocument(
    d,
    facts.streams.map(({ stream, quality }) => toRtpStream(stream, quality, session.sources)),
    {
      diagnosis: toDiagnosis(facts.media, facts.relay, facts.stunMismatch),
      signaling: facts.signaling === null ? null : toSignalingDiagnosis(facts.signaling),
      icmpMedia: toIcmpMedia(session.icmp.media, facts.icmp),
      recording: recording === null ? null : toSiprecMetadata(recording),
      tags: tagsOf(session, d, facts),
    },
    session.sources,
  );
}
