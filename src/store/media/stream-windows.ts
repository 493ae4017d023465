/**
 * Keeps the closed quality windows of the streams: the last hour of each, within a budget of bytes for all.
 *
 * Above the budget one stream drops the older half of its windows. calltap looks at the streams that come next in the table.
 * It takes one that no call owns, else one whose call has ended, and of these the one with most windows. Its scores then
 * rest on the windows that are left.
 */
import { WINDOW_BYTES } from '../../protocols/rtp/stream-layout.ts';
import type { StreamWindow } from '../../protocols/rtp/stream-window.ts';
import { parseWindows } from '../../protocols/rtp/stream-window.ts';
import { isEnded } from '../dialogs/dialog-state.ts';
import type { Stream } from './stream.ts';

/**
 * Bytes of closed quality windows over all streams, of 88 each; beside it every stream may keep two.
 *
 * @cap memory 64 MiB, quality_windows_dropped: quality windows; two of each stream beside them
 */
export const STREAM_WINDOW_BYTES = 48 * 1024 * 1024;

/**
 * One hour of five-second windows, and how many more gather before the oldest are dropped together. An outage is kept as one
 * and shown as many.
 *
 * @cap
 */
export const MAX_STREAM_WINDOWS = 720;
const SURPLUS_STREAM_WINDOWS = 80;

/** Places looked at for a stream that gives. */
const LOOKED_AT = 256;
/** Whose windows go first. */
const RANK = { RUNNING: 0, ENDED: 1, UNOWNED: 2 } as const;

export class StreamWindows {
  readonly #streams: readonly (Stream | undefined)[];
  readonly #max: number;
  /** Of one stream. */
  readonly #most: number;
  #hand = 0;
  /** Of all windows there is room for. */
  bytes = 0;
  /** Windows given up for others. */
  dropped = 0;

  /** `streams` by place, none where nobody was made an object. */
  constructor(
    streams: readonly (Stream | undefined)[],
    max: number = STREAM_WINDOW_BYTES,
    most: number = MAX_STREAM_WINDOWS,
  ) {
    this.#most = most;
    this.#streams = streams;
    this.#max = max;
  }

  /** A window of the stream has closed: struct ct_rtp_window at `off`. */
  add(stream: Stream, bytes: Uint8Array, off: number): void {
    if (stream.windowCount === this.#most + SURPLUS_STREAM_WINDOWS) keepNewest(stream, this.#most);
    const windows = this.#roomFor(stream);
    windows.set(bytes.subarray(off, off + WINDOW_BYTES), stream.windowCount * WINDOW_BYTES);
    stream.windowCount++;
  }

  /** The last `limit` of those that are kept, oldest first: copies. */
  list(stream: Stream, limit: number = this.#most): StreamWindow[] {
    const { windows, windowCount } = stream;
    return windows === null ? [] : parseWindows(windows.slice(0, windowCount * WINDOW_BYTES), windowCount, limit);
  }

  /** The same for who reads them at once: they are where the next ones go. */
  peek({ windows, windowCount }: Stream): StreamWindow[] {
    return windows === null ? [] : parseWindows(windows, windowCount, this.#most);
  }

  /** The stream was evicted; who still reads it keeps what it has. */
  forget(stream: Stream): void {
    this.bytes -= stream.windows?.length ?? 0;
  }

  #roomFor(stream: Stream): Uint8Array {
    const held = stream.windows;
    if (held !== null && held.length > stream.windowCount * WINDOW_BYTES) return held;
    const windows = Math.min(this.#most + SURPLUS_STREAM_WINDOWS, Math.max(2, stream.windowCount * 2));
    const grown = this.#resize(stream, windows);
    while (this.bytes > this.#max) {
      const giver = this.#giver(stream) ?? stream;
      if (giver.windowCount < 2) break;
      const left = Math.max(1, giver.windowCount >> 1);
      this.dropped += giver.windowCount - left;
      keepNewest(giver, left);
      this.#resize(giver, left + 1);
    }
    return stream.windows ?? grown;
  }

  /** Room for so many windows. */
  #resize(stream: Stream, windows: number): Uint8Array {
    const made = new Uint8Array(windows * WINDOW_BYTES);
    const { windows: held } = stream;
    if (held !== null) made.set(held.subarray(0, Math.min(held.length, made.length)));
    this.bytes += made.length - (held?.length ?? 0);
    stream.windows = made;
    return made;
  }

  /** Who gives up windows for `asker`; null when nobody else met has two. */
  #giver(asker: Stream): Stream | null {
    const streams = this.#streams;
    let giver: Stream | null = null;
    let most = -1;
    for (let n = 0; n < LOOKED_AT && n < streams.length; n++) {
      const stream = streams[this.#hand++ % streams.length];
      if (stream === undefined || stream === asker || stream.windowCount < 2) continue;
      const worth = rankOf(stream) * (this.#most + SURPLUS_STREAM_WINDOWS + 1) + stream.windowCount;
      if (worth <= most) continue;
      giver = stream;
      most = worth;
    }
    return giver;
  }
}

function rankOf(stream: Stream): number {
  const { dialog } = stream;
  if (dialog === null) return RANK.UNOWNED;
  return isEnded(dialog.state) ? RANK.ENDED : RANK.RUNNING;
}

function keepNewest(stream: Stream, count: number): void {
  const { windows, windowCount } = stream;
  windows?.copyWithin(0, (windowCount - count) * WINDOW_BYTES, windowCount * WINDOW_BYTES);
  stream.windowCount = count;
}
