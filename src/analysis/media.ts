/**
 * What went wrong with a call's media: no media, one way only, from an address nobody named.
 *
 * Streams are compared by where they run, not counted: relays make four streams of one call, and some
 * senders give every stream the same SSRC. Definitions and thresholds: docs/operations.md.
 */
import { endpointKeyAddress, endpointKeyText } from '../core/ip.ts';
import { isPrivateAddress } from '../core/private-address.ts';
import type { Dialog } from '../store/dialog.ts';
import { MARK } from '../store/dialog.ts';
import { STATE } from '../store/dialog-state.ts';
import type { SdpEntry } from '../store/sdp-timeline.ts';
import type { Stream } from '../store/stream.ts';

export const MEDIA = {
  /** An answered call must have lasted this long before silence means anything. */
  noMediaSec: 3,
  oneWaySec: 2,
  lateMediaMs: 500,
  ptimeMs: 2,
  /** A side that sends this share of comfort noise is silent and says so. */
  comfortNoisePart: 0.3,
  durationSec: 2,
  durationPart: 0.05,
} as const;

/** A stream with the counters that the detections need. */
export type MediaStream = {
  readonly stream: Stream;
  readonly packets: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly codec: string | null;
  readonly payloadType: number;
  /** Packet time; 0 while unknown. */
  readonly packetMs: number;
  readonly comfortNoisePackets: number;
  /** A stream of another call that named the same sockets ran the other way meanwhile. */
  readonly hasReverse: boolean;
};

/** What the capture as a whole tells about a call's media. */
export type MediaContext = {
  /** RTP was seen at all: without it silence proves nothing. */
  readonly sawRtp: boolean;
  /** Another call that named the same sockets has media there: whose it is cannot be told. */
  readonly sharesMedia: boolean;
  /** Capture clock in microseconds. */
  readonly nowUs: number;
};

export type MediaFindings = {
  oneWayAudio: boolean;
  natMismatch: boolean;
  noMedia: boolean;
  privateMediaAddress: boolean;
  hints: string[];
};

export function diagnoseMedia(d: Dialog, streams: readonly MediaStream[], context: MediaContext): MediaFindings {
  const found: MediaFindings = {
    oneWayAudio: false,
    natMismatch: false,
    noMedia: false,
    privateMediaAddress: false,
    hints: [],
  };
  const audio = streams.filter((s) => s.stream.claim?.mediaType === 'audio' && s.packets > 0);
  checkNoMedia(d, streams, context, found);
  checkOneWay(d, audio, found);
  checkNat(d, audio, found);
  checkPrivate(d, found);
  checkLate(d, audio, found);
  checkAsymmetry(audio, found);
  return found;
}

function lastOfSide(d: Dialog, side: number): SdpEntry | null {
  const entries = d.sdp ?? [];
  for (let i = entries.length - 1; i >= 0; i--) if (entries[i]?.side === side) return entries[i] ?? null;
  return null;
}

function activeRtp(e: SdpEntry | null): boolean {
  return e?.media.some((m) => m.isRtp && m.port !== 0 && m.mode !== 'inactive' && m.address !== '0.0.0.0') ?? false;
}

function answeredSec(d: Dialog, nowUs: number): number {
  if (Number.isNaN(d.answerUs)) return 0;
  return ((Number.isNaN(d.byeUs) ? nowUs : d.byeUs) - d.answerUs) / 1e6;
}

function checkNoMedia(d: Dialog, streams: readonly MediaStream[], c: MediaContext, f: MediaFindings): void {
  const offer = lastOfSide(d, 0);
  const answer = lastOfSide(d, 1);
  if (!c.sawRtp || c.sharesMedia || streams.length > 0 || !activeRtp(offer) || !activeRtp(answer)) return;
  if (answeredSec(d, c.nowUs) < MEDIA.noMediaSec) return;
  f.noMedia = true;
  const ends = [offer, answer].map((e) => `${e?.address}:${e?.port}`).join(' and ');
  f.hints.push(`The call was answered, but no RTP was seen at ${ends}.`);
}

/** True when the two streams run between the same two hosts in opposite directions. */
function isReverse(a: Stream, b: Stream): boolean {
  const aSrc = endpointKeyAddress(a.srcKey);
  const aDst = endpointKeyAddress(a.dstKey);
  if (aSrc !== aDst) return aSrc === endpointKeyAddress(b.dstKey) && aDst === endpointKeyAddress(b.srcKey);
  return a.srcKey === b.dstKey && a.dstKey === b.srcKey;
}

/** True when the two streams run between the same two hosts in the same direction. */
function isSameWay(a: Stream, b: Stream): boolean {
  const aSrc = endpointKeyAddress(a.srcKey);
  const aDst = endpointKeyAddress(a.dstKey);
  if (aSrc !== aDst) return aSrc === endpointKeyAddress(b.srcKey) && aDst === endpointKeyAddress(b.dstKey);
  return a.srcKey === b.srcKey && a.dstKey === b.dstKey;
}

function checkOneWay(d: Dialog, audio: readonly MediaStream[], f: MediaFindings): void {
  if (Number.isNaN(d.answerUs) && d.state !== STATE.InCall) return;
  for (const side of [0, 1]) if (lastOfSide(d, side)?.mode !== 'sendrecv') return;
  if (audio.some((a) => a.hasReverse || audio.some((b) => isReverse(a.stream, b.stream)))) return;
  const longest = audio.reduce<MediaStream | null>((w, s) => (w === null || s.packets > w.packets ? s : w), null);
  if (longest === null) return;
  const sec = (longest.lastUs - longest.firstUs) / 1e6;
  if (sec < MEDIA.oneWaySec) return;
  f.oneWayAudio = true;
  const from = endpointKeyText(longest.stream.srcKey);
  const to = endpointKeyText(longest.stream.dstKey);
  f.hints.push(
    `One-way audio: ${from} sent ${longest.packets} packets to ${to} in ${sec.toFixed(1)} s and none came back.`,
  );
}

function checkNat(d: Dialog, audio: readonly MediaStream[], f: MediaFindings): void {
  const bySide = [new Set<string>(), new Set<string>()] as const;
  for (const e of d.sdp ?? [])
    for (const m of e.media) if (m.address !== null) bySide[e.side === 0 ? 0 : 1].add(m.address);
  const named = new Set([...bySide[0], ...bySide[1]]);
  if (named.size === 0) return;
  // Candidates and a=rtcp are named too.
  const claimed = new Set(d.claimedKeys.map(endpointKeyAddress));
  for (const s of audio) {
    const from = endpointKeyAddress(s.stream.srcKey);
    if (named.has(from) || claimed.has(from)) continue;
    // A relay names its own address to both sides and answers to where the media came from; ICE has checked the pair.
    const to = endpointKeyAddress(s.stream.dstKey);
    const isRelayed = bySide[0].has(to) && bySide[1].has(to);
    const isTwoWay = audio.some((b) => isReverse(s.stream, b.stream));
    if (isTwoWay && (isRelayed || (d.marks & MARK.ICE) !== 0)) continue;
    f.natMismatch = true;
    f.hints.push(
      `NAT mismatch: media comes from ${endpointKeyText(s.stream.srcKey)}, which no SDP of the call named (${[...named].join(', ')}).`,
    );
    return;
  }
}

function checkPrivate(d: Dialog, f: MediaFindings): void {
  const entry = (d.sdp ?? []).find((e) => e.toPublicPeer && e.address !== null && isPrivateAddress(e.address));
  if (entry === undefined) return;
  f.privateMediaAddress = true;
  f.hints.push(
    `The ${entry.isOffer ? 'offer' : 'answer'} named the private address ${entry.address} to a public peer.`,
  );
}

function checkLate(d: Dialog, audio: readonly MediaStream[], f: MediaFindings): void {
  if (Number.isNaN(d.answerUs) || audio.length === 0) return;
  const first = Math.min(...audio.map((s) => s.firstUs));
  const lateMs = (first - d.answerUs) / 1000;
  if (lateMs > MEDIA.lateMediaMs)
    f.hints.push(`Late media: the first packet came ${Math.round(lateMs)} ms after the answer.`);
}

function checkAsymmetry(audio: readonly MediaStream[], f: MediaFindings): void {
  for (const a of audio) {
    const b = audio.find((o) => isReverse(a.stream, o.stream));
    if (b === undefined || a.stream.serial > b.stream.serial) continue;
    const pair = `${endpointKeyText(a.stream.srcKey)} and ${endpointKeyText(b.stream.srcKey)}`;
    if (a.codec !== null && b.codec !== null && a.codec !== b.codec)
      f.hints.push(`Codec asymmetry between ${pair}: ${a.codec} one way, ${b.codec} the other.`);
    else if (a.payloadType !== b.payloadType)
      f.hints.push(`Payload type asymmetry between ${pair}: ${a.payloadType} one way, ${b.payloadType} the other.`);
    if (a.packetMs > 0 && b.packetMs > 0 && Math.abs(a.packetMs - b.packetMs) > MEDIA.ptimeMs)
      f.hints.push(
        `Packet time asymmetry between ${pair}: ${a.packetMs.toFixed(0)} ms one way, ${b.packetMs.toFixed(0)} ms the other.`,
      );
    checkComfortNoise(a, b, f);
    // A direction lasts from its first packet to its last, through every SSRC it used.
    const spans = [a, b].map((way) => {
      const own = audio.filter((s) => isSameWay(way.stream, s.stream));
      return (Math.max(...own.map((s) => s.lastUs)) - Math.min(...own.map((s) => s.firstUs))) / 1e6;
    });
    const long = Math.max(...spans);
    const short = Math.min(...spans);
    if (long - short > MEDIA.durationSec && long - short > long * MEDIA.durationPart)
      f.hints.push(`Duration asymmetry between ${pair}: ${long.toFixed(1)} s against ${short.toFixed(1)} s of media.`);
    return;
  }
}

function checkComfortNoise(a: MediaStream, b: MediaStream, f: MediaFindings): void {
  const [quiet, other] = noiseShare(a) >= noiseShare(b) ? [a, b] : [b, a];
  const share = noiseShare(quiet);
  if (share < MEDIA.comfortNoisePart || noiseShare(other) >= MEDIA.comfortNoisePart) return;
  f.hints.push(
    `Comfort noise asymmetry: ${Math.round(share * 100)} % of the packets from ${endpointKeyText(quiet.stream.srcKey)} are comfort noise.`,
  );
}

function noiseShare(s: MediaStream): number {
  return s.packets === 0 ? 0 : s.comfortNoisePackets / s.packets;
}
