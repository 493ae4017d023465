/** The row of an RTP stream: its columns are those of deploy/store/schema.sql, its figures those of the stream's document. */
import type { AskStream, StreamSegment, StreamSpan } from '../../contract/index.ts';
import { whole } from './key.ts';

/** `stream` counts the streams of the boot from 1. In the head stands the number of its call, 0 without one. */
export function streamLine(head: string, stream: number, s: AskStream): string {
  const { quality_intervals: windows, segments = [], spans = [] } = s;
  const columns = {
    stream,
    ssrc: Number(s.ssrc),
    src: s.src,
    dst: s.dst,
    codec: s.codec ?? '',
    payload_type: s.payload_type,
    packets: s.packets,
    octets: s.octets,
    jitter_ms: s.jitter_ms,
    loss_pct: s.loss_pct,
    mos: s.mos ?? null,
    first_seen: s.first_seen,
    last_seen: s.last_seen,
    window_at: windows.map((w) => w.timestamp),
    window_packets: windows.map((w) => w.packets),
    window_jitter_ms: windows.map((w) => w.jitter_ms),
    window_loss_pct: windows.map((w) => w.loss_pct),
    window_mos: windows.map((w) => w.mos ?? null),
  };
  // Of nearly all streams there is nothing more to tell.
  if (segments.length > 0) Object.assign(columns, segmentColumns(segments));
  if (spans.length > 0) Object.assign(columns, spanColumns(spans));
  if (s.not_known !== undefined) Object.assign(columns, { not_known: s.not_known });
  return head + JSON.stringify(columns).slice(1);
}

function segmentColumns(segments: readonly StreamSegment[]): Record<string, unknown> {
  return {
    segment_from: segments.map(({ from }) => from),
    segment_to: segments.map(({ to }) => to),
    segment_payload_type: segments.map((s) => s.payload_type),
    segment_codec: segments.map(({ codec }) => codec ?? ''),
    segment_clock_rate: segments.map((s) => s.clock_rate ?? 0),
    segment_packet_ms: segments.map((s) => s.packet_ms ?? null),
    segment_packets: segments.map(({ packets }) => whole(packets)),
    segment_expected: segments.map(({ expected }) => whole(expected)),
    segment_lost: segments.map(({ lost }) => whole(lost)),
    segment_late: segments.map(({ late }) => whole(late)),
    segment_jitter_ms: segments.map((s) => s.jitter_ms),
    segment_mos: segments.map(({ mos }) => mos ?? null),
  };
}

function spanColumns(spans: readonly StreamSpan[]): Record<string, unknown> {
  return {
    span_kind: spans.map(({ kind }) => kind),
    span_from: spans.map(({ from }) => from),
    span_to: spans.map(({ to }) => to),
  };
}
