/**
 * Two sources that send to one socket of a party at once: it plays both, or what comes of them (RFC 3550 section 8.2 gives
 * each source an SSRC of its own, and leaves to the receiver what it plays).
 */
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { MediaFindings } from '../findings.ts';
import { DEFAULT_PACKET_MS } from '../mixed-stream.ts';
import { isTalk } from './agreements.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { inForceAt, isPartyOf, socketsOf } from './in-force.ts';
import { wasAnswered } from './stop.ts';

/** Early media and the media of a branch that lost end so soon after the answer; what was moved, after the new description. */
const GRACE_US = 1_000_000;
/** Sequence numbers between a packet and its copy that another tap saw. */
const MOST_APART = 250;
/** Pairs of streams to one socket that are looked at. @cap */
const MAX_PAIRS = 16;
/** Two in one stream for less of the call may be the music of a hold on another leg. */
const MOST_HELD = 0.75;

export function checkTwoSenders(c: MediaCase, f: MediaFindings): void {
  const { d, audio } = c;
  // ICE may send over two pairs while it chooses one.
  if ((d.marks & MARK.ICE) !== 0 || !wasAnswered(d)) return;
  const mixed = audio.find((s) => s.isMixed);
  const mixedText = mixed === undefined ? null : asOneStream(c, mixed);
  if (mixedText !== null && !c.sharesMedia()) {
    f.hints.push({ finding: 'two-senders', text: mixedText });
    return;
  }
  let left = MAX_PAIRS;
  // At most MAX_DIALOG_STREAMS of one call; nearly always each goes to a socket of its own.
  for (const b of audio)
    for (const a of audio) {
      if (a === b) break;
      if (a.stream.dstKey !== b.stream.dstKey || a.stream.srcKey === b.stream.srcKey) continue;
      if (left-- === 0) return;
      const text = areAtOnce(c, a, b);
      if (text === null) continue;
      if (c.sharesMedia()) return;
      f.hints.push({ finding: 'two-senders', text });
      return;
    }
}

/** The sentence, or null where they are copies, or do not send at once while both sides talk. */
function areAtOnce(c: MediaCase, a: MediaStream, b: MediaStream): string | null {
  const { d, thresholds: t } = c;
  if (isGroup(a.stream.dstKey) || isCopy(a, b)) return null;
  const toUs = Math.min(a.lastUs, b.lastUs);
  const inForce = inForceAt(d, toUs);
  if (inForce === null || !inForce.bySide.every((said) => said.at(-1)?.media.some(isTalk))) return null;
  const answeredUs = Number.isNaN(d.answerUs) ? inForce.sinceUs : Math.max(d.answerUs, inForce.sinceUs);
  const fromUs = Math.max(a.firstUs, b.firstUs, answeredUs + GRACE_US);
  // Each may have been silent while the other spoke.
  if (toUs - fromUs - silentUs(a) - silentUs(b) < t.noMediaSec * 1e6) return null;
  const there = endpointKeyText(a.stream.dstKey);
  const sideOf = (socket: string): number => inForce.bySide.findIndex((said) => isPartyOf(said, socket));
  const relayed = sideOf(there) === -1 ? passedOn(c, a, b, toUs - t.noMediaSec * 1e6) : null;
  const to = relayed === null ? there : endpointKeyText(relayed);
  const side = sideOf(to);
  if (side === -1) return null;
  const who = side === 0 ? 'the caller' : 'the callee';
  const named = socketsOf(inForce.bySide.flat());
  const strangers = [a, b].map((s) => s.stream.srcKey).filter((key) => !named.has(endpointKeyText(key)));
  const [from, other] = [a, b].map((s) => endpointKeyText(s.stream.srcKey));
  const sec = ((toUs - fromUs) / 1e6).toFixed(1);
  const way = relayed === null ? '' : `the relay at ${there}, which passed both on to `;
  return `Two senders: ${from} and ${other} both sent to ${way}${who} at ${to} for ${sec} s. ${strangers.map((key) => whose(d, key)).join('')}What ${who} hears is garbled.`;
}

/** Where a relay sends what both sent to it, each with its SSRC; null where it chooses. They have begun by `sinceUs`. */
function passedOn({ audio }: MediaCase, a: MediaStream, b: MediaStream, sinceUs: number): EndpointKey | null {
  if (a.stream.ssrc === b.stream.ssrc) return null;
  const relay = endpointKeyAddress(a.stream.dstKey);
  const [ofA = [], ofB = []] = [a, b].map((s) =>
    audio.filter(
      (o) =>
        o.stream.ssrc === s.stream.ssrc &&
        endpointKeyAddress(o.stream.srcKey) === relay &&
        o.firstUs < sinceUs &&
        o.lastUs > Math.min(a.lastUs, b.lastUs) - GRACE_US,
    ),
  );
  return ofA.find((p) => ofB.some((q) => q.stream.dstKey === p.stream.dstKey))?.stream.dstKey ?? null;
}

/** Two sources behind one socket that share an SSRC look like one stream (mixed-stream.ts). */
function asOneStream({ d, thresholds: t }: MediaCase, s: MediaStream): string | null {
  const { others, duplicates } = s.snapshot;
  if (isGroup(s.stream.dstKey)) return null;
  // What was mixed before the answer was a ring tone and an announcement.
  const earlyMs = Math.max(0, (d.answerUs + GRACE_US - s.firstUs) / 1000) || 0;
  const othersMs = others * (s.packetMs || DEFAULT_PACKET_MS) - earlyMs;
  const untilUs = d.endedUs < s.lastUs ? d.endedUs : s.lastUs;
  // Asterisk's native bridge sends music and the other party at once while somebody holds on another leg.
  const leastMs = Math.max(t.noMediaSec * 1000, ((untilUs - s.firstUs) / 1000 - earlyMs) * MOST_HELD);
  if (othersMs < leastMs) return null;
  const inForce = inForceAt(d, s.lastUs);
  if (inForce === null || !inForce.bySide.every((said) => said.at(-1)?.media.some(isTalk))) return null;
  const [from, to] = [s.stream.srcKey, s.stream.dstKey].map(endpointKeyText);
  const side = inForce.bySide.findIndex((said) => isPartyOf(said, to ?? ''));
  if (side === -1) return null;
  const who = side === 0 ? 'the caller' : 'the callee';
  const sec = ((s.lastUs - s.firstUs) / 1e6).toFixed(1);
  return `Two senders: two sources behind ${from} with one SSRC both sent to ${who} at ${to}: at least ${others} of ${s.packets - duplicates} packets in ${sec} s have numbers and timestamps of their own, so there is no MOS. What ${who} hears is garbled.`;
}

function whose(d: Dialog, key: EndpointKey): string {
  const socket = endpointKeyText(key);
  return d.claimedKeys.includes(key) ? `${socket} is of an earlier description. ` : `No description named ${socket}. `;
}

/** How long it sent nothing between its first and its last packet; endless where its packet time is not known. */
function silentUs({ firstUs, lastUs, packets, expected, lost, packetMs, codec }: MediaStream): number {
  if (packetMs === 0 || codec === 'telephone-event' || codec === 'CN') return Number.POSITIVE_INFINITY;
  return Math.max(0, lastUs - firstUs - Math.min(packets, expected - lost) * packetMs * 1000);
}

/** The same packets before and behind a NAT. */
function isCopy(a: MediaStream, b: MediaStream): boolean {
  if (a.stream.ssrc !== b.stream.ssrc) return false;
  if (a.packetMs === 0) return true;
  const apart = b.lastSequence - a.lastSequence - Math.round((b.lastUs - a.lastUs) / 1000 / a.packetMs);
  const mod = ((apart % 65_536) + 65_536) % 65_536;
  return Math.min(mod, 65_536 - mod) <= MOST_APART;
}

function isGroup(key: EndpointKey): boolean {
  return /^(?:22[4-9]|23\d)\.|^ff/i.test(endpointKeyAddress(key));
}
