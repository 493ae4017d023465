/**
 * Streams of the contract: the full document, the list row, and one window.
 */

import { capturedText, framePointerText } from '../analysis/captured-at.ts';
import { windowScoreWithout } from '../analysis/own-drops.ts';
import { srtpTrailerBytes } from '../analysis/srtp-trailer.ts';
import type { QualityScale, StreamQuality } from '../analysis/stream-quality.ts';
import { windowScale } from '../analysis/stream-quality.ts';
import type { QualityInterval, RtpStream, StreamRow } from '../contract/index.ts';
import { hexWord } from '../core/fixed-digits.ts';
import { endpointKeyText } from '../core/ip.ts';
import { rounded } from '../core/rounded.ts';
import { ORIGINS } from '../core/words.ts';
import type { BurstGap } from '../protocols/rtp/burst-gap.ts';
import { finishBurstGap } from '../protocols/rtp/burst-gap.ts';
import { lossPct } from '../protocols/rtp/quality.ts';
import { windowLosses } from '../protocols/rtp/stream-figures.ts';
import { packetMs } from '../protocols/rtp/stream-snapshot.ts';
import type { StreamWindow } from '../protocols/rtp/stream-window.ts';
import { windowCounts, windowJitterMs } from '../protocols/rtp/stream-window.ts';
import { type ClockStep, NEVER_SET } from '../store/clock-steps.ts';
import type { Stream } from '../store/media/stream.ts';
import type { CapturedIn } from '../store/stores.ts';

const NO_DSCP = 0xff;

/** Times are measured to a microsecond, loss by packets, and a score has no more digits than its inputs. */
export const milliseconds = (n: number): number => rounded(n, 4);
export const percent = (n: number): number => rounded(n, 4);
export const mosValue = (n: number): number => rounded(n, 4);

export function ssrcText(ssrc: number): string {
  return `0x${hexWord(ssrc)}`;
}

/**
 * One closed window of a stream. Where it has no verdict too few packets were expected; a codec without published values has
 * no score.
 *
 * `known` is the window without what the capture may have dropped itself. `lost`: what never came; without it what had not
 * come when the window closed. The score counts what came late too.
 */
export function toInterval(
  w: StreamWindow,
  q: QualityScale,
  known: StreamWindow,
  steps: readonly ClockStep[] = NEVER_SET,
  lost: number = w.lost,
): QualityInterval {
  const counted = windowCounts(w, q.jitterClock);
  const without = known === w ? counted : windowCounts(known, q.jitterClock);
  const score = windowScoreWithout(without, counted, q.impairment, q.floorPackets, q.delayMs);
  const out: QualityInterval = {
    timestamp: capturedText(w.startUs, steps),
    jitter_ms: milliseconds(windowJitterMs(w, q.jitterClock)),
    loss_pct: percent(lossPct(lost, w.expected)),
    packets: w.packets,
  };
  if (score === null || q.isMixed) return out;
  out.verdict = score.verdict;
  if (score.verdict === 'not_scorable') return out;
  if (score.mos !== null) out.mos = mosValue(score.mos);
  if (score.rFactor !== null) out.r_factor = rounded(score.rFactor, 4);
  return out;
}

/** The newest `most` windows. */
function intervalsOf(stream: Stream, q: StreamQuality, steps: readonly ClockStep[], most: number): QualityInterval[] {
  const losses = windowLosses(q.windows);
  const first = Math.max(0, q.windows.length - most);
  return q.windows
    .slice(first)
    .map((w, i) => toInterval(w, windowScale(stream, q, w), q.known[first + i] ?? w, steps, losses[first + i]));
}

export function toStreamRow(stream: Stream, q: StreamQuality): StreamRow {
  const row: StreamRow = {
    ssrc: ssrcText(stream.ssrc),
    src: endpointKeyText(stream.srcKey),
    dst: endpointKeyText(stream.dstKey),
    packets: q.snapshot.packets,
    jitter_ms: milliseconds(q.jitterMs),
    loss_pct: percent(q.lossPct),
    orphaned: stream.dialog === null,
  };
  if (q.codec !== null) row.codec = q.codec;
  if (stream.dialog !== null) row.associated_dialog = stream.dialog.callId;
  if (q.mos !== null) row.mos = mosValue(q.mos);
  return row;
}

/** With its newest `mostWindows`. */
export function toRtpStream(
  stream: Stream,
  q: StreamQuality,
  { sources, clockSteps }: CapturedIn,
  mostWindows: number = Number.POSITIVE_INFINITY,
): RtpStream {
  const s = q.snapshot;
  const { dialog, frame } = stream;
  const doc: RtpStream = {
    schema_version: 1,
    ssrc: ssrcText(stream.ssrc),
    payload_type: q.payloadType,
    src: endpointKeyText(stream.srcKey),
    dst: endpointKeyText(stream.dstKey),
    packets: s.packets,
    octets: Math.max(0, s.octets - s.packets * srtpTrailerBytes(stream)),
    jitter_ms: milliseconds(q.jitterMs),
    loss_pct: percent(q.lossPct),
    orphaned: dialog === null,
    first_seen: capturedText(s.firstUs, clockSteps),
    last_seen: capturedText(s.lastUs, clockSteps),
    quality_intervals: intervalsOf(stream, q, clockSteps, mostWindows),
  };
  if (q.codec !== null) doc.codec = q.codec;
  const burst = finishBurstGap(s, packetMs(s, q.clockRate, q.tsStep), q.held);
  if (burst !== null) doc.burst_gap = toBurstGap(burst);
  if (s.dscpFirst !== NO_DSCP) {
    doc.dscp = s.dscpFirst;
    if (s.dscpLast !== s.dscpFirst && s.dscpLast !== NO_DSCP) doc.dscp_last = s.dscpLast;
  }
  const origin = ORIGINS[stream.origin];
  if (origin !== undefined) doc.input_origin = origin;
  if (dialog !== null) {
    doc.associated_dialog = dialog.callId;
    doc.dialog_assertion = stream.claim?.derived === 'relay' ? 'media-relay' : 'signaled';
    const dialogOrigin = ORIGINS[dialog.origin];
    if (dialogOrigin !== undefined && dialogOrigin !== origin) doc.dialog_origin = dialogOrigin;
  }
  const pointer = frame === null ? undefined : framePointerText(frame, sources);
  if (pointer !== undefined) doc.frame = pointer;
  const roundTrip = stream.rtcp?.roundTrip ?? null;
  if (roundTrip !== null) {
    doc.round_trip_ms = milliseconds(roundTrip.ms);
    doc.round_trip_source = roundTrip.source;
  }
  if (q.mos !== null) doc.mos = mosValue(q.mos);
  return doc;
}

function toBurstGap(burst: BurstGap): NonNullable<RtpStream['burst_gap']> {
  return {
    burst_count: burst.burstCount,
    burst_duration_ms: milliseconds(burst.burstDurationMs),
    gap_duration_ms: milliseconds(burst.gapDurationMs),
    burst_loss_rate: rounded(burst.burstLossPct / 100, 6),
    gap_loss_rate: rounded(burst.gapLossPct / 100, 6),
    is_bursty: burst.isBursty,
  };
}
