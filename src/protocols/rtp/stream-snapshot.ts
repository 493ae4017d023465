/**
 * One stream of the native table as plain numbers, read while another thread may be writing it.
 *
 * Each field is read whole. Counters only grow, so values read one after the other differ by a few
 * packets at most; a window that closed in between shows in `windowSeq`, and readStream reads again.
 */
import type { BurstGapState } from './burst-gap.ts';
import {
  LANE_CLOCKS,
  LANE_MODE,
  LANES,
  NO_PAYLOAD_TYPE,
  PAYLOAD_TYPES,
  STREAM,
  STREAM_FLAG,
  STREAM_STATE,
} from './stream-layout.ts';
import type { JitterLanes, StreamWindow } from './stream-window.ts';
import { laneOf } from './stream-window.ts';

export type PayloadTypeCount = { readonly payloadType: number; readonly packets: number; readonly isEvent: boolean };

export type StreamSnapshot = JitterLanes & {
  readonly generation: number;
  readonly ssrc: number;
  readonly origin: number;
  readonly ipVersion: number;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly isAccepted: boolean;
  /** A later stream took its key: it gets no more packets. */
  readonly isRetired: boolean;
  readonly packets: number;
  readonly octets: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly firstFrame: number;
  readonly expected: number;
  readonly unique: number;
  /** Never arrived: expected less received once, never negative. */
  readonly lost: number;
  readonly lossRuns: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly discarded: number;
  readonly strays: number;
  readonly resyncs: number;
  readonly tsJumps: number;
  readonly cnPackets: number;
  readonly eventPackets: number;
  /** Silences that the sender made itself: the sequence continued after them. */
  readonly pauses: number;
  readonly markers: number;
  readonly ptChanges: number;
  /** First type that is neither event nor comfort noise, else the first type seen. */
  readonly payloadType: number;
  readonly payloadTypes: readonly PayloadTypeCount[];
  readonly dscpFirst: number;
  readonly dscpLast: number;
  readonly maxDeltaMs: number;
  /** Timestamp units a packet, 0 while not seen twice. */
  readonly tsStep: number;
  readonly inferredClock: number;
  /** By lane: mean of the running jitter, the running jitter now, its maximum. */
  readonly jitterMeanMs: readonly number[];
  readonly jitterNowMs: readonly number[];
  readonly jitterMaxMs: readonly number[];
  readonly burstGap: BurstGapState;
  readonly windowSeq: number;
  /** The window not yet closed: closed by capture time or by the stream's end; null when it is empty. */
  readonly openWindow: StreamWindow | null;
};

/** Reads a stream, again when a window closed meanwhile; null when the slot is not in use for the first time yet. */
export function readStream(view: DataView, base: number): StreamSnapshot | null {
  for (let attempt = 0; ; attempt++) {
    const before = view.getUint32(base + STREAM.windowSeq, true);
    const snapshot = readOnce(view, base);
    if (attempt === 2 || view.getUint32(base + STREAM.windowSeq, true) === before) return snapshot;
  }
}

/** Nanoseconds since the epoch (int64) as microseconds; exact to a quarter microsecond. */
export function timeUs(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 4294967.296 + view.getUint32(at, true) / 1000;
}

function count64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 4294967296 + view.getUint32(at, true);
}

/** The packet time in milliseconds: from the timestamps when the clock is known, else from the arrivals. */
export function packetMs(s: StreamSnapshot, clockRate: number | null): number {
  const clock = clockRate ?? s.clock;
  if (s.tsStep > 0 && clock > 0) return (s.tsStep * 1000) / clock;
  return s.expected > 1 ? (s.lastUs - s.firstUs) / 1000 / (s.expected - 1) : 0;
}

/** The stream's jitter at the clock the SDP or the static payload type gives, or null when none does. */
export function streamJitter(
  s: StreamSnapshot,
  clockRate: number | null,
): { meanMs: number; nowMs: number; maxMs: number } {
  const lane = laneOf(s, clockRate);
  return { meanMs: s.jitterMeanMs[lane] ?? 0, nowMs: s.jitterNowMs[lane] ?? 0, maxMs: s.jitterMaxMs[lane] ?? 0 };
}

function readOnce(view: DataView, base: number): StreamSnapshot | null {
  const u8 = (field: number): number => view.getUint8(base + field);
  const u32 = (field: number): number => view.getUint32(base + field, true);
  const f32 = (field: number): number => view.getFloat32(base + field, true);
  const generation = u32(STREAM.generation);
  if (generation === 0) return null;
  const laneMode = u8(STREAM.laneMode);
  const lanes = {
    laneMode,
    otherClock: u32(STREAM.otherClock),
    clock: u32(STREAM.clock) || likelyClock(view, base, laneMode),
  };
  const samples = u32(STREAM.jitterN);
  const otherSkip = u32(STREAM.otherSkip);
  const used = laneMode === LANE_MODE.ONE ? 1 : LANES;
  const lane = (first: number, rest: number, i: number): number => f32(i === 0 ? first : rest + (i - 1) * 4);
  const mean: number[] = [];
  const now: number[] = [];
  const max: number[] = [];
  const open: number[] = [];
  const windowSamples = samples - u32(STREAM.wJitterN);
  for (let i = 0; i < used; i++) {
    const isOther = i === LANES - 1;
    const sum = view.getFloat64(base + STREAM.jitterSum + i * 8, true);
    const openSum = lane(STREAM.jitter0Wsum, STREAM.jitterWsum, i);
    mean.push(ratio(sum + openSum, samples - (isOther ? otherSkip : 0)));
    open.push(ratio(openSum, isOther ? Math.min(windowSamples, samples - otherSkip) : windowSamples));
    now.push(lane(STREAM.jitter0, STREAM.jitter, i));
    max.push(lane(STREAM.jitter0Max, STREAM.jitterMax, i));
  }
  const packets = count64(view, base + STREAM.packets);
  const unique = u32(STREAM.unique);
  const extMax = u32(STREAM.extMax);
  const expected = (u32(STREAM.expectedPrev) + ((extMax - u32(STREAM.baseExt)) >>> 0) + 1) >>> 0;
  const payloadTypes = readPayloadTypes(view, base);
  const mainPt = u8(STREAM.mainPt);
  const counters = {
    lossRuns: u32(STREAM.lossRuns),
    duplicates: u32(STREAM.duplicates),
    reordered: u32(STREAM.reordered),
    discarded: u32(STREAM.discarded),
  };
  const flags = u8(STREAM.flags);
  const { otherClock, clock } = lanes;
  const { lossRuns, duplicates, reordered, discarded } = counters;
  // Every field by name: objects of this many fields that begin with a spread are slow dictionaries, and this one is
  // made for every row of a list.
  return {
    laneMode,
    otherClock,
    clock,
    lossRuns,
    duplicates,
    reordered,
    discarded,
    generation,
    ssrc: u32(STREAM.ssrc),
    origin: u8(STREAM.origin),
    ipVersion: u8(STREAM.ipVersion),
    srcPort: view.getUint16(base + STREAM.sport, true),
    dstPort: view.getUint16(base + STREAM.dport, true),
    isAccepted: u8(STREAM.state) === STREAM_STATE.ACCEPTED,
    isRetired: (flags & STREAM_FLAG.RETIRED) !== 0,
    packets,
    octets: count64(view, base + STREAM.octets),
    firstUs: timeUs(view, base + STREAM.firstNs),
    lastUs: timeUs(view, base + STREAM.lastNs),
    firstFrame: count64(view, base + STREAM.firstFrame),
    expected,
    unique,
    lost: Math.max(0, expected - unique),
    strays: u32(STREAM.strays),
    resyncs: u32(STREAM.resyncs),
    tsJumps: u32(STREAM.tsJumps),
    cnPackets: u32(STREAM.cnPackets),
    eventPackets: u32(STREAM.eventPackets),
    pauses: u32(STREAM.pauses),
    markers: u32(STREAM.markers),
    ptChanges: u32(STREAM.ptChanges),
    payloadType: mainPt === NO_PAYLOAD_TYPE ? (payloadTypes[0]?.payloadType ?? u8(STREAM.lastPt)) : mainPt,
    payloadTypes,
    dscpFirst: u8(STREAM.dscpFirst),
    dscpLast: u8(STREAM.dscpLast),
    maxDeltaMs: timeUs(view, base + STREAM.maxDeltaNs) / 1000,
    tsStep: view.getUint16(base + STREAM.tsStep, true),
    inferredClock: u32(STREAM.inferredClock),
    jitterMeanMs: mean,
    jitterNowMs: now,
    jitterMaxMs: max,
    burstGap: {
      expected,
      burstCount: u32(STREAM.burstCount),
      burstPackets: u32(STREAM.burstPackets),
      burstLost: u32(STREAM.burstLost),
      gapLost: u32(STREAM.gapLost),
      clusterFirst: u32(STREAM.clusterFirst),
      clusterLast: u32(STREAM.clusterLast),
      clusterLost: u32(STREAM.clusterLost),
      lossRuns,
      extMax,
      received: [0, 4, 8, 12].map((word) => u32(STREAM.windowLo + word)),
    },
    windowSeq: u32(STREAM.windowSeq),
    openWindow: readOpenWindow(view, base, {
      laneMode,
      otherClock,
      clock,
      lossRuns,
      duplicates,
      reordered,
      discarded,
      packets,
      expected,
      unique,
      open,
      windowSamples,
    }),
  };
}

/**
 * The lane whose clock is nearest to the timestamps' rate, for a stream too short for the native inference; 0 when
 * nothing can be said. Any other lane would show the wrong clock as jitter.
 */
function likelyClock(view: DataView, base: number, laneMode: number): number {
  if (laneMode === LANE_MODE.ONE) return 0;
  const ticks = (view.getUint32(base + STREAM.lastTs, true) - view.getUint32(base + STREAM.firstAudioTs, true)) | 0;
  const spanUs = timeUs(view, base + STREAM.lastAudioNs) - timeUs(view, base + STREAM.firstAudioNs);
  if (ticks <= 0 || spanUs <= 0) return 0;
  const rate = (ticks * 1e6) / spanUs;
  let best = 0;
  for (const clock of LANE_CLOCKS) {
    if (best === 0 || Math.abs(Math.log(rate / clock)) < Math.abs(Math.log(rate / best))) best = clock;
  }
  return best;
}

type SoFar = JitterLanes & {
  readonly packets: number;
  readonly expected: number;
  readonly unique: number;
  readonly lossRuns: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly discarded: number;
  readonly open: readonly number[];
  readonly windowSamples: number;
};

/** The open window: the counters now less the counters when it began. */
function readOpenWindow(view: DataView, base: number, now: SoFar): StreamWindow | null {
  const u32 = (field: number): number => view.getUint32(base + field, true);
  const packets = (now.packets % 4294967296) - u32(STREAM.wPackets);
  if (packets <= 0) return null;
  // A late packet lowers what an earlier window counted: a window never shows less than nothing.
  const expected = Math.max(0, now.expected - u32(STREAM.wExpected));
  const startUs = timeUs(view, base + STREAM.windowStartNs);
  return {
    laneMode: now.laneMode,
    otherClock: now.otherClock,
    clock: now.clock,
    startUs,
    lengthUs: timeUs(view, base + STREAM.windowEndNs) - startUs,
    packets,
    expected,
    lost: Math.max(0, expected - (now.unique - u32(STREAM.wUnique))),
    duplicates: now.duplicates - u32(STREAM.wDuplicates),
    reordered: now.reordered - u32(STREAM.wReordered),
    discarded: now.discarded - u32(STREAM.wDiscarded),
    lossRuns: Math.max(0, now.lossRuns - u32(STREAM.wLossRuns)),
    jitterMs: now.open,
    jitterSamples: now.windowSamples,
    payloadType: view.getUint8(base + STREAM.audioPt),
    tsStep: view.getUint16(base + STREAM.tsStep, true),
  };
}

function readPayloadTypes(view: DataView, base: number): PayloadTypeCount[] {
  const out: PayloadTypeCount[] = [];
  const events = view.getUint8(base + STREAM.eventMask);
  for (let i = 0; i < PAYLOAD_TYPES; i++) {
    const at = i === 0 ? STREAM.pt0Count : STREAM.ptCount + (i - 1) * 4;
    const packets = view.getUint32(base + at, true);
    if (packets === 0) break;
    out.push({ payloadType: view.getUint8(base + STREAM.pt + i), packets, isEvent: ((events >> i) & 1) === 1 });
  }
  return out;
}

function ratio(sum: number, n: number): number {
  return n > 0 ? sum / n : 0;
}
