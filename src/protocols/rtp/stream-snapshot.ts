/**
 * One stream of the native table as numbers, while another thread may be writing it.
 *
 * Each number is read whole. Counters only grow, so numbers of one moment differ by a few packets at most; a window that
 * closed in between shows in `windowSeq`, and copyStream() copies again.
 */
import type { BurstGapState } from './burst-gap.ts';
import {
  LANE_CLOCKS,
  LANE_MODE,
  LANES,
  NO_PAYLOAD_TYPE,
  PAYLOAD_TYPES,
  STREAM,
  STREAM_BYTES,
  STREAM_FLAG,
  STREAM_NUMBERS,
  STREAM_STATE,
} from './stream-layout.ts';
import type { JitterLanes } from './stream-window.ts';
import { laneOf } from './stream-window.ts';

type PayloadTypeCount = { readonly payloadType: number; readonly packets: number; readonly isEvent: boolean };

/** The bytes of a stream: a copy of them, or its place in the table. */
class StreamBytes {
  readonly view: DataView;
  readonly base: number;

  constructor(view: DataView, base: number) {
    this.view = view;
    this.base = base;
  }
}

type Property = PropertyDescriptor & ThisType<StreamBytes>;

/** Makes the property that reads a number of a kind. */
const PROPERTY_OF = {
  u8: (at: number): Property => ({
    get() {
      return this.view.getUint8(this.base + at);
    },
  }),
  u16: (at: number): Property => ({
    get() {
      return this.view.getUint16(this.base + at, true);
    },
  }),
  u32: (at: number): Property => ({
    get() {
      return this.view.getUint32(this.base + at, true);
    },
  }),
  u64: (at: number): Property => ({
    get() {
      const { view, base } = this;
      return view.getUint32(base + at + 4, true) * 4294967296 + view.getUint32(base + at, true);
    },
  }),
} as const;

for (const [name, [at, kind]] of Object.entries(STREAM_NUMBERS))
  Object.defineProperty(StreamBytes.prototype, name, PROPERTY_OF[kind](at));

/** Each number of the table by its name. */
type Numbers = { readonly [Name in keyof typeof STREAM_NUMBERS]: number };
const StreamNumbers = StreamBytes as new (view: DataView, base: number) => StreamBytes & Numbers;

export class StreamSnapshot extends StreamNumbers implements JitterLanes, BurstGapState {
  get isAccepted(): boolean {
    return this.state === STREAM_STATE.ACCEPTED;
  }

  /** A later stream took its key: it gets no more packets. */
  get isRetired(): boolean {
    return (this.flags & STREAM_FLAG.RETIRED) !== 0;
  }

  get firstUs(): number {
    return this.#timeUs(STREAM.firstNs);
  }

  get lastUs(): number {
    return this.#timeUs(STREAM.lastNs);
  }

  get maxDeltaMs(): number {
    return this.#u32(STREAM.maxDeltaUs) / 1000;
  }

  get expected(): number {
    return (this.expectedPrev + ((this.extMax - this.baseExt) >>> 0) + 1) >>> 0;
  }

  /** Never arrived: expected less received once, never negative. */
  get lost(): number {
    return Math.max(0, this.expected - this.unique);
  }

  /** Bit i of the 128: extMax - i was received. Four words, lowest bits first. */
  get received(): number[] {
    return [0, 4, 8, 12].map((word) => this.#u32(STREAM.windowLo + word));
  }

  /** Of the segment that goes on: neither event nor comfort noise, else the first type seen. */
  get payloadType(): number {
    if (this.mainPt !== NO_PAYLOAD_TYPE) return this.mainPt;
    return this.payloadTypes[0]?.payloadType ?? this.lastPt;
  }

  get payloadTypes(): PayloadTypeCount[] {
    const out: PayloadTypeCount[] = [];
    for (let i = 0; i < PAYLOAD_TYPES; i++) {
      const packets = this.#u32(i === 0 ? STREAM.pt0Count : STREAM.ptCount + (i - 1) * 4);
      if (packets === 0) break;
      const payloadType = this.view.getUint8(this.base + STREAM.pt + i);
      out.push({ payloadType, packets, isEvent: ((this.eventMask >> i) & 1) === 1 });
    }
    return out;
  }

  /** Clock of the dynamic payload type: the SDP's once known, else inferred; 0 unknown. */
  get clock(): number {
    return this.#u32(STREAM.clock) || this.#likelyClock();
  }

  /** In a lane: mean of the running jitter since the payload type changed, and the running jitter now. */
  jitterIn(lane: number): { meanMs: number; nowMs: number } {
    const sum = this.view.getFloat64(this.base + STREAM.jitterSum + lane * 8, true);
    const skipped = lane === LANES - 1 ? Math.max(this.otherSkip, this.jitterBase) : this.jitterBase;
    return {
      meanMs: ratio(sum + this.windowJitterSum(lane), this.jitterN - skipped),
      nowMs: this.#inLane(STREAM.jitter0, STREAM.jitter, lane),
    };
  }

  /** In a lane: packets that came too late for the stated buffer. */
  lateIn(lane: number): number {
    return this.#countIn(STREAM.discarded, STREAM.discardedIn, lane);
  }

  /** The same since the window began. */
  windowLateIn(lane: number): number {
    return (this.lateIn(lane) - this.view.getUint16(this.base + STREAM.wDiscarded + lane * 2, true)) & 0xffff;
  }

  /** No lane has any. */
  get isNeverLate(): boolean {
    for (let lane = 0; lane < LANES; lane++) if (this.lateIn(lane) > 0) return false;
    return true;
  }

  /** The first run of losses of the open window began in the one before. */
  get isWindowAmid(): boolean {
    return (this.flags & STREAM_FLAG.AMID) !== 0;
  }

  get windowStartUs(): number {
    return this.#timeUs(STREAM.windowStartNs);
  }

  get windowEndUs(): number {
    return this.#timeUs(STREAM.windowEndNs);
  }

  /** In a lane: the sum of the running jitter since the window began. */
  windowJitterSum(lane: number): number {
    return this.#inLane(STREAM.jitter0Wsum, STREAM.jitterWsum, lane);
  }

  /**
   * The lane whose clock is nearest to the timestamps' rate, for a stream too short for the native inference; 0 when
   * nothing can be said. Any other lane would show the wrong clock as jitter.
   */
  #likelyClock(): number {
    if (this.laneMode === LANE_MODE.ONE) return 0;
    const ticks = (this.#u32(STREAM.lastTs) - this.#u32(STREAM.firstAudioTs)) | 0;
    const spanUs = this.#timeUs(STREAM.lastAudioNs) - this.#timeUs(STREAM.firstAudioNs);
    if (ticks <= 0 || spanUs <= 0) return 0;
    const rate = (ticks * 1e6) / spanUs;
    let best = 0;
    for (const clock of LANE_CLOCKS) {
      if (best === 0 || Math.abs(Math.log(rate / clock)) < Math.abs(Math.log(rate / best))) best = clock;
    }
    return best;
  }

  #u32(field: number): number {
    return this.view.getUint32(this.base + field, true);
  }

  /** Lane 0 stands apart from the others. */
  #inLane(first: number, others: number, lane: number): number {
    return this.view.getFloat32(this.base + (lane === 0 ? first : others + (lane - 1) * 4), true);
  }

  #countIn(first: number, others: number, lane: number): number {
    return this.#u32(lane === 0 ? first : others + (lane - 1) * 4);
  }

  /** Nanoseconds since the epoch (int64) as microseconds; exact to a quarter microsecond. */
  #timeUs(field: number): number {
    const at = this.base + field;
    return this.view.getInt32(at + 4, true) * 4294967.296 + this.view.getUint32(at, true) / 1000;
  }
}

/** Tries before a stream whose windows keep closing is taken as it stands. */
const TRIES = 3;

/** What `read` makes of a stream, again while a window closes in between. */
export function settled<T>(live: StreamSnapshot, read: () => T): T {
  for (let tries = 1; ; tries++) {
    const before = live.windowSeq;
    const made = read();
    if (live.windowSeq === before || tries === TRIES) return made;
  }
}

/** Where copies go, one after the other: memory of its own takes longer to get than to fill. */
const COPIES = 32 * STREAM_BYTES;
let copies = new Uint8Array(0);
let copiesView = new DataView(copies.buffer);
let nextCopy = 0;

/** The stream at `base` as it stands, copied; null when its slot was never used. */
export function copyStream(view: DataView, base: number): StreamSnapshot | null {
  if (nextCopy >= copies.length) {
    copies = new Uint8Array(COPIES);
    copiesView = new DataView(copies.buffer);
    nextCopy = 0;
  }
  const at = nextCopy;
  nextCopy += STREAM_BYTES;
  const bytes = new Uint8Array(view.buffer, base, STREAM_BYTES);
  settled(new StreamSnapshot(view, base), () => copies.set(bytes, at));
  const snapshot = new StreamSnapshot(copiesView, at);
  return snapshot.generation === 0 ? null : snapshot;
}

/** The packet time in milliseconds: from the timestamps when the clock is known, else from the arrivals. */
export function packetMs(s: StreamSnapshot, clockRate: number | null, tsStep = s.tsStep): number {
  const clock = clockRate ?? s.clock;
  if (tsStep > 0 && clock > 0) return (tsStep * 1000) / clock;
  return s.expected > 1 ? (s.lastUs - s.firstUs) / 1000 / (s.expected - 1) : 0;
}

/** The stream's jitter at the clock the SDP or the static payload type gives, or null when none does. */
export function streamJitter(s: StreamSnapshot, clockRate: number | null): { meanMs: number; nowMs: number } {
  return s.jitterIn(laneOf(s, clockRate));
}

/** Packets that came too late for the stated buffer, likewise. */
export function streamLate(s: StreamSnapshot, clockRate: number | null): number {
  return s.lateIn(laneOf(s, clockRate));
}

function ratio(sum: number, n: number): number {
  return n > 0 ? sum / n : 0;
}
