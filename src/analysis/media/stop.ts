/**
 * Finds media that dies while its call continues: which directions stopped, and whether the other one continued (RFC 3264).
 *
 * It says nothing of a hold, of a sender that may be silent (RFC 3389, G.729 Annex B, G.723.1 Annex A, or one that paused
 * before), of media that the descriptions moved, or of a tap that had ended itself.
 */

import { endpointKeyText } from '../../core/ip.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { STATE } from '../../store/dialogs/dialog-state.ts';
import { maySuppressSilence } from '../../store/media/codec-format.ts';
import type { SdpEvent } from '../../store/media/sdp-timeline.ts';
import type { MediaFindings } from '../findings.ts';
import { note } from '../hint.ts';
import { agreements, isTalk } from './agreements.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { inForceAt, socketsOf, withoutLost } from './in-force.ts';
import { machineOf, senderSide, type Transfer } from './meant-silence.ts';
import type { Ways } from './ways.ts';

/** Directions that end this close to each other end together. */
const TOGETHER_US = 1_000_000;
/** Media of a branch that lost ends so soon after the answer. */
const LOST_US = 5_000_000;
/** A tenth of a second: who opens a path or a NAT sends fewer. So many are media, which may stop. */
export const LEAST_PACKETS = 5;

/** Both sides promised to send and to receive all the time. */
type Promised = { readonly fromUs: number; readonly toUs: number; readonly isMoved: boolean };
type Stop = { readonly stream: MediaStream; readonly atUs: number; readonly hasResumed: boolean };

export function checkStopped(c: MediaCase, f: MediaFindings): void {
  const { d, audio } = c;
  if (audio.length === 0 || !wasAnswered(d)) return;
  const startUs = Number.isNaN(d.answerUs) ? d.createdUs : d.answerUs;
  const endUs = endOf(d, c.nowUs);
  // Most calls: every direction was heard until the end, whatever was promised.
  const leastUs = c.thresholds.mediaStopSec * 1e6;
  if (audio.every((s) => endUs - s.lastUs < leastUs)) return;
  const promises = beside(promisesOf(d, startUs, endUs), c.transfers());
  if (promises.length === 0) return;
  const { ways } = c;
  const stops = explained(c, stopsOf(c, ways, promises), f);
  if (stops.length === 0 || c.sharesMedia()) return;
  f.mediaStopped = true;
  const text = (s: Stop): string => {
    const ago = `${Math.round((endUs - s.atUs) / 1e6)} s`;
    const when = !Number.isNaN(d.byeUs)
      ? `${ago} before the BYE`
      : d.endedUs > 0
        ? `${ago} before the end`
        : `${ago} ago`;
    const what = s.hasResumed ? 'media did not come back at' : 'media stopped at';
    return `${what} ${clockText(s.atUs - startUs)}, ${when}`;
  };
  for (let from = 0; from < stops.length; ) {
    const first = stops[from];
    if (first === undefined) break;
    let to = from;
    while (to < stops.length && (stops[to]?.atUs ?? 0) - first.atUs <= TOGETHER_US) to++;
    const last = stops[to - 1] ?? first;
    const src = endpointKeyText(first.stream.stream.srcKey);
    const other = audio.find((s) => s.lastUs - last.atUs > c.thresholds.oneWaySec * 1e6);
    if (other !== undefined)
      f.hints.push({
        finding: 'media-stopped',
        text: `From ${src} ${text(first)}, while ${endpointKeyText(other.stream.srcKey)} sent on: a recording or announcement, or lost media.`,
      });
    else if (ways.reverseOf(first.stream.stream).some((r) => stops.some((s) => s.stream === r)))
      f.hints.push({ finding: 'media-stopped', text: `In both directions ${text(last)}.` });
    else f.hints.push({ finding: 'media-stopped', text: `From ${src} ${text(first)}.` });
    from = to;
  }
}

/** Also where the capture began later: a call that runs, or that an INVITE within it proves and a BYE ended. */
export function wasAnswered({ answerUs, state, byeUs, marks }: Dialog): boolean {
  if (!Number.isNaN(answerUs) || state === STATE.InCall) return true;
  return !Number.isNaN(byeUs) && (marks & MARK.REINVITED) !== 0;
}

/** What was promised outside transfers: who transferred a call away talks no more. */
function beside(promises: readonly Promised[], transfers: readonly Transfer[]): Promised[] {
  let rest = [...promises];
  for (const { fromUs, toUs } of transfers)
    rest = rest.flatMap((p) => {
      if (p.toUs <= fromUs || p.fromUs >= toUs) return [p];
      const before = p.fromUs < fromUs ? [{ ...p, toUs: fromUs }] : [];
      return p.toUs > toUs ? [...before, { ...p, fromUs: toUs }] : before;
    });
  return rest;
}

/** Stops that no machine explains; of those that one does, a hint says which. */
function explained(c: MediaCase, stops: readonly Stop[], f: MediaFindings): Stop[] {
  if (stops.length === 0) return [];
  return stops.filter(({ stream }) => {
    const machine = machineOf(c.machines(), senderSide(c.d, stream.stream));
    if (machine === null) return true;
    f.hints.push(note(`From ${endpointKeyText(stream.stream.srcKey)} media stopped, which ${machine} explains.`));
    return false;
  });
}

/** Capture time by which a call was over; `nowUs` while it runs. */
export function endOf(d: Dialog, nowUs: number): number {
  if (!Number.isNaN(d.byeUs)) return d.byeUs;
  return Number.isNaN(d.endedUs) ? nowUs : d.endedUs;
}

const MOVES: ReadonlySet<SdpEvent> = new Set<SdpEvent>(['media_anchor_change', 'transfer', 't38_switch']);

/** When both sides promised to send and to receive, piece by piece; what moved the media begins another piece. */
function promisesOf(d: Dialog, startUs: number, endUs: number): Promised[] {
  const found: Promised[] = [];
  let fromUs = Number.NaN;
  let isMoved = false;
  const close = (toUs: number): void => {
    if (toUs > startUs && toUs > fromUs) found.push({ fromUs: Math.max(fromUs, startUs), toUs, isMoved });
    fromUs = Number.NaN;
  };
  for (const { offeredUs, answeredUs, bySide } of agreements(d.sdp ?? [])) {
    if (answeredUs > endUs) break;
    const moves = bySide.some((said) => said.some(({ event }) => event !== null && MOVES.has(event)));
    const isPromised = bySide.every((said) => said.at(-1)?.media.some(isTalk) === true);
    if (!Number.isNaN(fromUs) && (!isPromised || moves)) close(offeredUs);
    if (!isPromised) isMoved = moves || (isMoved && Number.isNaN(fromUs));
    else if (Number.isNaN(fromUs)) {
      fromUs = answeredUs;
      isMoved ||= moves;
    }
  }
  if (!Number.isNaN(fromUs)) close(endUs);
  return found;
}

/** One a direction, the earliest first. */
function stopsOf(c: MediaCase, ways: Ways<MediaStream>, promises: readonly Promised[]): Stop[] {
  const { d, audio } = c;
  const stops: Stop[] = [];
  // Where one side suppresses silence, nobody can tell whether the other one does.
  if (audio.some((s) => maySilence(d, s))) return stops;
  const seen = new Set<MediaStream>();
  let lost: ReadonlySet<string> | null = null;
  for (const s of audio) {
    if (seen.has(s)) continue;
    // Who presses keys alone never spoke.
    if (s.codec === 'telephone-event') continue;
    const own = ways.sameAs(s.stream);
    for (const o of own) seen.add(o);
    // Another socket of the same sender, or another sender to the same socket, carries it on.
    const { srcKey, dstKey } = s.stream;
    const heirs = audio.filter((o) => own.includes(o) || o.stream.srcKey === srcKey || o.stream.dstKey === dstKey);
    if (own.reduce((n, o) => n + o.packets, 0) < LEAST_PACKETS) continue;
    const lastUs = Math.max(...heirs.map((o) => o.lastUs));
    const stop = stopAfter(lastUs, promises, c.thresholds.mediaStopSec * 1e6);
    if (stop === null || c.isTapOver(s, stop.atUs)) continue;
    lost ??= lostSockets(d);
    const isLost = lost.has(endpointKeyText(srcKey)) || lost.has(endpointKeyText(dstKey));
    if (isLost && s.lastUs < d.answerUs + LOST_US) continue;
    stops.push({ stream: s, ...stop });
  }
  return stops.sort((a, b) => a.atUs - b.atUs);
}

/** Sockets that only branches of a fork named that lost: nobody promised anything there. */
function lostSockets(d: Dialog): ReadonlySet<string> {
  const said = inForceAt(d, d.answerUs + TOGETHER_US)?.bySide ?? [];
  const lost = socketsOf(said.flat());
  for (const socket of socketsOf(said.flatMap((entries) => withoutLost(d, entries)))) lost.delete(socket);
  return lost;
}

/** The first promise that a direction, heard last at `lastUs`, did not keep for so long. */
function stopAfter(lastUs: number, promises: readonly Promised[], leastUs: number): Omit<Stop, 'stream'> | null {
  for (const { fromUs, toUs, isMoved } of promises) {
    if (toUs <= lastUs) continue;
    const hasResumed = fromUs > lastUs;
    // Where the media went then, other streams tell.
    if (hasResumed && isMoved) return null;
    const atUs = Math.max(lastUs, fromUs);
    if (toUs - atUs >= leastUs) return { atUs, hasResumed };
  }
  return null;
}

/** Its sender may be silent without having stopped: it agreed to, or it did before. */
export function maySilence(d: Dialog, s: MediaStream): boolean {
  if (s.comfortNoisePackets > 0) return true;
  // One that was silent and came back suppresses silence, whatever it agreed to. After a hold the sequence continues as well.
  const holds = (d.sdp ?? []).filter((e) => e.event === 'hold' && !e.isRefused).length;
  if (s.pauses > holds) return true;
  return [0, 1].every((side) => {
    const entry = (d.sdp ?? []).findLast((e) => e.side === side && !e.isRefused && e.tsUs <= s.lastUs);
    return entry?.media.some((m) => m.type === 'audio' && maySuppressSilence(m.codecs, s.codec)) ?? false;
  });
}

/** `00:10`, `1:00:10`. */
function clockText(us: number): string {
  const sec = Math.max(0, Math.round(us / 1e6));
  const two = (n: number): string => String(n).padStart(2, '0');
  const [h, m] = [Math.floor(sec / 3600), Math.floor(sec / 60) % 60];
  return h > 0 ? `${h}:${two(m)}:${two(sec % 60)}` : `${two(m)}:${two(sec % 60)}`;
}
