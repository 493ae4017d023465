/**
 * Keeps frames that may hold a part of a message: TCP segments and IP fragments. They wait for the rest of the message,
 * which names them when it is whole. The oldest give room.
 */
import type { CapturedFrame } from '../ingest/frame-intake.ts';
import type { FrameAt } from '../sources/packet.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';

/** Frames with a part of a message that wait for the rest of it, and their bytes (`--split call`). @cap */
const MAX_WAITING_FRAMES = 16_384;
const WAITING_FRAMES_BYTES = 16 * 1024 * 1024;

/** A run has fewer sources, and a frame of a source has a number below 2^42. */
const TWO_42 = 2 ** 42;
const NO_FRAME = -1;

/** The same for the same frame, and for no other; NaN for what came without one. */
export function frameKey({ source, frame }: FrameAt): number {
  if (frame === NO_FRAME) return Number.NaN;
  return frame < 0 ? frame - source * TWO_42 : frame + source * TWO_42;
}

type Waiting = {
  readonly frame: CapturedFrame;
  /** Who has it already. */
  readonly takenFor: Dialog[];
};

export class WaitingFrames {
  readonly #most: number;
  readonly #frames = new Map<number, Waiting>();
  #bytes = 0;

  constructor(most = MAX_WAITING_FRAMES) {
    this.#most = most;
  }

  has(key: number): boolean {
    return this.#frames.has(key);
  }

  /** Keeps a copy. */
  keep(frame: CapturedFrame): void {
    const key = frameKey(frame);
    if (this.#frames.has(key)) return;
    const bytes = Buffer.from(frame.bytes.subarray(frame.start, frame.end));
    this.#frames.set(key, { frame: { ...frame, bytes, start: 0, end: bytes.length }, takenFor: [] });
    this.#bytes += bytes.length;
    while (this.#bytes > WAITING_FRAMES_BYTES || this.#frames.size > this.#most) this.#dropOldest();
  }

  /** The frame, once for each dialog; null where it has it already. */
  takeFor(key: number, dialog: Dialog): CapturedFrame | null {
    const waiting = this.#frames.get(key);
    if (waiting === undefined || waiting.takenFor.includes(dialog)) return null;
    waiting.takenFor.push(dialog);
    return waiting.frame;
  }

  #dropOldest(): void {
    for (const [key, { frame }] of this.#frames) {
      this.#frames.delete(key);
      this.#bytes -= frame.end;
      return;
    }
  }
}
