/** What each payload type of a stream carried, where it changed: the rows of `/ask`. */

import { capturedText } from '../analysis/captured-at.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';
import { segmentScore } from '../analysis/stream-quality.ts';
import { segmentJitterMs, segmentLate } from '../analysis/stream-segments.ts';
import type { StreamSegment as SegmentRow } from '../contract/index.ts';
import type { StreamSegment } from '../protocols/rtp/stream-segment.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import { streamFormat } from '../store/media/codec-format.ts';
import type { Stream } from '../store/media/stream.ts';
import { milliseconds, mosValue } from './stream-document.ts';

export function segmentRows(stream: Stream, q: StreamQuality, steps: readonly ClockStep[]): SegmentRow[] {
  return q.segments.map((segment) => segmentRow(stream, q, segment, steps));
}

function segmentRow(stream: Stream, q: StreamQuality, segment: StreamSegment, steps: readonly ClockStep[]): SegmentRow {
  const { payloadType, tsStep, packets, expected, lost } = segment;
  const format = streamFormat(stream, payloadType);
  const row: SegmentRow = {
    payload_type: payloadType,
    from: capturedText(segment.firstUs, steps),
    to: capturedText(segment.lastUs, steps),
    packets,
    expected,
    lost,
    late: segmentLate(stream, segment),
    jitter_ms: milliseconds(segmentJitterMs(stream, segment)),
  };
  if (format !== null) {
    row.codec = format.name;
    row.clock_rate = format.clockRate;
    if (tsStep > 0) row.packet_ms = milliseconds((tsStep * 1000) / format.clockRate);
  }
  const mos = segmentScore(stream, q, segment)?.mos;
  if (mos !== undefined) row.mos = mosValue(mos);
  return row;
}
