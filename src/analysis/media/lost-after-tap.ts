/**
 * Compares the loss that a receiver reports of a call with what this capture saw of the same stream: what is missing there and was
 * whole here was lost behind this capture, on the way to the receiver; what is whole there and missing here never came to the capture.
 *
 * Only who is known in the call is believed, only a report of the whole call, and only where both counted the same packets: a
 * capture that began late, or ended early, saw another part.
 */
import { endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import { REPORT_FORMS } from '../../core/report-text.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { KeptReport } from '../../store/media/phone-reports.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { MediaFindings } from '../findings.ts';
import { note } from '../hint.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { heardBy, reporterSide } from './phone-reports.ts';

/** Share of its packets by which the two must differ, and so many packets: reports have whole percents, or 256ths. */
const LEAST_BEYOND_PCT = 2;
const LEAST_BEYOND_PACKETS = 10;
/** How the packets that a receiver counted may differ from those that this capture saw, as a share of the latter. */
const LEAST_COUNTED = 0.5;
const MOST_COUNTED = 1.1;
/** Where it does not say how many they were, this capture must have seen the call from its answer to its end. */
const ABOUT_US = 2_000_000;

export type Counted = Pick<MediaStream, 'stream' | 'lost' | 'expected' | 'firstUs' | 'lastUs'>;

export type LossBeyond = {
  /** Loss that the receiver reports, and the worst and the best that this capture saw of the same packets. */
  readonly reportedPct: number;
  readonly worstPct: number;
  readonly bestPct: number;
  readonly packets: number;
  readonly streams: readonly Stream[];
};

/** Null where the two cannot be compared. */
export function compareLoss(d: Dialog, one: KeptReport, streams: readonly Counted[]): LossBeyond | null {
  const { lossPct: reportedPct } = one.report.heard;
  if (one.proof === null || reportedPct === undefined || one.report.isPart) return null;
  const heard = heardBy(d, one, streams).filter(({ expected }) => expected > 0);
  if (!heard.some((s) => isSameSpan(d, one, s)) || isOfSender(one, heard, streams)) return null;
  const shares = heard.map(({ lost, expected }) => (Math.max(0, lost) / expected) * 100);
  const packets = heard.reduce((most, { expected }) => Math.max(most, expected), 0);
  const [worstPct, bestPct] = [Math.max(...shares), Math.min(...shares)];
  return { reportedPct, worstPct, bestPct, packets, streams: heard.map(({ stream }) => stream) };
}

/** Who sent the packets, on whatever hop, says how the other side heard them: it may know, or make it up. */
function isOfSender({ from }: KeptReport, heard: readonly Counted[], streams: readonly Counted[]): boolean {
  if (heard.some(({ stream }) => endpointKeyAddress(stream.dstKey) === from)) return false;
  const ssrcs = new Set(heard.map(({ stream }) => stream.ssrc));
  return streams.some(({ stream }) => ssrcs.has(stream.ssrc) && endpointKeyAddress(stream.srcKey) === from);
}

function isSameSpan(d: Dialog, { report, atUs }: KeptReport, { expected, firstUs, lastUs }: Counted): boolean {
  const { packets, lost = 0 } = report.heard;
  if (packets !== undefined) {
    const counted = packets + lost;
    return counted >= expected * LEAST_COUNTED && counted <= expected * MOST_COUNTED;
  }
  // A report of RTCP comes from time to time, and tells of all before.
  if (report.kind === 'hep') return false;
  const endUs = Math.min(Number.isNaN(d.byeUs) ? atUs : d.byeUs, atUs);
  return firstUs <= d.answerUs + ABOUT_US && lastUs >= endUs - ABOUT_US;
}

/** It was lost behind this capture. */
export function isLostAfter({ reportedPct, worstPct, packets }: LossBeyond, leastPct: number): boolean {
  return isClear(reportedPct - worstPct, packets, leastPct);
}

/** It was lost on the way to this capture alone. */
export function isLostBefore({ reportedPct, bestPct, packets }: LossBeyond, leastPct: number): boolean {
  return isClear(bestPct - reportedPct, packets, leastPct);
}

function isClear(beyondPct: number, packets: number, leastPct: number): boolean {
  return beyondPct > Math.max(LEAST_BEYOND_PCT, leastPct) && (beyondPct / 100) * packets >= LEAST_BEYOND_PACKETS;
}

/** Streams of which it has spoken. */
export function checkPhoneReports(c: MediaCase, f: MediaFindings): ReadonlySet<Stream> {
  const told = new Set<Stream>();
  if (!c.isRtpCaptured) return told;
  for (const one of c.reports()) {
    const found = compareLoss(c.d, one, c.audio);
    if (found === null || found.streams.some((stream) => told.has(stream))) continue;
    const isAfter = isLostAfter(found, c.thresholds.remoteLossPct);
    if (!isAfter && !isLostBefore(found, c.thresholds.remoteLossPct)) continue;
    for (const stream of found.streams) told.add(stream);
    const message = c.messageAt(one.atUs);
    const where = endpointKeyText(found.streams.at(-1)?.dstKey ?? 0);
    const heard = `${reporterName(c.d, one, found.streams)} heard ${found.reportedPct.toFixed(1)} % loss by its own report (${REPORT_FORMS[one.report.kind]})`;
    if (isAfter)
      f.hints.push({
        finding: 'lost-after-tap',
        text: `${heard}, and this capture saw ${shareText(found.worstPct)} missing of what went to ${where}: it was lost after this capture.`,
        ...(message === null ? {} : { evidence: [message] }),
      });
    else
      f.hints.push(
        note(
          `${heard}, and this capture misses ${found.bestPct.toFixed(1)} % of what went to ${where}: that was lost on the way to this capture, and not on the way to that party.`,
        ),
      );
  }
  return told;
}

function reporterName(d: Dialog, one: KeptReport, streams: readonly Stream[]): string {
  const { from, proof } = one;
  const side = reporterSide(
    d,
    one,
    streams.map((stream) => ({ stream })),
  );
  const who = side === 0 ? 'The caller' : side === 1 ? 'The callee' : proof === 'agent' ? 'A receiver' : 'A party';
  return from === '' ? who : `${who} at ${from}`;
}

function shareText(pct: number): string {
  return pct < 0.05 ? 'none' : `${pct.toFixed(1)} %`;
}
