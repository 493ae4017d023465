/**
 * The segments of a stream: what each of its payload types carried, from where the type changed to where it changed again.
 * The native table says what was counted up to each change; a segment is the difference of two.
 */
import { LANES, MARK, SEGMENT } from './stream-layout.ts';
import type { StreamSnapshot } from './stream-snapshot.ts';
import type { JitterLanes } from './stream-window.ts';

/** Counters of a stream from its beginning on; `lateIn` by lane. */
type Mark = {
  readonly packets: number;
  readonly expected: number;
  readonly unique: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly lossRuns: number;
  readonly jitterN: number;
  readonly lateIn: readonly number[];
};

/** Where a segment ended: what is known of it, and what the stream had counted by then. */
export type SegmentEnd = JitterLanes & {
  /** First packet of the next. */
  readonly nextUs: number;
  /** Last packet. */
  readonly lastUs: number;
  readonly mark: Mark;
  readonly jitterMs: readonly number[];
  readonly payloadType: number;
  readonly tsStep: number;
};

export type StreamSegment = JitterLanes & {
  readonly payloadType: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly packets: number;
  readonly expected: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly lossRuns: number;
  /** Received, but too late for the stated buffer, a lane. */
  readonly lateIn: readonly number[];
  /** Mean of the running jitter a lane, and of how many samples. */
  readonly jitterMs: readonly number[];
  readonly jitterSamples: number;
  /** Timestamp units a packet, 0 unknown. */
  readonly tsStep: number;
};

/** The record of an end (struct ct_rtp_segment). */
export function readSegmentEnd(bytes: Uint8Array, off: number): SegmentEnd {
  const view = new DataView(bytes.buffer, bytes.byteOffset + off);
  const u32 = (at: number): number => view.getUint32(at, true);
  const counter = (name: keyof typeof MARK): number => u32(SEGMENT.mark + MARK[name]);
  return {
    nextUs: view.getFloat64(SEGMENT.startUs, true),
    lastUs: view.getFloat64(SEGMENT.endUs, true),
    mark: {
      packets: counter('packets'),
      expected: counter('expected'),
      unique: counter('unique'),
      duplicates: counter('duplicates'),
      reordered: counter('reordered'),
      lossRuns: counter('lossRuns'),
      jitterN: counter('jitterN'),
      lateIn: ofLanes((lane) => u32(SEGMENT.mark + MARK.discarded + lane * 4)),
    },
    jitterMs: ofLanes((lane) => view.getFloat32(SEGMENT.jitterMs + lane * 4, true)),
    otherClock: u32(SEGMENT.otherClock),
    clock: u32(SEGMENT.clock),
    payloadType: view.getUint8(SEGMENT.pt),
    laneMode: view.getUint8(SEGMENT.laneMode),
    tsStep: view.getUint16(SEGMENT.tsStep, true),
  };
}

/** All of them, the one that goes on last. */
export function segmentsOf(s: StreamSnapshot, ends: readonly SegmentEnd[]): StreamSegment[] {
  const last: SegmentEnd = {
    nextUs: s.lastUs,
    lastUs: s.lastUs,
    mark: {
      packets: s.packets,
      expected: s.expected,
      unique: s.unique,
      duplicates: s.duplicates,
      reordered: s.reordered,
      lossRuns: s.lossRuns,
      jitterN: s.jitterN,
      lateIn: ofLanes((lane) => s.lateIn(lane)),
    },
    jitterMs: ofLanes((lane) => s.jitterIn(lane).meanMs),
    otherClock: s.otherClock,
    clock: s.clock,
    payloadType: s.payloadType,
    laneMode: s.laneMode,
    tsStep: s.tsStep,
  };
  const made: StreamSegment[] = [];
  const all = [...ends, last];
  // A packet that came late makes up for a loss of the segment before, where it was counted.
  let surplus = 0;
  for (let i = all.length - 1; i >= 0; i--) {
    const lost = lostBetween(all[i - 1]?.mark ?? NOTHING, all[i]?.mark ?? NOTHING) - surplus;
    surplus = Math.max(0, -lost);
    made.push(between(all[i - 1] ?? null, all[i] ?? last, s.firstUs, Math.max(0, lost)));
  }
  return made.reverse();
}

function lostBetween(from: Mark, to: Mark): number {
  return to.expected - from.expected - (to.unique - from.unique);
}

const NOTHING: Mark = {
  packets: 0,
  expected: 0,
  unique: 0,
  duplicates: 0,
  reordered: 0,
  lossRuns: 0,
  jitterN: 0,
  lateIn: [],
};

function between(before: SegmentEnd | null, end: SegmentEnd, streamUs: number, lost: number): StreamSegment {
  const from = before?.mark ?? NOTHING;
  const to = end.mark;
  return {
    payloadType: end.payloadType,
    firstUs: before?.nextUs ?? streamUs,
    lastUs: end.lastUs,
    packets: to.packets - from.packets,
    expected: Math.max(0, to.expected - from.expected),
    lost,
    duplicates: to.duplicates - from.duplicates,
    reordered: to.reordered - from.reordered,
    lossRuns: Math.max(0, to.lossRuns - from.lossRuns),
    lateIn: to.lateIn.map((late, lane) => Math.max(0, late - (from.lateIn[lane] ?? 0))),
    jitterMs: end.jitterMs,
    jitterSamples: Math.max(0, to.jitterN - from.jitterN),
    tsStep: end.tsStep,
    otherClock: end.otherClock,
    clock: end.clock,
    laneMode: end.laneMode,
  };
}

/** Two neighbours as one: `b` carried no media of its own, so that only its packets count. */
export function absorbed(a: StreamSegment, b: StreamSegment): StreamSegment {
  const { payloadType, jitterMs, jitterSamples, tsStep, otherClock, clock, laneMode } = a;
  return { ...joined(a, b), payloadType, jitterMs, jitterSamples, tsStep, otherClock, clock, laneMode };
}

/** Two neighbours as one, under the type that carried more of both. */
export function joined(a: StreamSegment, b: StreamSegment): StreamSegment {
  const more = b.packets > a.packets ? b : a;
  const jitterSamples = a.jitterSamples + b.jitterSamples;
  return {
    ...more,
    firstUs: a.firstUs,
    lastUs: b.lastUs,
    packets: a.packets + b.packets,
    expected: a.expected + b.expected,
    lost: a.lost + b.lost,
    duplicates: a.duplicates + b.duplicates,
    reordered: a.reordered + b.reordered,
    lossRuns: a.lossRuns + b.lossRuns,
    lateIn: a.lateIn.map((late, lane) => late + (b.lateIn[lane] ?? 0)),
    jitterMs: a.jitterMs.map((ms, lane) => meanOf(ms, a.jitterSamples, b.jitterMs[lane] ?? 0, b.jitterSamples)),
    jitterSamples,
  };
}

/** The first two ends as one: `before` is forgotten, and `end` speaks for both. */
export function joinedEnd(before: SegmentEnd, end: SegmentEnd): SegmentEnd {
  const samples = end.mark.jitterN - before.mark.jitterN;
  const more = before.mark.packets > end.mark.packets - before.mark.packets ? before : end;
  return {
    ...end,
    payloadType: more.payloadType,
    tsStep: more.tsStep,
    jitterMs: end.jitterMs.map((ms, lane) => meanOf(before.jitterMs[lane] ?? 0, before.mark.jitterN, ms, samples)),
  };
}

function meanOf(a: number, samplesA: number, b: number, samplesB: number): number {
  const samples = samplesA + samplesB;
  return samples === 0 ? 0 : (a * samplesA + b * samplesB) / samples;
}

/** By lane. A loop, as V8 takes ten times as long for Array.from(). */
export function ofLanes<T>(read: (lane: number) => T): T[] {
  const all: T[] = [];
  for (let lane = 0; lane < LANES; lane++) all.push(read(lane));
  return all;
}
