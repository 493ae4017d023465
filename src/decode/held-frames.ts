/**
 * Remembers which frames brought the bytes of a stream that wait for the rest of their message. So calltap knows all frames
 * of a message.
 *
 * Only a run that writes the frames of its dialogs has one for each direction of a connection.
 */
import { type FrameAt, FrameMark, type InFrame } from '../sources/packet.ts';
import type { DecodeCounters } from './counters.ts';

/** Frames remembered of one message on a stream (with `--filter` and `-O`); one of 64 KiB in Ethernet frames has 46. @cap */
const MAX_MESSAGE_FRAMES = 256;

/** Bytes [from, to) of what is held came in this frame. */
type HeldPart = FrameAt & { from: number; to: number };

export class HeldFrames {
  readonly #counters: DecodeCounters;
  #parts: HeldPart[] = [];
  /** Those of a WebSocket message whose frames are not all there. */
  #message: FrameAt[] = [];

  constructor(counters: DecodeCounters) {
    this.#counters = counters;
  }

  /** What was read of all bytes that were there; `held` bytes are left, the last of which came with `mark`. */
  keep(read: number, held: number, mark: InFrame): void {
    this.#parts = held === 0 ? [] : this.#parts.filter((part) => part.to > read);
    for (const part of this.#parts) {
      part.from -= read;
      part.to -= read;
    }
    const from = this.#parts.at(-1)?.to ?? 0;
    if (held <= from) return;
    for (const { source, frame } of framesOf(mark)) {
      if (this.#parts.length < MAX_MESSAGE_FRAMES) this.#parts.push({ source, frame, from, to: held });
      else this.#counters.messageFramesBeyondCap++;
    }
  }

  /** `held` bytes are left of what `mark` brought, and nothing else. */
  restart(held: number, mark: InFrame): void {
    this.#parts = [];
    this.keep(0, held, mark);
  }

  /**
   * `begin`, where a message of the bytes [start, end) begins, with the other frames of it: the first `old` bytes were held,
   * the rest came with `mark`.
   */
  of(begin: InFrame, start: number, end: number, old: number, mark: InFrame): InFrame {
    return start >= old ? begin : withFrames(begin, this.#in(start, end, old, mark));
  }

  /** A WebSocket frame lies in the bytes [start, end); it is not `isFirst` within a message that others began. */
  collect(start: number, end: number, old: number, mark: InFrame, isFirst: boolean): void {
    if (isFirst) this.#message = [];
    for (const frame of this.#in(start, end, old, mark)) {
      if (this.#message.length < MAX_MESSAGE_FRAMES) this.#message.push(frame);
      else this.#counters.messageFramesBeyondCap++;
    }
  }

  /** `begin` with all frames of the WebSocket message. */
  ofMessage(begin: InFrame): InFrame {
    return withFrames(begin, this.#message);
  }

  #in(start: number, end: number, old: number, mark: InFrame): FrameAt[] {
    const held = this.#parts.filter((part) => part.from < end && part.to > start && start < old);
    return end > old ? [...held, ...framesOf(mark)] : held;
  }
}

/** The frame that carried something, and the others that carried a part of it. */
export function framesOf(mark: InFrame): FrameAt[] {
  return [{ source: mark.source, frame: mark.frame }, ...(mark.parts ?? [])];
}

/** `begin` with these frames, each once. */
export function withFrames(begin: InFrame, frames: readonly FrameAt[]): InFrame {
  const parts: FrameAt[] = [];
  for (const { source, frame } of frames) {
    const isSame = (other: FrameAt): boolean => other.source === source && other.frame === frame;
    if (!isSame(begin) && !parts.some(isSame)) parts.push({ source, frame });
  }
  const mark = new FrameMark();
  mark.copy(begin);
  mark.parts = parts.length === 0 ? null : parts;
  return mark;
}
