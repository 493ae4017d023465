/**
 * What went wrong with a call's media: no media, one way only, from an address nobody named.
 *
 * Streams are compared by where they run, not counted: relays make four streams of one call, and some
 * senders give every stream the same SSRC. Definitions: docs/diagnosis.md; thresholds: core/thresholds.ts.
 */

import { endpointKeyAddress, endpointKeyHost, endpointKeyText } from '../../core/ip.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import type { Steps } from '../../core/turns.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import { isNowhere } from '../../store/media/sdp-timeline.ts';
import type { MediaFindings } from '../findings.ts';
import { noMediaFault } from '../findings.ts';
import { note } from '../hint.ts';
import type { Agreement } from './agreements.ts';
import { agreements } from './agreements.ts';
import { checkAsymmetry } from './asymmetry.ts';
import type { MediaCase, MediaCheck, MediaContext, MediaStream } from './check.ts';
import { checkCodecChange } from './codec-change.ts';
import { checkElsewhere } from './elsewhere.ts';
import { checkIce } from './ice-failed.ts';
import { checkLate } from './late-media.ts';
import { checkOneWay } from './one-way.ts';
import { checkPayloadTypes } from './payload-type-mismatch.ts';
import { checkRemote } from './remote-hears-nothing.ts';
import { checkReports } from './reports.ts';
import { checkSilentAudio } from './silent-audio.ts';
import { checkSrtp } from './srtp-mismatch.ts';
import { checkStopped } from './stop.ts';
import { checkTwoSenders } from './two-senders.ts';
import { Ways } from './ways.ts';

/** Agreements without media whose path is looked at. @cap */
const MAX_AGREEMENTS = 16;

/** In this order. `needsAll`: what is missing may be what was evicted, or refused while the call ran. */
const CHECKS: readonly { readonly check: MediaCheck; readonly needsAll: boolean }[] = [
  { check: checkIce, needsAll: true },
  { check: checkNoMedia, needsAll: true },
  { check: checkElsewhere, needsAll: true },
  { check: checkOneWay, needsAll: true },
  { check: checkStopped, needsAll: true },
  { check: checkTwoSenders, needsAll: false },
  { check: checkSilentAudio, needsAll: true },
  { check: checkNat, needsAll: false },
  { check: checkPrivate, needsAll: false },
  { check: checkLate, needsAll: true },
  { check: checkPayloadTypes, needsAll: true },
  { check: checkAsymmetry, needsAll: true },
  { check: checkCodecChange, needsAll: false },
  { check: checkSrtp, needsAll: true },
  { check: checkRemote, needsAll: true },
  { check: checkReports, needsAll: false },
];

const ALL = CHECKS.map(({ check }) => check);
const FOR_SOME = CHECKS.filter(({ needsAll }) => !needsAll).map(({ check }) => check);

/** All checks at once. */
export function diagnoseMedia(d: Dialog, streams: readonly MediaStream[], context: MediaContext): MediaFindings {
  const found = noMediaFault();
  const c = caseOf(d, streams, context);
  for (const check of checksOf(c)) check(c, found);
  return found;
}

/** A step a check. */
export function* diagnoseWide(d: Dialog, streams: readonly MediaStream[], context: MediaContext): Steps<MediaFindings> {
  const found = noMediaFault();
  const c = caseOf(d, streams, context);
  for (const check of checksOf(c)) {
    check(c, found);
    yield;
  }
  return found;
}

/** `context` becomes the case: a copy of it would cost every call. */
function caseOf(d: Dialog, streams: readonly MediaStream[], context: MediaContext): MediaCase {
  const during = streams.filter((s) => !(s.firstUs > d.endedUs));
  const audio = during.filter((s) => s.stream.claim?.mediaType === 'audio' && s.packets > 0);
  return Object.assign(context, { d, streams, during, audio, ways: new Ways(audio) });
}

function checksOf({ d, during, refusedUs }: MediaCase): readonly MediaCheck[] {
  // A stream of an open section may be the audio that seems to be missing.
  const isOpen = during.some((s) => s.stream.claim?.mediaType === '');
  const hasAll = (d.marks & MARK.MEDIA_EVICTED) === 0 && !(refusedUs >= d.createdUs) && !isOpen;
  return hasAll ? ALL : FOR_SOME;
}

/** Who holds may send music or nothing: only what both are to send and to receive is missing. */
function activeRtp(e: SdpEntry | undefined): boolean {
  return e?.media.some((m) => m.isRtp && m.port !== 0 && m.mode === 'sendrecv' && !isNowhere(m.address)) ?? false;
}

function checkNoMedia(c: MediaCase, f: MediaFindings): void {
  const { d } = c;
  if (!c.isRtpCaptured || c.during.length > 0 || Number.isNaN(d.answerUs)) return;
  // Sender reports that count packets say that there is media, only not here.
  if (c.unseen.some((u) => u.sentPackets > 0)) return;
  const silent = silentAgreement(c, hasIceFailed(f));
  if (silent === null || c.sharesMedia() || c.ice().mayRunElsewhere) return;
  const ends = silent.bySide.map((said) => `${said.at(-1)?.address}:${said.at(-1)?.port}`).join(' and ');
  const linked = hasIceFailed(f) ? null : c.linkedMedia();
  if (linked !== null) {
    f.hints.push(
      note(`Not captured on this leg: no RTP was seen at ${ends}, but the leg ${linked} of the same call has media.`),
    );
    return;
  }
  f.noMedia = true;
  f.hints.push({ finding: 'no-media', text: `The call was answered, but no RTP was seen at ${ends}.` });
}

/** Its checks would have been answered here. */
function hasIceFailed({ hints }: MediaFindings): boolean {
  return hints.some(({ finding }) => finding === 'ice-failed');
}

/** Descriptions that promised media for long enough, between sockets whose media would come past this capture. */
function silentAgreement(c: MediaCase, isOpen: boolean): Agreement<SdpEntry> | null {
  const { d, nowUs, thresholds } = c;
  const all = [...agreements(d.sdp ?? [])];
  let left = MAX_AGREEMENTS;
  for (const [i, agreement] of all.entries()) {
    const fromUs = Math.max(agreement.answeredUs, d.answerUs);
    const toUs = all[i + 1]?.answeredUs ?? (Number.isNaN(d.byeUs) ? nowUs : d.byeUs);
    const isLong = (toUs - fromUs) / 1e6 >= thresholds.noMediaSec;
    const isPromised = agreement.bySide.every((said) => activeRtp(said.at(-1)));
    if (!isLong || !isPromised) continue;
    if (left-- === 0) return null;
    if (isOpen || c.pathGround(agreement) === 'open') return agreement;
  }
  return null;
}

function checkNat({ d, audio, ways }: MediaCase, f: MediaFindings): void {
  // Candidates and a=rtcp are named too. Nearly all media comes from where it is sent to.
  const claimed = d.claimedKeys.map(endpointKeyHost);
  const strangers = audio.filter((s) => !claimed.includes(endpointKeyHost(s.stream.srcKey)));
  if (strangers.length === 0) return;
  const bySide = [new Set<string>(), new Set<string>()] as const;
  for (const e of d.sdp ?? [])
    for (const m of e.media) if (m.address !== null) bySide[e.side === 0 ? 0 : 1].add(m.address);
  // Of a side whose description is not here, nobody knows where its media should come from.
  if (bySide.some((addresses) => addresses.size === 0)) return;
  const seenUs = Number.isNaN(d.answerUs) ? describedUs(d) : Number.NEGATIVE_INFINITY;
  for (const s of strangers) {
    // Where the capture began later, it may have been named before.
    if (s.firstUs < seenUs) continue;
    const from = endpointKeyAddress(s.stream.srcKey);
    if (bySide.some((addresses) => addresses.has(from))) continue;
    // A relay names its own address to both sides and answers to where the media came from; ICE has checked the pair.
    const to = endpointKeyAddress(s.stream.dstKey);
    const isRelayed = bySide[0].has(to) && bySide[1].has(to);
    const isTwoWay = ways.isAnswered(s.stream);
    // What no relay and no ICE explains is a fault although a peer that latches on to the source may hide it.
    if (isTwoWay && (isRelayed || (d.marks & MARK.ICE) !== 0)) continue;
    f.natMismatch = true;
    f.hints.push({
      finding: 'nat-mismatch',
      text: `NAT mismatch: media comes from ${endpointKeyText(s.stream.srcKey)}, which no SDP of the call named (${[...new Set([...bySide[0], ...bySide[1]])].join(', ')}).`,
    });
    return;
  }
}

/** When both sides had described. */
function describedUs(d: Dialog): number {
  const [a, b] = [0, 1].map((side) => (d.sdp ?? []).find((e) => e.side === side)?.tsUs ?? Number.POSITIVE_INFINITY);
  return Math.max(a ?? 0, b ?? 0);
}

function checkPrivate({ d }: MediaCase, f: MediaFindings): void {
  const entry = (d.sdp ?? []).find((e) => e.toPublicPeer && e.address !== null && isPrivateAddress(e.address));
  if (entry === undefined) return;
  f.privateMediaAddress = true;
  f.hints.push({
    finding: 'private-address',
    text: `The ${entry.isOffer ? 'offer' : 'answer'} named the private address ${entry.address} to a public peer.`,
  });
}
