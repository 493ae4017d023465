/**
 * The window of a stream that is not yet closed: the counters now less the counters when it began, read where the stream
 * lies.
 */
import { LANE_MODE, LANES } from './stream-layout.ts';
import { ofLanes } from './stream-segment.ts';
import type { StreamSnapshot } from './stream-snapshot.ts';
import type { NetCounts, StreamWindow } from './stream-window.ts';

/** It is closed by capture time or by the stream's end; null when it is empty. */
export function openWindow(s: StreamSnapshot): StreamWindow | null {
  return packetsOf(s) > 0 ? new OpenWindow(s) : null;
}

class OpenWindow implements StreamWindow {
  readonly #s: StreamSnapshot;

  constructor(s: StreamSnapshot) {
    this.#s = s;
  }

  get startUs(): number {
    return this.#s.windowStartUs;
  }
  get lengthUs(): number {
    return this.#s.windowEndUs - this.#s.windowStartUs;
  }
  get packets(): number {
    return packetsOf(this.#s);
  }
  /** A late packet lowers what an earlier window counted: a window never shows less than nothing. */
  get expected(): number {
    return Math.max(0, this.net.expected);
  }
  get lost(): number {
    return Math.max(0, this.net.lost);
  }
  get net(): NetCounts {
    const s = this.#s;
    const expected = s.expected - s.wExpected;
    return { expected, lost: expected - (s.unique - s.wUnique), lossRuns: s.lossRuns - s.wLossRuns };
  }
  get isAmid(): boolean {
    return this.#s.isWindowAmid;
  }
  get duplicates(): number {
    return this.#s.duplicates - this.#s.wDuplicates;
  }
  get reordered(): number {
    return this.#s.reordered - this.#s.wReordered;
  }
  get lateIn(): number[] {
    return ofLanes((lane) => this.#s.windowLateIn(lane));
  }
  get lossRuns(): number {
    return Math.max(0, this.net.lossRuns);
  }
  get jitterMs(): number[] {
    const lanes = this.#s.laneMode === LANE_MODE.ALL ? LANES : 1;
    const all: number[] = [];
    for (let lane = 0; lane < lanes; lane++) all.push(this.#jitter(lane));
    return all;
  }
  get jitterSamples(): number {
    return this.#s.jitterN - this.#s.wJitterN;
  }
  get otherClock(): number {
    return this.#s.otherClock;
  }
  get clock(): number {
    return this.#s.clock;
  }
  get payloadType(): number {
    return this.#s.audioPt;
  }
  get laneMode(): number {
    return this.#s.laneMode;
  }
  get tsStep(): number {
    return this.#s.tsStep;
  }

  #jitter(lane: number): number {
    const samples = this.jitterSamples;
    const counted = lane === LANES - 1 ? Math.min(samples, this.#s.jitterN - this.#s.otherSkip) : samples;
    return counted > 0 ? this.#s.windowJitterSum(lane) / counted : 0;
  }
}

function packetsOf(s: StreamSnapshot): number {
  return (s.packets % 4294967296) - s.wPackets;
}
