/**
 * One quality window of a stream: the native record of a closed one, and the open one read from the stream.
 */
import type { TimedCounts } from './quality.ts';
import { LANE_CLOCKS, LANE_MODE, LANES, WINDOW, WINDOW_BYTES } from './stream-layout.ts';

/** Which jitter lane holds for which clock; the clock of a dynamic payload type is known late. */
export type JitterLanes = {
  readonly laneMode: number;
  /** Clock of the last lane, 0 none. */
  readonly otherClock: number;
  /** Clock of the dynamic payload type: the SDP's once known, else inferred; 0 unknown. */
  readonly clock: number;
};

/** What a window had of its own, which a packet of the next that came late may have made up for. */
export type NetCounts = { readonly expected: number; readonly lost: number; readonly lossRuns: number };

export type StreamWindow = JitterLanes & {
  readonly startUs: number;
  readonly lengthUs: number;
  readonly packets: number;
  readonly expected: number;
  readonly lost: number;
  /** The same before it was held above 0: what several windows add up to. */
  readonly net: NetCounts;
  /** Its first run of losses began in the window before. */
  readonly isAmid: boolean;
  readonly duplicates: number;
  readonly reordered: number;
  /** Received, but too late for the stated buffer, a lane. */
  readonly lateIn: readonly number[];
  /** Runs of consecutive lost packets. */
  readonly lossRuns: number;
  /** Mean of the running jitter a lane. */
  readonly jitterMs: readonly number[];
  readonly jitterSamples: number;
  /** Last payload type that carries audio; 255 none. */
  readonly payloadType: number;
  /** Timestamp units a packet, 0 unknown. */
  readonly tsStep: number;
};

/**
 * The lane of a clock: lane 0 while only static payload types were seen, which know their clock. For a
 * clock no lane runs at, or none given, the clock the stream found itself; 8000 Hz when it found none.
 */
export function laneOf(lanes: JitterLanes, clockRate: number | null): number {
  if (lanes.laneMode === LANE_MODE.ONE) return 0;
  for (const clock of [clockRate ?? 0, lanes.clock]) {
    if (clock === 0) continue;
    const fixed = LANE_CLOCKS.indexOf(clock);
    if (fixed >= 0) return fixed;
    if (clock === lanes.otherClock) return LANES - 1;
  }
  return 0;
}

/** Mean jitter of the window at the clock the SDP gives, or null when none does. */
export function windowJitterMs(window: StreamWindow, clockRate: number | null): number {
  return window.jitterMs[laneOf(window, clockRate)] ?? 0;
}

/** What a score is made of, at this clock. */
export function windowCounts(window: StreamWindow, clockRate: number | null): TimedCounts {
  const { packets, expected, lost, duplicates, lossRuns, lengthUs, tsStep } = window;
  const discarded = window.lateIn[laneOf(window, clockRate)] ?? 0;
  return { packets, expected, lost, duplicates, discarded, lossRuns, lengthUs, tsStep };
}

/** A closed window, read where its record lies (struct ct_rtp_window). */
class ClosedWindow implements StreamWindow {
  readonly #view: DataView;
  readonly #base: number;

  constructor(view: DataView, base: number) {
    this.#view = view;
    this.#base = base;
  }

  get startUs(): number {
    return this.#view.getFloat64(this.#base + WINDOW.startUs, true);
  }
  get lengthUs(): number {
    return this.#view.getFloat64(this.#base + WINDOW.lengthUs, true);
  }
  get packets(): number {
    return this.#u32(WINDOW.packets);
  }
  get expected(): number {
    return Math.max(0, this.#i32(WINDOW.expected));
  }
  get lost(): number {
    return Math.max(0, this.#i32(WINDOW.lost));
  }
  get net(): NetCounts {
    return {
      expected: this.#i32(WINDOW.expected),
      lost: this.#i32(WINDOW.lost),
      lossRuns: this.#i32(WINDOW.lossRuns),
    };
  }
  get isAmid(): boolean {
    return this.#view.getUint16(this.#base + WINDOW.amid, true) !== 0;
  }
  /** Of an outage: its windows. */
  get outages(): number {
    return this.#u32(WINDOW.lossRuns);
  }
  /** Of an outage: how long after its start the first packet was due, and each next one after that, in ns. */
  get due(): { readonly firstNs: number; readonly stepNs: number } {
    return {
      firstNs: this.#view.getFloat64(this.#base + WINDOW.jitterMs, true),
      stepNs: this.#view.getFloat64(this.#base + WINDOW.jitterMs + 8, true),
    };
  }
  get duplicates(): number {
    return this.#u32(WINDOW.duplicates);
  }
  get reordered(): number {
    return this.#u32(WINDOW.reordered);
  }
  get lateIn(): number[] {
    const ofLanes: number[] = [];
    for (let lane = 0; lane < LANES; lane++)
      ofLanes.push(this.#view.getUint16(this.#base + WINDOW.discarded + lane * 2, true));
    return ofLanes;
  }
  get lossRuns(): number {
    return Math.max(0, this.#i32(WINDOW.lossRuns));
  }
  get jitterMs(): number[] {
    const ofLanes: number[] = [];
    for (let lane = 0; lane < LANES; lane++)
      ofLanes.push(this.#view.getFloat32(this.#base + WINDOW.jitterMs + lane * 4, true));
    return ofLanes;
  }
  get jitterSamples(): number {
    return this.#u32(WINDOW.jitterN);
  }
  get otherClock(): number {
    return this.#u32(WINDOW.otherClock);
  }
  get clock(): number {
    return this.#u32(WINDOW.clock);
  }
  get payloadType(): number {
    return this.#view.getUint8(this.#base + WINDOW.pt);
  }
  get laneMode(): number {
    return this.#view.getUint8(this.#base + WINDOW.laneMode);
  }
  get tsStep(): number {
    return this.#view.getUint16(this.#base + WINDOW.tsStep, true);
  }

  #i32(field: number): number {
    return this.#view.getInt32(this.#base + field, true);
  }

  #u32(field: number): number {
    return this.#view.getUint32(this.#base + field, true);
  }
}

/**
 * The newest `limit` windows of `records` records (struct ct_rtp_window), oldest first; they are read where they lie. A
 * record without packets is an outage: as many windows as it has runs of losses, of which each lost its share.
 */
export function parseWindows(bytes: Uint8Array, records: number, limit: number): StreamWindow[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const newestFirst: StreamWindow[] = [];
  // What is made of an outage ends where nobody asks for more.
  for (let i = records - 1; i >= 0 && newestFirst.length < limit; i--) {
    const record = new ClosedWindow(view, i * WINDOW_BYTES);
    if (record.packets > 0) newestFirst.push(record);
    else addOutage(record, limit, newestFirst);
  }
  return newestFirst.reverse();
}

/** The window with other counts, as a record of its own. */
export function recounted(
  window: StreamWindow,
  { startUs, expected, lost, lossRuns }: Pick<StreamWindow, 'startUs' | 'expected' | 'lost' | 'lossRuns'>,
): StreamWindow {
  const { lengthUs, packets, duplicates, reordered, lateIn, isAmid } = window;
  const { jitterMs, jitterSamples, otherClock, clock, payloadType, laneMode, tsStep } = window;
  const net = {
    expected: window.net.expected - window.expected + expected,
    lost: window.net.lost - window.lost + lost,
    lossRuns: window.net.lossRuns - window.lossRuns + lossRuns,
  };
  return {
    startUs,
    lengthUs,
    packets,
    expected,
    lost,
    net,
    isAmid,
    duplicates,
    reordered,
    lateIn,
    lossRuns,
    jitterMs,
    jitterSamples,
    otherClock,
    clock,
    payloadType,
    laneMode,
    tsStep,
  };
}

function addOutage(record: ClosedWindow, limit: number, newestFirst: StreamWindow[]): void {
  const { startUs, lengthUs, outages, isAmid } = record;
  const jitterMs = record.lateIn.map(() => 0);
  for (let i = outages - 1; i >= 0 && newestFirst.length < limit; i--) {
    const share = dueBefore(record, i + 1) - dueBefore(record, i);
    const counts = { startUs: startUs + i * lengthUs, expected: share, lost: share, lossRuns: 1 };
    newestFirst.push({ ...recounted(record, counts), isAmid: isAmid || i > 0, jitterMs });
  }
}

/** Packets of an outage that were due before its window `i`; spread evenly where it has no more of them than windows. */
function dueBefore({ expected, outages, lengthUs, due }: ClosedWindow, i: number): number {
  if (i === outages) return expected;
  if (outages >= expected || due.stepNs <= 0) return Math.floor((i * expected) / outages);
  const n = Math.ceil((i * lengthUs * 1000 - due.firstNs) / due.stepNs);
  return Math.max(0, Math.min(expected, n));
}
