/**
 * Where the streams changed their payload type. Few ever do; who changes it in a flood keeps the newest changes of each
 * stream, and those of all together have an end.
 */
import { MAX_STREAM_SEGMENTS } from '../../core/item-limits.ts';
import { SEGMENT_ENDS, SEGMENT_ENDS_OF_ANYBODY } from '../../core/limits.ts';
import type { SegmentEnd } from '../../protocols/rtp/stream-segment.ts';
import { joinedEnd } from '../../protocols/rtp/stream-segment.ts';
import type { Stream } from './stream.ts';

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
