/**
 * Documents of a session: stores and analysis put together for one dialog or stream.
 */

import { hasOtherLeg } from '../analysis/b2bua.ts';
import type { IcmpFinding } from '../analysis/icmp-media.ts';
import { icmpFindings } from '../analysis/icmp-media.ts';
import { legsWithin } from '../analysis/legs-within.ts';
import { isTapOver, linkedMedia } from '../analysis/linked-media.ts';
import type { LintResult } from '../analysis/lint/lint.ts';
import { lintDialog } from '../analysis/lint/lint.ts';
import type { LintStream } from '../analysis/lint/rule.ts';
import { diagnoseMedia } from '../analysis/media.ts';
import type { MediaFindings, MediaStream } from '../analysis/media-model.ts';
import { recordingMetadata } from '../analysis/recording.ts';
import type { MediaRelay, StunMismatch } from '../analysis/relay.ts';
import { findRelay, findStunMismatch, isTurnRelayed, lapsedHint, stunMismatchHint } from '../analysis/relay.ts';
import type { SignalingFindings } from '../analysis/signaling/diagnose.ts';
import { diagnoseSignaling } from '../analysis/signaling/diagnose.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';
import { FIRST_DYNAMIC_PT, streamFormat, streamQuality } from '../analysis/stream-quality.ts';
import { dialogTags } from '../analysis/tags.ts';
import { isMediaPathVisible } from '../analysis/vantage.ts';
import type { CaptureSession } from '../app/capture-session.ts';
import type { Dialog as DialogDocument, RtpStream, StreamRow } from '../contract/index.ts';
import { endpointKeyText } from '../core/ip.ts';
import { MAX_DIALOG_INTERVALS } from '../core/limits.ts';
import type { Steps } from '../core/steps.ts';
import { finish } from '../core/steps.ts';
import type { StreamSnapshot } from '../protocols/rtp/stream-snapshot.ts';
import { packetMs } from '../protocols/rtp/stream-snapshot.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import type { UnseenStream } from '../store/media/unseen-streams.ts';
import { toDiagnosis, toIcmpMedia } from './diagnosis.ts';
import { toDialogDocument } from './dialog-document.ts';
import { toSiprecMetadata } from './recording.ts';
import { toSignalingDiagnosis } from './signaling.ts';
import { toRtpStream, toStreamRow } from './stream-document.ts';
import { toTermination } from './termination.ts';

/** Calls looked at that share a socket with one; load generators let all their calls share one. */
const MAX_SHARING = 64;
/** Streams looked at of those calls. */
const MAX_SHARED_STREAMS = 1_024;

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

/** The steps, given up with null when the dialog is evicted between two of them: what it read is another's then. */
export function* keptDialog<T>(session: CaptureSession, d: Dialog, steps: Steps<T>): Steps<T | null> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
    if (session.dialogs.bySlot(d.slot) !== d) return null;
  }
}

/** A document of the dialog that has this Call-ID when the first step is taken; null when there is none. */
export function* ofDialog<T>(session: CaptureSession, callId: string, steps: (d: Dialog) => Steps<T>): Steps<T | null> {
  const d = session.dialogs.get(callId);
  return d === undefined ? null : yield* keptDialog(session, d, steps(d));
}

/** All at once, for who holds nobody up. */
export function dialogFacts(session: CaptureSession, d: Dialog): DialogFacts {
  return finish(dialogFactsSteps(session, d));
}

/** A step a stream, and one for each of the detections. */
export function* dialogFactsSteps(session: CaptureSession, d: Dialog): Steps<DialogFacts> {
  const streams: DialogFacts['streams'] = [];
  for (const stream of d.streams ?? []) {
    const quality = qualityOf(session, stream);
    if (quality === null) continue;
    streams.push({ stream, quality });
    yield;
  }
  const reverse = new Reverse(session, d, streams.length);
  const { stun, icmp } = session;
  const nowUs = session.nowOf(d);
  const { thresholds } = session.options;
  // Media is captured by our clock: a call of another time is not held against it, and what is replayed has none.
  const isForeign = d.clock?.isForeign === true;
  const media = diagnoseMedia(
    d,
    isForeign ? [] : streams.map(({ stream, quality }) => mediaStream(stream, quality, reverse)),
    {
      isRtpCaptured: session.capturesRtp && !isForeign,
      sawRtp: session.sawRtp,
      refusedUs: session.refusedUs,
      isPathVisible: () => isMediaPathVisible(d, session.log, session.streams.fromNewest()),
      sharesMedia: () => sharesMedia(d),
      linkedMedia: () => linkedMedia(session, d),
      isTapOver: ({ stream }, atUs) => isTapOver(session, d, stream, atUs),
      nowUs,
      unseen: unseenStreams(session, d),
      thresholds,
    },
  );
  yield;
  const plain = streams.map(({ stream }) => stream);
  const relay = findRelay(d, plain, stun, nowUs);
  if (relay !== null && !Number.isNaN(relay.lapsedUs)) media.hints.push(lapsedHint(d, relay, nowUs));
  const stunMismatch = media.privateMediaAddress ? findStunMismatch(d, stun) : null;
  if (stunMismatch !== null) media.hints.push(stunMismatchHint(stunMismatch));
  const flows = icmp.media.errors === 0 ? [] : icmp.media.ofDialog(d);
  const findings = icmpFindings(d, flows, thresholds.icmpErrors);
  for (const { isFault, hint } of findings) if (isFault) media.hints.push(hint);
  yield;
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
function* tagsOf(session: CaptureSession, d: Dialog, { streams }: DialogFacts): Steps<string[]> {
  const within = yield* legsWithin(d, session.log);
  return dialogTags(d, {
    eventPackets: streams.reduce((sum, { quality }) => sum + quality.snapshot.eventPackets, 0),
    isTurnRelayed: isTurnRelayed(
      streams.map(({ stream }) => stream),
      session.stun,
    ),
    hasOtherLeg: isB2bua(session, d),
    within,
  });
}

/** Calls are tied together only where somebody can ask for it. */
function isB2bua(session: CaptureSession, d: Dialog): boolean {
  const { identifiers, dialogs, log } = session;
  return identifiers !== null && hasOtherLeg(d, { dialogs, identifiers }, log);
}

function mediaStream(stream: Stream, quality: StreamQuality, reverse: Reverse): MediaStream {
  const { snapshot } = quality;
  const comfortNoisePackets = snapshot.cnPackets + namedNoise(stream, snapshot);
  return {
    stream,
    packets: snapshot.packets,
    expected: snapshot.expected,
    lost: snapshot.lost,
    firstUs: snapshot.firstUs,
    lastUs: snapshot.lastUs,
    codec: quality.codec,
    payloadType: snapshot.payloadType,
    packetMs: spokenPacketMs(quality),
    comfortNoisePackets,
    pauses: snapshot.pauses,
    hasReverse: reverse.ran(stream, snapshot.firstUs, snapshot.lastUs),
  };
}

/** The packet time, 0 where it is not known: how far arrivals lie apart tells it only of who sends all the time. */
function spokenPacketMs({ snapshot, clockRate }: StreamQuality): number {
  const isSilentAtTimes = snapshot.cnPackets > 0 || snapshot.pauses > 0;
  return isSilentAtTimes && snapshot.tsStep === 0 ? 0 : packetMs(snapshot, clockRate);
}

/** Packets of comfort noise under a number that only a description explains (RFC 3389 section 4: rates other than 8000 Hz). */
function namedNoise(stream: Stream, { payloadTypes }: StreamSnapshot): number {
  let packets = 0;
  for (const p of payloadTypes)
    if (p.payloadType >= FIRST_DYNAMIC_PT && streamFormat(stream, p.payloadType)?.name === 'CN') packets += p.packets;
  return packets;
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
      if (u.newestUs >= d.createdUs && !(u.firstUs > d.endedUs) && !seen.has(u.ssrc)) found.add(u);
  return [...found];
}

/** Later calls that named one of this call's sockets while it lasted, nearest first. */
function* sharing(d: Dialog): Generator<Dialog> {
  let other = d.sharesWith;
  for (let i = 0; other !== null && other !== d && i < MAX_SHARING; i++, other = other.sharesWith) yield other;
}

/** Streams of the calls that share sockets with one, by the way they run. */
class Reverse {
  readonly #session: CaptureSession;
  readonly #ways = new Map<string, Stream[]>();

  /** Of a call without streams nothing is asked. */
  constructor(session: CaptureSession, d: Dialog, streams: number) {
    this.#session = session;
    if (streams === 0) return;
    let left = MAX_SHARED_STREAMS;
    for (const other of sharing(d))
      for (const stream of other.streams ?? []) {
        if (left-- === 0) return;
        const way = `${stream.srcKey} ${stream.dstKey}`;
        const known = this.#ways.get(way);
        if (known === undefined) this.#ways.set(way, [stream]);
        else known.push(stream);
      }
  }

  /** One ran the other way than `stream` between the two times. */
  ran({ srcKey, dstKey }: Stream, firstUs: number, lastUs: number): boolean {
    for (const s of this.#ways.get(`${dstKey} ${srcKey}`) ?? [])
      if (s.openedUs <= lastUs && this.#session.streams.lastSeenUs(s) >= firstUs) return true;
    return false;
  }
}

/** A call that shares this one's sockets has media there. */
function sharesMedia(d: Dialog): boolean {
  const keys = new Set(d.claimedKeys ?? []);
  for (const other of sharing(d))
    if ((other.streams ?? []).some((s) => keys.has(s.srcKey) || keys.has(s.dstKey))) return true;
  return false;
}

/** The dialog with the cause that the wire named for its end. */
export function* dialogReportSteps(session: CaptureSession, d: Dialog): Steps<DialogDocument> {
  const termination = toTermination(d, session.sources);
  const document = yield* dialogDocumentSteps(session, d);
  return termination === null ? document : { ...document, termination };
}

/** What the lint rules find in the dialog. */
export function* dialogLintSteps(session: CaptureSession, d: Dialog): Steps<LintResult> {
  const streams: LintStream[] = [];
  for (const stream of d.streams ?? []) {
    const q = qualityOf(session, stream);
    yield;
    if (q === null) continue;
    const { snapshot } = q;
    streams.push({
      src: endpointKeyText(stream.srcKey),
      dst: endpointKeyText(stream.dstKey),
      payloadType: snapshot.payloadType,
      packets: snapshot.packets,
      packetMs: spokenPacketMs(q),
    });
  }
  const result = yield* lintDialog(d, session.log, streams, new Set(session.options.lintSuppress));
  session.documentLosses.lintMessages += result.unread;
  return result;
}

/** All at once, for who holds nobody up. */
export function dialogDocument(session: CaptureSession, d: Dialog): DialogDocument {
  return finish(dialogDocumentSteps(session, d));
}

/** A step a stream, and one a message that is read. */
export function* dialogDocumentSteps(session: CaptureSession, d: Dialog): Steps<DialogDocument> {
  const facts = yield* dialogFactsSteps(session, d);
  const recording = yield* recordingMetadata(d, session.log);
  const tags = yield* tagsOf(session, d, facts);
  const intervals = Math.floor(MAX_DIALOG_INTERVALS / Math.max(1, facts.streams.length));
  const streams: RtpStream[] = [];
  for (const { stream, quality } of facts.streams) {
    session.documentLosses.intervals += Math.max(0, quality.windows.length - intervals);
    streams.push(toRtpStream(stream, quality, session.sources, intervals));
    yield;
  }
  return toDialogDocument(
    d,
    streams,
    {
      diagnosis: toDiagnosis(facts.media, facts.relay, facts.stunMismatch),
      signaling: facts.signaling === null ? null : toSignalingDiagnosis(facts.signaling),
      icmpMedia: toIcmpMedia(session.icmp.media, facts.icmp),
      recording: recording === null ? null : toSiprecMetadata(recording),
      tags,
    },
    session.sources,
  );
}
