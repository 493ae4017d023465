/**
 * Where the streams changed their payload type. Few ever do; who changes it in a flood keeps the newest changes of each
 * stream, and those of all together have an end.
 */
import type { SegmentEnd } from '../../protocols/rtp/stream-segment.ts';
import { joinedEnd } from '../../protocols/rtp/stream-segment.ts';
import type { Stream } from './stream.ts';

/** Segments of a stream by payload type; with more the oldest two become one. @cap */
export const MAX_STREAM_SEGMENTS = 16;

/**
 * Ends of segments kept over all streams, some 300 bytes each; beyond them each stream keeps as many as it has.
 *
 * @cap memory 10 MiB, stream_segments_joined: changes of payload type
 */
const SEGMENT_ENDS = 32_768;

/**
 * Of these, those that streams of no dialog may take; the rest is for calls.
 *
 * @cap memory 0 MiB, stream_segments_joined: of `SEGMENT_ENDS`, those of streams without a dialog
 */
const SEGMENT_ENDS_OF_ANYBODY = 16_384;

export class StreamSegments {
  readonly #most: number;
  readonly #mostOfAnybody: number;
  #kept = 0;
  /** Segments that became one with their neighbour. */
  joined = 0;

  constructor(most: number = SEGMENT_ENDS, mostOfAnybody: number = SEGMENT_ENDS_OF_ANYBODY) {
    this.#most = most;
    this.#mostOfAnybody = mostOfAnybody;
  }

  /** A segment of the stream ended. Where there is no room, the oldest two become one. */
  add(stream: Stream, end: SegmentEnd): void {
    const ends = stream.ends ?? [];
    const most = stream.dialog === null ? this.#mostOfAnybody : this.#most;
    if (ends.length < MAX_STREAM_SEGMENTS - 1 && this.#kept < most) {
      this.#kept++;
      ends.push(end);
      stream.ends = ends;
      return;
    }
    this.joined++;
    const [first, second = end] = ends;
    if (first === undefined) return;
    ends.splice(0, 2, joinedEnd(first, second));
    if (second !== end) ends.push(end);
  }

  /** The stream was evicted; who still reads it keeps what it has. */
  forget(stream: Stream): void {
    this.#kept -= stream.ends?.length ?? 0;
  }
}
