/**
 * What a stream carried, segment by segment, for who judges and shows it: comfort noise, key presses, redundancy and repair
 * are no media of their own, so that a run of them belongs to the segment in front of it.
 */
import type { StreamSegment } from '../protocols/rtp/stream-segment.ts';
import { absorbed, joined, segmentsOf } from '../protocols/rtp/stream-segment.ts';
import type { StreamSnapshot } from '../protocols/rtp/stream-snapshot.ts';
import { laneOf } from '../protocols/rtp/stream-window.ts';
import { streamFormat } from '../store/media/codec-format.ts';
import type { Stream } from '../store/media/stream.ts';
import type { HeldPiece } from './media/held-loss.ts';

/** Formats that go beside media (RFC 4733, RFC 3389, RFC 2198, RFC 5109, RFC 8627, RFC 4588). */
const ASIDE = new Set(['TELEPHONE-EVENT', 'CN', 'RED', 'ULPFEC', 'FLEXFEC', 'PARITYFEC', 'RTX']);

/** None for a stream that never changed its payload type. */
export function carriedSegments(stream: Stream, s: StreamSnapshot): StreamSegment[] {
  if (stream.ends === null) return [];
  const made: StreamSegment[] = [];
  for (const segment of segmentsOf(s, stream.ends)) {
    const before = made.at(-1);
    const isAside = ASIDE.has(streamFormat(stream, segment.payloadType)?.name.toUpperCase() ?? '');
    if (before === undefined) made.push(segment);
    else if (before.payloadType === segment.payloadType) made.splice(-1, 1, joined(before, segment));
    else if (isAside) made.splice(-1, 1, absorbed(before, segment));
    else made.push(segment);
  }
  return made;
}

/** Where the next segment begins: a gap in front of it belongs to this one. */
export function segmentEndUs(segments: readonly StreamSegment[], segment: StreamSegment): number {
  return segments[segments.indexOf(segment) + 1]?.firstUs ?? Number.POSITIVE_INFINITY;
}

/** Without what a hold explains of each; times may differ by a rounding. */
export function withoutHeld(
  segments: readonly StreamSegment[],
  pieces: readonly HeldPiece[],
): readonly StreamSegment[] {
  if (pieces.length === 0) return segments;
  // What is excused of windows that are not kept stands at the beginning of the stream.
  let left = 0;
  return segments.map((segment) => {
    const endUs = segmentEndUs(segments, segment);
    for (const { atUs, lost } of pieces) if (atUs > segment.firstUs - 1 && atUs < endUs - 1) left += lost;
    const held = Math.min(left, segment.lost);
    left -= held;
    const lost = segment.lost - held;
    return { ...segment, lost, expected: segment.expected - held, lossRuns: Math.min(lost, segment.lossRuns) };
  });
}

/** The payload type that carried most packets, the first of equals, and the longest segment of it. */
export function mainSegment(segments: readonly StreamSegment[]): StreamSegment | null {
  const packets = new Map<number, number>();
  for (const s of segments) packets.set(s.payloadType, (packets.get(s.payloadType) ?? 0) + s.packets);
  const most = Math.max(...packets.values());
  let main: StreamSegment | null = null;
  for (const s of segments) if (packets.get(s.payloadType) === most && (main === null || isLonger(s, main))) main = s;
  return main;
}

function isLonger(s: StreamSegment, other: StreamSegment): boolean {
  return s.payloadType === other.payloadType && s.packets > other.packets;
}

/** At the clock of its own type. */
export function segmentClock(stream: Stream, { payloadType }: StreamSegment): number | null {
  return streamFormat(stream, payloadType)?.clockRate ?? null;
}

export function segmentJitterMs(stream: Stream, segment: StreamSegment): number {
  return segment.jitterMs[laneOf(segment, segmentClock(stream, segment))] ?? 0;
}

export function segmentLate(stream: Stream, segment: StreamSegment): number {
  return segment.lateIn[laneOf(segment, segmentClock(stream, segment))] ?? 0;
}
