/**
 * Makes the rows of RTP streams that no call ever owned: when a stream has been silent for 30 s, every five minutes while it
 * goes on, and at the end. These rows have the number 0. When a call claims such a stream later, the call's rows tell of it:
 * the row with the number 0 is sent once more, with nothing but its key.
 *
 * A stream that a call owned is the call's for good: what is left of it after the call has left the memory has no row.
 */
import type { Evidence } from '../../analysis/evidence.ts';
import { Counters } from '../../core/counters.ts';
import type { Turns } from '../../core/turns.ts';
import { ORIGINS } from '../../core/words.ts';
import type { Observer } from '../../ingest/observer.ts';
import { asCaptured } from '../../store/clock-steps.ts';
import type { Stream } from '../../store/media/stream.ts';
import { askStream } from '../../view/documents.ts';
import type { Shipper } from './key.ts';
import { hourText, isInTime, lineHead } from './key.ts';
import { streamLine } from './stream-line.ts';

/** Rows of streams without a call that `--ship` makes every 30 seconds; the others wait for the next time. @cap */
export const SHIP_ORPHANS = 4_096;

/** Rows a second of streams without a call that an eviction overtakes. @cap */
export const SHIP_ORPHANS_GONE = 128;

const LOOK_US = 30e6;
/** No description claims a stream that has been silent for longer (src/store/media/stream-store.ts). */
const UNCLAIMED_US = 30e6;
const ROW_US = 300e6;
const UPROBE = ORIGINS.indexOf('uprobe');

export const STREAM_SHIP_COUNTERS = [
  /** Streams that left the memory before a row was made of them, and those whose last row is not their last state. */
  'streams_skipped',
  'streams_stale',
  /** Streams whose time cannot be, and those that a probe read, as of calls. */
  'streams_out_of_time',
  'streams_from_uprobe',
] as const;
/** Of these, what is missing in the store. */
export const STREAM_SHIP_LOSSES = ['streams_skipped', 'streams_stale', 'streams_out_of_time'] as const;
type StreamShipCounter = (typeof STREAM_SHIP_COUNTERS)[number];

/** Stands for the time of a row of streams that get none. */
const LEFT_OUT = Number.POSITIVE_INFINITY;

export type StreamShipperOptions = {
  readonly evidence: () => Evidence;
  readonly shipper: Shipper;
  readonly sendsUprobe: boolean;
  readonly nextVersion: () => number;
  /** Takes a row of `streams`. */
  readonly add: (line: string) => void;
  readonly turns: Turns;
};

export class StreamShipper implements Observer {
  readonly counters = new Counters<StreamShipCounter>(STREAM_SHIP_COUNTERS);
  readonly #options: StreamShipperOptions;
  /** When the last row was made, in capture time. */
  readonly #told = new WeakMap<Stream, number>();
  /** NaN before the first tick; files have none. */
  #nowUs = Number.NaN;
  #lookedUs = Number.NaN;
  #looking: Promise<void> | null = null;
  /** Rows that this second may still have of streams that are gone. */
  #goneLeft = Number.POSITIVE_INFINITY;

  constructor(options: StreamShipperOptions) {
    this.#options = options;
  }

  onTick(nowUs: number): void {
    if (Number.isNaN(this.#nowUs)) this.#lookedUs = nowUs;
    this.#nowUs = nowUs;
    this.#goneLeft = SHIP_ORPHANS_GONE;
    if (this.#looking !== null || nowUs < this.#lookedUs + LOOK_US) return;
    this.#lookedUs = nowUs;
    const isDue = (stream: Stream): boolean => this.#isDue(stream, nowUs);
    this.#looking = this.#look(isDue, SHIP_ORPHANS, null).finally(() => {
      this.#looking = null;
    });
  }

  onStreamGone(stream: Stream): void {
    if (isOfCall(stream)) {
      this.#takeBack(stream);
      return;
    }
    const told = this.#told.get(stream);
    const snapshot = this.#options.evidence().stores.streams.snapshot(stream);
    if (told === LEFT_OUT || (told !== undefined && snapshot !== null && this.#isOverAt(told, snapshot.lastUs))) return;
    if (this.#goneLeft-- > 0 && this.#tell(stream)) return;
    this.counters.add(told === undefined ? 'streams_skipped' : 'streams_stale');
  }

  /** Resolves when the rows that are due have been made. */
  async settled(): Promise<void> {
    await this.#looking;
  }

  /** Tells all that was not told yet; `hasRoom` resolves when more may be added. */
  async finish(hasRoom: () => Promise<void>): Promise<void> {
    await this.#looking;
    await this.#look((stream) => !this.#isToldOf(stream), Number.POSITIVE_INFINITY, hasRoom);
  }

  async #look(isDue: (stream: Stream) => boolean, most: number, hasRoom: (() => Promise<void>) | null): Promise<void> {
    const slice = await this.#options.turns.begin('shipping');
    let left = most;
    for (const stream of this.#options.evidence().stores.streams.fromOldest()) {
      if (isOfCall(stream)) this.#takeBack(stream);
      else if (left > 0 && isDue(stream) && this.#tell(stream)) left--;
      if (!slice.isOver) continue;
      await hasRoom?.();
      await slice.rest();
    }
  }

  #isDue(stream: Stream, nowUs: number): boolean {
    const lastUs = this.#options.evidence().stores.streams.lastSeenUs(stream);
    if (this.#isOverAt(nowUs, lastUs)) return !this.#isToldOf(stream);
    return nowUs - (this.#told.get(stream) ?? stream.openedUs) >= ROW_US;
  }

  /** Its last row was made when nothing came any more. */
  #isToldOf(stream: Stream): boolean {
    const told = this.#told.get(stream);
    return told !== undefined && this.#isOverAt(told, this.#options.evidence().stores.streams.lastSeenUs(stream));
  }

  /** Whether a stream whose last packet came at `lastUs` is over at this time: no call claims it, all its windows are closed. */
  #isOverAt(us: number, lastUs: number): boolean {
    return us - lastUs >= Math.max(UNCLAIMED_US, this.#options.evidence().capture.quality.windowSec * 1e6);
  }

  /** False where its counters are another's by now. */
  #tell(stream: Stream): boolean {
    const { evidence, add } = this.#options;
    const e = evidence();
    const why = this.#whyNot(stream);
    if (why !== null) {
      this.#told.set(stream, LEFT_OUT);
      this.counters.add(why);
      return true;
    }
    const document = askStream(e, stream);
    if (document === null) return false;
    this.#told.set(stream, e.capture.nowUs);
    add(streamLine(this.#headOf(stream), stream.serial + 1, document));
    return true;
  }

  #whyNot(stream: Stream): StreamShipCounter | null {
    if (this.#told.has(stream)) return null;
    if (stream.origin === UPROBE && !this.#options.sendsUprobe) return 'streams_from_uprobe';
    return isInTime(stream.openedUs, this.#nowUs) ? null : 'streams_out_of_time';
  }

  /** A call tells of it now. */
  #takeBack(stream: Stream): void {
    const { add } = this.#options;
    const told = this.#told.get(stream);
    if (told === undefined) return;
    this.#told.delete(stream);
    if (told === LEFT_OUT) return;
    add(`${this.#headOf(stream)}"stream":${stream.serial + 1}}`);
  }

  #headOf(stream: Stream): string {
    const { shipper, nextVersion, evidence } = this.#options;
    const hour = hourText(asCaptured(evidence().capture.clockSteps, stream.openedUs));
    return lineHead(shipper, hour, 0, nextVersion());
  }
}

function isOfCall({ dialog, wasOwned }: Stream): boolean {
  return dialog !== null || wasOwned;
}
