/**
 * Streams of the contract: the full document and the list row.
 */
import { srtpTrailerBytes } from '../analysis/srtp-trailer.ts';
import type { QualityScale, StreamQuality } from '../analysis/stream-quality.ts';
import type { QualityInterval, RtpStream, StreamRow } from '../contract/index.ts';
import { hexWord } from '../core/fixed-digits.ts';
import { endpointKeyText } from '../core/ip.ts';
import { rounded } from '../core/rounded.ts';
import { ORIGINS } from '../core/words.ts';
import { finishBurstGap } from '../protocols/rtp/burst-gap.ts';
import { lossPct, scoreWindow } from '../protocols/rtp/quality.ts';
import { packetMs } from '../protocols/rtp/stream-snapshot.ts';
import type { StreamWindow } from '../protocols/rtp/stream-window.ts';
import { windowJitterMs } from '../protocols/rtp/stream-window.ts';
import type { Stream } from '../store/media/stream.ts';
import { framePointerText, timestampText } from './captured-at.ts';

const NO_DSCP = 0xff;

/** Times are measured to a microsecond, loss by packets, and a score has no more digits than its inputs. */
export const milliseconds = (n: number): number => rounded(n, 4);
export const percent = (n: number): number => rounded(n, 4);
export const mosValue = (n: number): number => rounded(n, 4);

export function ssrcText(ssrc: number): string {
  return `0x${hexWord(ssrc)}`;
}

/** One closed window of a stream. */
export function toInterval(w: StreamWindow, q: QualityScale): QualityInterval {
  const out: QualityInterval = {
    timestamp: timestampText(w.startUs),
    jitter_ms: milliseconds(windowJitterMs(w, q.jitterClock)),
    loss_pct: percent(lossPct(w.lost, w.expected)),
    packets: w.packets,
  };
  const score = scoreWindow(w, q.impairment, q.floorPackets, q.delayMs);
  if (score === null) return out;
  out.verdict = score.verdict;
  if (score.verdict !== 'not_scorable') {
    out.mos = mosValue(score.mos);
    out.r_factor = rounded(score.rFactor, 4);
  }
  return out;
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

/** With its newest `maxIntervals`. */
export function toRtpStream(
  stream: Stream,
  q: StreamQuality,
  sources: readonly string[],
  maxIntervals: number = Number.POSITIVE_INFINITY,
): RtpStream {
  const s = q.snapshot;
  const doc: RtpStream = {
    schema_version: 1,
    ssrc: ssrcText(stream.ssrc),
    payload_type: s.payloadType,
    src: endpointKeyText(stream.srcKey),
    dst: endpointKeyText(stream.dstKey),
    packets: s.packets,
    octets: Math.max(0, s.octets - s.packets * srtpTrailerBytes(stream)),
    jitter_ms: milliseconds(q.jitterMs),
    loss_pct: percent(q.lossPct),
    orphaned: stream.dialog === null,
    first_seen: timestampText(s.firstUs),
    last_seen: timestampText(s.lastUs),
    quality_intervals: q.windows.slice(-maxIntervals).map((w) => toInterval(w, q)),
  };
  if (q.codec !== null) doc.codec = q.codec;
  const burst = finishBurstGap(s, packetMs(s, q.clockRate));
  if (burst !== null)
    doc.burst_gap = {
      burst_count: burst.burstCount,
      burst_duration_ms: milliseconds(burst.burstDurationMs),
      gap_duration_ms: milliseconds(burst.gapDurationMs),
      burst_loss_rate: rounded(burst.burstLossPct / 100, 6),
      gap_loss_rate: rounded(burst.gapLossPct / 100, 6),
      is_bursty: burst.isBursty,
    };
  if (s.dscpFirst !== NO_DSCP) {
    doc.dscp = s.dscpFirst;
    if (s.dscpLast !== s.dscpFirst && s.dscpLast !== NO_DSCP) doc.dscp_last = s.dscpLast;
  }
  const origin = ORIGINS[stream.origin];
  if (origin !== undefined) doc.input_origin = origin;
  if (stream.dialog !== null) {
    doc.associated_dialog = stream.dialog.callId;
    doc.dialog_assertion = stream.claim?.derived === 'relay' ? 'media-relay' : 'signaled';
    const dialogOrigin = ORIGINS[stream.dialog.origin];
    if (dialogOrigin !== undefined && dialogOrigin !== origin) doc.dialog_origin = dialogOrigin;
  }
  const frame = stream.frame === null ? undefined : framePointerText(stream.frame, sources);
  if (frame !== undefined) doc.frame = frame;
  const roundTrip = stream.rtcp?.roundTrip ?? null;
  if (roundTrip !== null) {
    doc.round_trip_ms = milliseconds(roundTrip.ms);
    doc.round_trip_source = roundTrip.source;
  }
  if (q.mos !== null) doc.mos = mosValue(q.mos);
  return doc;
}
