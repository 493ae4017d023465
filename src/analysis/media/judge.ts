/**
 * What the media detections are given of a call: its streams with their surroundings, and what the capture around them
 * can have seen.
 */

import { grouped } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import type { Steps } from '../../core/turns.ts';
import type { StreamSnapshot } from '../../protocols/rtp/stream-snapshot.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { FIRST_DYNAMIC_PT, streamFormat } from '../../store/media/codec-format.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { UnseenStream } from '../../store/media/unseen-streams.ts';
import type { Stores, Streams } from '../../store/stores.ts';
import type { CallStream, JudgedCall } from '../call.ts';
import type { CallFindings } from '../findings.ts';
import { spokenPacketMs } from '../stream-quality.ts';
import type { MediaContext, MediaStream } from './check.ts';
import { diagnoseMedia, diagnoseWide } from './diagnose.ts';
import { judgeIce } from './ice-verdict.ts';
import { isTapOver, legWithMedia } from './linked-legs.ts';
import { hasConference, machinesOf, transfersOf } from './meant-silence.ts';
import { pathGround } from './path-ground.ts';
import { reportsOf } from './phone-reports.ts';
import { hasOtherKeys } from './srtp-mismatch.ts';

/** Calls looked at that share a socket with one; load generators let all their calls share one. @cap */
const MAX_SHARING = 64;

/** Streams looked at of calls that share a socket with one. @cap */
const MAX_SHARED_STREAMS = 1_024;

/** Calls with more are judged in steps. */
const AT_ONCE_STREAMS = 8;
const AT_ONCE_DESCRIPTIONS = 32;

export function judgeMedia(call: JudgedCall, found: CallFindings): Steps<void> | undefined {
  const { d } = call;
  // Media is captured by our clock: a call of another time is not held against it, and what is replayed has none.
  const isForeign = d.clock?.isForeign === true;
  const streams = isForeign ? [] : call.streams;
  const reverse = new Reverse(call.e.stores, d, streams.length);
  if (streams.length > AT_ONCE_STREAMS || d.sdpCount > AT_ONCE_DESCRIPTIONS)
    return judgeWide(call, found, streams, reverse, contextOf(call, isForeign));
  const seen = streams.map((s) => mediaStream(s, reverse));
  found.media = diagnoseMedia(d, seen, contextOf(call, isForeign));
  return undefined;
}

/** A step a stream, and one a check. */
function* judgeWide(
  { d }: JudgedCall,
  found: CallFindings,
  streams: readonly CallStream[],
  reverse: Reverse,
  context: MediaContext,
): Steps<void> {
  const seen: MediaStream[] = [];
  for (const s of streams) {
    seen.push(mediaStream(s, reverse));
    yield;
  }
  found.media = yield* diagnoseWide(d, seen, context);
}

function contextOf(call: JudgedCall, isForeign: boolean): MediaContext {
  const { d, e, nowUs } = call;
  const { capture, stores, rules } = e;
  return {
    isRtpCaptured: capture.capturesRtp && !isForeign,
    refusedUs: capture.refusedUs,
    pathGround: (agreement) => pathGround(d, agreement, call.messages, stores, e.vantage),
    sharesMedia: once(() => sharesMedia(stores.streams, d)),
    linkedMedia: () => legWithMedia(d, stores.streams, e.ties()),
    hasOtherKeys: () => hasOtherKeys(call.messages),
    ice: once(() => judgeIce(d, stores.stun, call.messages)),
    iceOf: (host) => judgeIce(d, stores.stun, call.messages, host),
    machines: once(() => machinesOf(call.messages)),
    transfers: once(() => ((d.marks & MARK.REFER_ACCEPTED) !== 0 ? transfersOf(call.messages) : [])),
    isConference: () => hasConference(call.messages),
    isTapOver: ({ stream }, atUs) => isTapOver(stores.streams, d, stream, atUs),
    ackUs: () => call.messages.find((m) => m.method === METHOD.ACK && m.tsUs >= d.answerUs)?.tsUs ?? Number.NaN,
    nowUs,
    unseen: unseenStreams(stores, d),
    reports: () => reportsOf(d, stores, call.streams),
    messageAt: (us) => call.messages.find(({ tsUs, isFirst }) => tsUs === us && isFirst)?.index ?? null,
    thresholds: rules.thresholds,
  };
}

/** Several checks may ask for it, or one for many streams. */
function once<T>(make: () => T): () => T {
  let made: { readonly one: T } | undefined;
  return () => {
    made ??= { one: make() };
    return made.one;
  };
}

function mediaStream({ stream, quality }: CallStream, reverse: Reverse): MediaStream {
  const { snapshot } = quality;
  const { payloadTypes } = snapshot;
  const comfortNoisePackets = snapshot.cnPackets + namedNoise(stream, payloadTypes);
  return {
    stream,
    snapshot,
    packets: snapshot.packets,
    expected: snapshot.expected,
    lost: snapshot.lost,
    lastSequence: snapshot.extMax & 0xffff,
    firstUs: snapshot.firstUs,
    lastUs: snapshot.lastUs,
    codec: quality.codec,
    payloadType: quality.payloadType,
    payloadTypes,
    segments: quality.segments.map(({ payloadType, firstUs, lastUs }) => ({
      codec: streamFormat(stream, payloadType)?.name ?? null,
      payloadType,
      firstUs,
      lastUs,
    })),
    packetMs: spokenPacketMs(quality),
    comfortNoisePackets,
    sound: snapshot.sound,
    octet: snapshot.octet,
    hasKeys: snapshot.eventPackets > 0,
    pauses: snapshot.pauses,
    isMixed: quality.isMixed,
    hasReverse: reverse.ran(stream, snapshot.firstUs, snapshot.lastUs),
  };
}

/** Packets of comfort noise under a number that only a description explains (RFC 3389 section 4: rates other than 8000 Hz). */
function namedNoise(stream: Stream, payloadTypes: StreamSnapshot['payloadTypes']): number {
  let packets = 0;
  for (const p of payloadTypes)
    if (p.payloadType >= FIRST_DYNAMIC_PT && streamFormat(stream, p.payloadType)?.name === 'CN') packets += p.packets;
  return packets;
}

/** Streams from the dialog's endpoints, while it lasted, that only RTCP speaks of. */
function unseenStreams({ unseen, streams }: Stores, d: Dialog): UnseenStream[] {
  if (unseen.size === 0) return [];
  const found = new Set<UnseenStream>();
  // A relay may carry RTCP from another address than the media.
  const seen = new Set(streams.ownedBy(d).map((s) => s.ssrc));
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

/** Streams of the calls that share sockets with this one, as many as are compared. */
function* sharedStreams(store: Streams, d: Dialog): Generator<Stream> {
  let left = MAX_SHARED_STREAMS;
  for (const other of sharing(d))
    for (const stream of store.ownedBy(other)) {
      if (left-- === 0) return;
      yield stream;
    }
}

const NO_WAYS: ReadonlyMap<string, readonly Stream[]> = new Map();

/** Streams of the calls that share sockets with one, by the way they run. */
class Reverse {
  readonly #streams: Streams;
  readonly #ways: ReadonlyMap<string, readonly Stream[]>;

  constructor({ streams: store }: Stores, d: Dialog, streams: number) {
    this.#streams = store;
    const isAlone = streams === 0 || d.sharesWith === null;
    this.#ways = isAlone ? NO_WAYS : grouped(sharedStreams(store, d), ({ srcKey, dstKey }) => `${srcKey} ${dstKey}`);
  }

  /** One ran the other way than `stream` between the two times. */
  ran({ srcKey, dstKey }: Stream, firstUs: number, lastUs: number): boolean {
    if (this.#ways.size === 0) return false;
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
