/**
 * Everything that analysis knows about one dialog: its streams with their quality, and what is wrong.
 */
import type { Steps } from '../core/steps.ts';
import { finish } from '../core/steps.ts';
import type { StreamSnapshot } from '../protocols/rtp/stream-snapshot.ts';
import { packetMs } from '../protocols/rtp/stream-snapshot.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import type { UnseenStream } from '../store/media/unseen-streams.ts';
import type { Stores, Streams } from '../store/stores.ts';
import type { Evidence } from './evidence.ts';
import type { IcmpFinding } from './icmp-media.ts';
import { icmpFindings } from './icmp-media.ts';
import { isTapOver } from './linked-media.ts';
import { diagnoseMedia } from './media.ts';
import type { MediaFindings, MediaStream } from './media-model.ts';
import type { MediaRelay, StunMismatch } from './relay.ts';
import { findRelay, findStunMismatch, lapsedHint, stunMismatchHint } from './relay.ts';
import type { SignalingFindings } from './signaling/diagnose.ts';
import { diagnoseSignaling } from './signaling/diagnose.ts';
import type { StreamQuality } from './stream-quality.ts';
import { FIRST_DYNAMIC_PT, streamFormat, streamQuality } from './stream-quality.ts';
import { isMediaPathVisible } from './vantage.ts';

/** Calls looked at that share a socket with one; load generators let all their calls share one. */
const MAX_SHARING = 64;
/** Streams looked at of those calls. */
const MAX_SHARED_STREAMS = 1_024;

/** A stream and its quality, or null when its counters are gone. */
export function qualityOf(e: Evidence, stream: Stream): StreamQuality | null {
  return streamQuality(stream, e.capture.quality);
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
export function* keptDialog<T>({ dialogs }: Stores, d: Dialog, steps: Steps<T>): Steps<T | null> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
    if (dialogs.bySlot(d.slot) !== d) return null;
  }
}

/** A document of the dialog that has this Call-ID when the first step is taken; null when there is none. */
export function* ofDialog<T>(stores: Stores, callId: string, steps: (d: Dialog) => Steps<T>): Steps<T | null> {
  const d = stores.dialogs.get(callId);
  return d === undefined ? null : yield* keptDialog(stores, d, steps(d));
}

/** All at once, for who holds nobody up. */
export function dialogFacts(e: Evidence, d: Dialog): DialogFacts {
  return finish(dialogFactsSteps(e, d));
}

/** A step a stream, and one for each of the detections. */
export function* dialogFactsSteps(e: Evidence, d: Dialog): Steps<DialogFacts> {
  const streams: DialogFacts['streams'] = [];
  for (const stream of e.stores.streams.ownedBy(d)) {
    const quality = qualityOf(e, stream);
    if (quality === null) continue;
    streams.push({ stream, quality });
    yield;
  }
  const reverse = new Reverse(e.stores, d, streams.length);
  const { capture, stores } = e;
  const { stun, icmp } = stores;
  const nowUs = capture.nowOf(d);
  const { thresholds } = e.rules;
  // Media is captured by our clock: a call of another time is not held against it, and what is replayed has none.
  const isForeign = d.clock?.isForeign === true;
  const media = diagnoseMedia(
    d,
    isForeign ? [] : streams.map(({ stream, quality }) => mediaStream(stream, quality, reverse)),
    {
      isRtpCaptured: capture.capturesRtp && !isForeign,
      sawRtp: capture.sawRtp,
      refusedUs: capture.refusedUs,
      isPathVisible: () => isMediaPathVisible(d, e.stores.log, e.stores.streams.fromNewest()),
      sharesMedia: () => sharesMedia(stores.streams, d),
      linkedMedia: () => e.legs.withMedia(d),
      isTapOver: ({ stream }, atUs) => isTapOver(stores.streams, d, stream, atUs),
      nowUs,
      unseen: unseenStreams(e, d),
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
    signaling: diagnoseSignaling(d, e.stores.log, { nowUs, thresholds, icmp: icmp.notes(d) }),
  };
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
export function spokenPacketMs({ snapshot, clockRate }: StreamQuality): number {
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
function unseenStreams(e: Evidence, d: Dialog): UnseenStream[] {
  const { unseen } = e.stores;
  if (unseen.size === 0) return [];
  const found = new Set<UnseenStream>();
  // A relay may carry RTCP from another address than the media.
  const seen = new Set(e.stores.streams.ownedBy(d).map((s) => s.ssrc));
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
  readonly #streams: Streams;
  readonly #ways = new Map<string, Stream[]>();

  /** Of a call without streams nothing is asked. */
  constructor({ streams: store }: Stores, d: Dialog, streams: number) {
    this.#streams = store;
    if (streams === 0) return;
    let left = MAX_SHARED_STREAMS;
    for (const other of sharing(d))
      for (const stream of store.ownedBy(other)) {
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
      if (s.openedUs <= lastUs && this.#streams.lastSeenUs(s) >= firstUs) return true;
    return false;
  }
}

/** A call that shares this one's sockets has media there. */
function sharesMedia(streams: Streams, d: Dialog): boolean {
  const keys = new Set(d.claimedKeys ?? []);
  for (const other of sharing(d))
    if (streams.ownedBy(other).some((s) => keys.has(s.srcKey) || keys.has(s.dstKey))) return true;
  return false;
}
