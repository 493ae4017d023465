/**
 * Finds media that begins late: of one side while the other one sends, or of both.
 *
 * A side may send from the answer on, with ICE or DTLS once these are through (RFC 8445 section 12, RFC 5764 section 5): the
 * first packet of the other side proves that they are. It says nothing of who was to send later (hold, re-INVITE, transfer),
 * of who sent before the answer, of machines, of who may be silent, and of who speaks in turn: a push-to-talk phone sends
 * when the other one does not.
 */
import { counted } from '../../core/counted.ts';
import { endpointKeyText } from '../../core/ip.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { MediaFindings } from '../findings.ts';
import { note } from '../hint.ts';
import { agreements, isTalk } from './agreements.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { machineOf, senderSide } from './meant-silence.ts';
import { endOf, LEAST_PACKETS, maySilence } from './stop.ts';

/** So late is a fault; and who comes later still was muted, or waited for a turn. */
const LATE_US = 2_000_000;
const MUTED_US = 15_000_000;
/** Packets that a sender counts beyond those seen here: it began before. */
const UNSEEN_PACKETS = 25;

type Direction = { readonly side: 0 | 1; readonly streams: readonly MediaStream[]; readonly first: MediaStream };

export function checkLate(c: MediaCase, f: MediaFindings): void {
  const { d, audio, thresholds: t } = c;
  // Most calls: everything begins with the answer.
  const leastUs = t.lateMediaMs * 1000;
  if (Number.isNaN(d.answerUs) || !audio.some((s) => s.firstUs - d.answerUs > leastUs)) return;
  const late = lateText(c);
  if (late !== null) {
    f.hints.push({ finding: 'late-media', text: late });
    return;
  }
  const lateUs = firstOf(audio).firstUs - Math.max(d.answerUs, activeUs(d));
  if (lateUs > leastUs)
    f.hints.push(note(`Late media: the first packet came ${Math.round(lateUs / 1000)} ms after the answer.`));
}

/** When both sides had first agreed to media: a call set up on hold has none until a re-INVITE brings it. */
function activeUs(d: Dialog): number {
  const isActive = [true, true];
  let wasHeld = false;
  for (const e of d.sdp ?? []) {
    if (e.isRefused) continue;
    isActive[e.side] = e.mode !== 'inactive' && e.address !== '0.0.0.0' && e.address !== '::';
    if (isActive[0] !== true || isActive[1] !== true) wasHeld = true;
    else return wasHeld ? e.tsUs : d.answerUs;
  }
  return wasHeld ? Number.POSITIVE_INFINITY : d.answerUs;
}

/** The sentence; null where nothing is late, or something explains it. */
function lateText(c: MediaCase): string | null {
  const { d, audio } = c;
  if (audio.every((s) => s.firstUs - d.answerUs < LATE_US)) return null;
  const directions = directionsOf(d, audio);
  if (directions === null) return null;
  const [other, late] = directions;
  const { firstUs } = late.first;
  const sinceUs = talkSinceUs(d);
  const isEarlier = sinceUs === null || firstUs - sinceUs < LATE_US || firstUs - sinceUs > MUTED_US;
  if (isEarlier || isExplained(c, late, sinceUs)) return null;
  const after = `${((firstUs - d.answerUs) / 1e6).toFixed(1)} s after the answer`;
  const fromUs = Math.max(sinceUs, other.first.firstUs);
  if (firstUs - fromUs >= LATE_US)
    return sendsOn(other, firstUs)
      ? `Late media: ${named(late)} began to send ${after}; ${named(other)} sent about ${counted(sentIn(other, fromUs, firstUs), 'packet')} meanwhile.`
      : null;
  // What ICE and DTLS took, nobody could send.
  const bothUs = other.first.firstUs;
  const isOpen = (d.marks & (MARK.ICE | MARK.SRTP)) === 0;
  if (!isOpen || bothUs - sinceUs < LATE_US || isExplained(c, other, sinceUs)) return null;
  return `Late media: neither side sent until ${named(other)} began ${((bothUs - d.answerUs) / 1e6).toFixed(1)} s after the answer.`;
}

/** Both directions, the earlier one first; null where it is not known of a stream who sends it, or one is missing. */
function directionsOf(d: Dialog, audio: readonly MediaStream[]): readonly [Direction, Direction] | null {
  const bySide: [MediaStream[], MediaStream[]] = [[], []];
  for (const s of audio) {
    const side = senderSide(d, s.stream);
    if (side === null) return null;
    bySide[side].push(s);
  }
  const [a, b] = bySide;
  if (a.length === 0 || b.length === 0) return null;
  const caller: Direction = { side: 0, streams: a, first: firstOf(a) };
  const callee: Direction = { side: 1, streams: b, first: firstOf(b) };
  return caller.first.firstUs <= callee.first.firstUs ? [caller, callee] : [callee, caller];
}

function firstOf(streams: readonly MediaStream[]): MediaStream {
  return streams.reduce((a, b) => (b.firstUs < a.firstUs ? b : a));
}

/** From when on both sides were to send and to receive, by what was in force with the answer; null where they were not. */
function talkSinceUs(d: Dialog): number | null {
  let sinceUs: number | null = null;
  for (const { offeredUs, answeredUs, bySide } of agreements(d.sdp ?? [])) {
    // The 2xx itself may bring the offer (RFC 3264 section 4): then the ACK answers it.
    if (offeredUs > d.answerUs) break;
    const isPromised = bySide.every((said) => said.at(-1)?.media.some(isTalk) === true);
    sinceUs = isPromised ? Math.max(answeredUs, d.answerUs) : null;
  }
  return sinceUs;
}

/** Something explains that the direction begins when it does. */
function isExplained(c: MediaCase, { side, streams, first }: Direction, sinceUs: number): boolean {
  const { d } = c;
  const wasChanged = (d.sdp ?? []).some((e) => e.isOffer && e.tsUs > sinceUs && e.tsUs <= first.firstUs);
  if (wasChanged || streams.reduce((n, s) => n + s.packets, 0) < LEAST_PACKETS) return true;
  // It began before, where this capture does not look.
  const isElsewhere = streams.some(({ stream, expected }) => {
    const sent = stream.rtcp?.lastSenderPackets ?? 0;
    return sent > expected + UNSEEN_PACKETS;
  });
  if (isElsewhere || c.unseen.some(({ sentPackets }) => sentPackets > 0)) return true;
  // Who stops again speaks in turn. Where one side suppresses silence, nobody can tell whether the other one does.
  const lastUs = streams.reduce((us, s) => Math.max(us, s.lastUs), 0);
  const isRunning = Number.isNaN(d.byeUs) && Number.isNaN(d.endedUs);
  // As long as it may be heard to stop.
  if (isRunning && lastUs - first.firstUs < MUTED_US) return true;
  if (endOf(d, c.nowUs) - lastUs > LATE_US || c.audio.some((s) => isSparse(s) || maySilence(d, s))) return true;
  // Until the ACK nobody knows that the 2xx arrived.
  const ackUs = c.ackUs();
  if (ackUs > sinceUs && first.firstUs - ackUs < LATE_US) return true;
  if (c.transfers().some(({ fromUs }) => fromUs < first.firstUs)) return true;
  return machineOf(c.machines(), side) !== null || c.sharesMedia();
}

/** It sent for less than nine tenths of its time: with DTX it is silent between its frames of noise. */
export function isSparse({ expected, packetMs, firstUs, lastUs }: MediaStream): boolean {
  return packetMs > 0 && expected * packetMs < 0.9 * ((lastUs - firstUs) / 1000);
}

/** It sends past that time: the two do not speak in turn. */
function sendsOn({ streams }: Direction, atUs: number): boolean {
  return streams.some((s) => s.firstUs < atUs && s.lastUs > atUs);
}

/** Of a relay's streams the same packets count once. */
function sentIn({ streams }: Direction, fromUs: number, toUs: number): number {
  return Math.max(...streams.map((s) => packetsIn(s, fromUs, toUs)));
}

/** About so many packets of a stream, by its share of the time. */
export function packetsIn({ packets, firstUs, lastUs }: MediaStream, fromUs: number, toUs: number): number {
  const overlapUs = Math.max(0, Math.min(lastUs, toUs) - Math.max(firstUs, fromUs));
  return lastUs > firstUs ? Math.round((packets * overlapUs) / (lastUs - firstUs)) : 0;
}

function named({ side, first }: Direction): string {
  return `the ${side === 0 ? 'caller' : 'callee'} at ${endpointKeyText(first.stream.srcKey)}`;
}
