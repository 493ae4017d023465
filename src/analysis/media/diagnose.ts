/**
 * What went wrong with a call's media: no media, one way only, from an address nobody named.
 *
 * Streams are compared by where they run, not counted: relays make four streams of one call, and some
 * senders give every stream the same SSRC. Definitions: docs/diagnosis.md; thresholds: core/thresholds.ts.
 */

import { counted } from '../../core/counted.ts';
import { endpointKeyAddress, endpointKeyHost, endpointKeyText } from '../../core/ip.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry } from '../../store/media/sdp-timeline.ts';
import { isNowhere } from '../../store/media/sdp-timeline.ts';
import type { MediaFindings } from '../findings.ts';
import { noMediaFault } from '../findings.ts';
import { note } from '../hint.ts';
import type { Agreement } from './agreements.ts';
import { agreements, isTalk } from './agreements.ts';
import { checkAsymmetry, checkLate } from './asymmetry.ts';
import type { MediaCase, MediaCheck, MediaContext, MediaStream } from './check.ts';
import { checkCodecChange } from './codec-change.ts';
import { checkIce } from './ice-failed.ts';
import { checkElsewhere } from './elsewhere.ts';
import { machineOf, senderSide } from './meant-silence.ts';
import { checkReports, hearsUnseen } from './reports.ts';
import { checkSrtp } from './srtp-mismatch.ts';
import { checkStopped, LEAST_PACKETS, wasAnswered } from './stop.ts';
import { Ways } from './ways.ts';

/** In this order. `needsAll`: what is missing may be what was evicted, or refused while the call ran. */
const CHECKS: readonly { readonly check: MediaCheck; readonly needsAll: boolean }[] = [
  { check: checkIce, needsAll: true },
  { check: checkNoMedia, needsAll: true },
  { check: checkElsewhere, needsAll: true },
  { check: checkOneWay, needsAll: true },
  { check: checkStopped, needsAll: true },
  { check: checkNat, needsAll: false },
  { check: checkPrivate, needsAll: false },
  { check: checkLate, needsAll: true },
  { check: checkAsymmetry, needsAll: true },
  { check: checkCodecChange, needsAll: false },
  { check: checkSrtp, needsAll: true },
  { check: checkReports, needsAll: false },
];

export function diagnoseMedia(d: Dialog, streams: readonly MediaStream[], context: MediaContext): MediaFindings {
  const found = noMediaFault();
  const during = streams.filter((s) => !(s.firstUs > d.endedUs));
  const audio = during.filter((s) => s.stream.claim?.mediaType === 'audio' && s.packets > 0);
  // Spelled out: an object that begins with a spread gets a hidden class of its own each time.
  const {
    isRtpCaptured,
    refusedUs,
    pathGround,
    sharesMedia,
    linkedMedia,
    hasOtherKeys,
    ice,
    machines,
    transfers,
    isTapOver,
  } = context;
  const { nowUs, unseen, thresholds } = context;
  const c: MediaCase = {
    isRtpCaptured,
    refusedUs,
    pathGround,
    sharesMedia,
    linkedMedia,
    hasOtherKeys,
    ice,
    machines,
    transfers,
    isTapOver,
    nowUs,
    unseen,
    thresholds,
    d,
    streams,
    during,
    audio,
    ways: new Ways(audio),
  };
  // A stream of an open section may be the audio that seems to be missing.
  const isOpen = during.some((s) => s.stream.claim?.mediaType === '');
  const hasAll = (d.marks & MARK.MEDIA_EVICTED) === 0 && !(context.refusedUs >= d.createdUs) && !isOpen;
  for (const { check, needsAll } of CHECKS) if (hasAll || !needsAll) check(c, found);
  return found;
}

/** What was in force of each side at `atUs`, or first. */
function agreed(d: Dialog, atUs: number): readonly (SdpEntry | undefined)[] {
  let inForce: readonly (SdpEntry | undefined)[] | null = null;
  for (const { answeredUs, bySide } of agreements(d.sdp ?? []))
    if (inForce === null || answeredUs <= atUs) inForce = [bySide[0].at(-1), bySide[1].at(-1)];
  return inForce ?? [];
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
  for (const [i, agreement] of all.entries()) {
    const fromUs = Math.max(agreement.answeredUs, d.answerUs);
    const toUs = all[i + 1]?.answeredUs ?? (Number.isNaN(d.byeUs) ? nowUs : d.byeUs);
    const isLong = (toUs - fromUs) / 1e6 >= thresholds.noMediaSec;
    const isPromised = agreement.bySide.every((said) => activeRtp(said.at(-1)));
    if (isLong && isPromised && (isOpen || c.pathGround(agreement) === 'open')) return agreement;
  }
  return null;
}

/** From the answer on, and once more from the last time the descriptions moved the media or took it off hold. */
function checkOneWay(c: MediaCase, f: MediaFindings): void {
  const { d } = c;
  if (c.audio.length === 0 || !wasAnswered(d)) return;
  // A call that began before the capture may have been held then.
  const answeredUs = Number.isNaN(d.answerUs) ? firstAgreedUs(d) : d.answerUs;
  if (isOneWaySince(c, answeredUs, f)) return;
  const changeUs = lastChangeUs(d);
  if (changeUs > d.answerUs) isOneWaySince(c, changeUs, f);
}

function isOneWaySince(c: MediaCase, sinceUs: number, f: MediaFindings): boolean {
  const { d, audio, ways, thresholds: t } = c;
  // What only reached into it from before is early media or what was before the hold, not the other direction. A beep after
  // it is.
  const heard = audio.filter(
    (s) => !(s.lastUs < sinceUs + t.lateMediaMs * 1000) || (s.firstUs >= sinceUs && s.packets >= LEAST_PACKETS),
  );
  const only = oneWayStream(d, heard, heard.length === audio.length ? ways : new Ways(heard));
  if (only === null) return false;
  const sec = (only.lastUs - Math.max(only.firstUs, Number.isNaN(sinceUs) ? 0 : sinceUs)) / 1e6;
  if (sec < t.oneWaySec) return false;
  const from = endpointKeyText(only.stream.srcKey);
  const to = endpointKeyText(only.stream.dstKey);
  const inForce = agreed(d, only.lastUs);
  const isPromised = inForce.length > 0 && inForce.every((e) => e?.media.some(isTalk) === true);
  if (isPromised) {
    // Who hears a mailbox and sends nothing lacks a direction; who records, or speaks to all that call, answers nobody.
    const sender = senderSide(d, only.stream);
    const silent = machineOf(c.machines(), sender === null ? null : sender === 0 ? 1 : 0);
    const speaks = machineOf(c.machines(), sender);
    if (silent !== null || speaks === 'an announcement') {
      f.hints.push(
        note(`Media ran only from ${from} to ${to} for ${sec.toFixed(1)} s, which ${silent ?? speaks} explains.`),
      );
      return false;
    }
    if (hearsUnseen(c, only, sinceUs)) return false;
    f.oneWayAudio = true;
    f.hints.push({
      finding: 'one-way-audio',
      text:
        sinceUs > d.answerUs
          ? `One-way audio since the media was changed ${((sinceUs - d.answerUs) / 1e6).toFixed(1)} s after the answer: ${from} sent to ${to} for ${sec.toFixed(1)} s and nothing came back.`
          : `One-way audio: ${from} sent ${counted(only.packets, 'packet')} to ${to} in ${sec.toFixed(1)} s and none came back.`,
    });
    return true;
  }
  if ((d.marks & MARK.HELD) !== 0 && !(sinceUs > d.answerUs))
    f.hints.push(note(`Media ran only from ${from} to ${to} for ${sec.toFixed(1)} s, which the hold explains.`));
  return false;
}

/** NaN when no agreement was captured. */
function firstAgreedUs(d: Dialog): number {
  for (const { answeredUs } of agreements(d.sdp ?? [])) return answeredUs;
  return Number.NaN;
}

/** When a description last took the media off hold or moved it; NaN when none did. */
function lastChangeUs(d: Dialog): number {
  let atUs = Number.NaN;
  for (const { event, isRefused, tsUs } of d.sdp ?? [])
    if (!isRefused && (event === 'resume' || event === 'media_anchor_change' || event === 'transfer')) atUs = tsUs;
  return atUs;
}

/** The stream that nothing answers, or null: of the whole call, or of a party whose relay sends it nothing. */
function oneWayStream(d: Dialog, heard: readonly MediaStream[], ways: Ways<MediaStream>): MediaStream | null {
  const isAnswered = heard.some((a) => a.hasReverse || ways.isAnswered(a.stream));
  if (!isAnswered && !isFromBesideAny(d, heard)) return longest(heard);
  // Most calls: each stream has one that runs back to the host that sent it.
  if (heard.every((a) => !a.hasReverse && ways.isAnswered(a.stream))) return null;
  for (const host of partyHosts(d)) {
    const sent = heard.filter((s) => endpointKeyAddress(s.stream.srcKey) === host && !s.hasReverse);
    if (sent.length > 0 && !heard.some((s) => endpointKeyAddress(s.stream.dstKey) === host)) return longest(sent);
  }
  return null;
}

function isFromBesideAny(d: Dialog, heard: readonly MediaStream[]): boolean {
  if (heard.length < 2) return false;
  const named = namedAddresses(d);
  return heard.some((a) => heard.some((b) => isFromBeside(a, b, named)));
}

/**
 * `back` comes to where `there` comes from, from a host nobody named, while `there` goes to one that was named: a host
 * with two addresses answers. A private address that was named is another host's, or behind a NAT, unless both are
 * neighbours: then nothing arrives.
 */
function isFromBeside(there: MediaStream, back: MediaStream, named: ReadonlySet<string>): boolean {
  const to = endpointKeyAddress(there.stream.dstKey);
  const from = endpointKeyAddress(back.stream.srcKey);
  if (endpointKeyAddress(back.stream.dstKey) !== endpointKeyAddress(there.stream.srcKey)) return false;
  return named.has(to) && !named.has(from) && (!isPrivateAddress(to) || areNeighbours(to, from));
}

/** In one IPv4 network of 256 addresses. */
function areNeighbours(a: string, b: string): boolean {
  const network = a.slice(0, a.lastIndexOf('.') + 1);
  return network !== '' && b.startsWith(network) && !b.slice(network.length).includes('.');
}

function namedAddresses(d: Dialog): Set<string> {
  const named = new Set<string>();
  for (const e of d.sdp ?? []) for (const m of e.media) if (m.address !== null) named.add(m.address);
  return named;
}

function longest(streams: readonly MediaStream[]): MediaStream | null {
  return streams.reduce<MediaStream | null>((w, s) => (w === null || s.packets > w.packets ? s : w), null);
}

/** Hosts that named themselves for media in what they sent themselves: the parties, not what relays between them. */
function partyHosts(d: Dialog): string[] {
  const bySide = [new Set<string>(), new Set<string>()] as const;
  for (const e of d.sdp ?? [])
    if (e.address !== null && e.address === endpointKeyAddress(e.sender)) bySide[e.side === 0 ? 0 : 1].add(e.address);
  const [a, b] = bySide;
  return [...[...a].filter((host) => !b.has(host)), ...[...b].filter((host) => !a.has(host))];
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
  for (const s of strangers) {
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

function checkPrivate({ d }: MediaCase, f: MediaFindings): void {
  const entry = (d.sdp ?? []).find((e) => e.toPublicPeer && e.address !== null && isPrivateAddress(e.address));
  if (entry === undefined) return;
  f.privateMediaAddress = true;
  f.hints.push({
    finding: 'private-address',
    text: `The ${entry.isOffer ? 'offer' : 'answer'} named the private address ${entry.address} to a public peer.`,
  });
}
