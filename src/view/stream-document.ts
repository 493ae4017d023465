/**
 * Streams of the contract: the full document and the list row.
 */

import { capturedText } from '../analysis/captured-at.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';
import type { QualityInterval, RtpStream, StreamRow } from '../contract/index.ts';
import { hexWord } from '../core/fixed-digits.ts';
import { endpointKeyText } from '../core/ip.ts';
import { rounded } from '../core/rounded.ts';
import { ORIGINS } from '../core/words.ts';
import { type ClockStep, NEVER_SET } from '../store/clock-steps.ts';
import type { Stream } from '../store/media/stream.ts';
import type { StreamReading, WindowReading } from './stream-reading.ts';

const NO_DSCP = 0xff;

/** Times are measured to a microsecond, loss by packets, and a score has no more digits than its inputs. */
export const milliseconds = (n: number): number => rounded(n, 4);
export const percent = (n: number): number => rounded(n, 4);
export const mosValue = (n: number): number => rounded(n, 4);

export function ssrcText(ssrc: number): string {
  return `0x${hexWord(ssrc)}`;
}

/** One closed window of a stream. */
export function toInterval(w: WindowReading, steps: readonly ClockStep[] = NEVER_SET): QualityInterval {
  const out: QualityInterval = {
    timestamp: capturedText(w.startUs, steps),
    jitter_ms: milliseconds(w.jitterMs),
    loss_pct: percent(w.lossPct),
    packets: w.packets,
  };
  if (w.verdict !== null) out.verdict = w.verdict;
  if (w.mos !== null) out.mos = mosValue(w.mos);
  if (w.rFactor !== null) out.r_factor = rounded(w.rFactor, 4);
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

export function toRtpStream(s: StreamReading): RtpStream {
  const { burst, call, roundTrip } = s;
  const doc: RtpStream = {
    schema_version: 1,
    ssrc: ssrcText(s.ssrc),
    payload_type: s.payloadType,
    src: endpointKeyText(s.src),
    dst: endpointKeyText(s.dst),
    packets: s.packets,
    octets: s.octets,
    jitter_ms: milliseconds(s.jitterMs),
    loss_pct: percent(s.lossPct),
    orphaned: call === null,
    first_seen: capturedText(s.firstUs, s.clockSteps),
    last_seen: capturedText(s.lastUs, s.clockSteps),
    quality_intervals: s.windows.map((w) => toInterval(w, s.clockSteps)),
  };
  if (s.codec !== null) doc.codec = s.codec;
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
  const origin = ORIGINS[s.origin];
  if (origin !== undefined) doc.input_origin = origin;
  if (call !== null) {
    doc.associated_dialog = call.callId;
    doc.dialog_assertion = call.isByRelay ? 'media-relay' : 'signaled';
    const dialogOrigin = ORIGINS[call.origin];
    if (dialogOrigin !== undefined && dialogOrigin !== origin) doc.dialog_origin = dialogOrigin;
  }
  if (s.frame !== null) doc.frame = s.frame;
  if (roundTrip !== null) {
    doc.round_trip_ms = milliseconds(roundTrip.ms);
    doc.round_trip_source = roundTrip.source;
  }
  if (s.mos !== null) doc.mos = mosValue(s.mos);
  return doc;
}
