/**
 * One quality window of a stream: the native record of a closed one, and the open one read from the stream.
 */
import { LANE_CLOCKS, LANE_MODE, LANES, WINDOW } from './stream-layout.ts';

/** Which jitter lane holds for which clock; the clock of a dynamic payload type is known late. */
export type JitterLanes = {
  readonly laneMode: number;
  /** Clock of the last lane, 0 none. */
  readonly otherClock: number;
  /** Clock of the dynamic payload type: the SDP's once known, else inferred; 0 unknown. */
  readonly clock: number;
};

export type StreamWindow = JitterLanes & {
  readonly startUs: number;
  readonly lengthUs: number;
  readonly packets: number;
  readonly expected: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly reordered: number;
  /** Received, but too late for the stated buffer. */
  readonly discarded: number;
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

/**
 * The newest `limit` windows of the record at `off` (struct ct_rtp_window), newest first; the bytes must be there. A record
 * without packets is an outage: as many windows as it has runs of losses, of which each lost its share.
 */
export function parseWindows(bytes: Uint8Array, off: number, limit: number): StreamWindow[] {
  const record = parseRecord(bytes, off);
  if (record.packets > 0) return limit > 0 ? [record] : [];
  const { startUs, lengthUs, expected, lossRuns } = record;
  const out: StreamWindow[] = [];
  for (let i = lossRuns - 1; i >= 0 && out.length < limit; i--) {
    const share = Math.floor(((i + 1) * expected) / lossRuns) - Math.floor((i * expected) / lossRuns);
    out.push({ ...record, startUs: startUs + i * lengthUs, expected: share, lost: share, lossRuns: 1 });
  }
  return out;
}

function parseRecord(bytes: Uint8Array, off: number): StreamWindow {
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u32 = (field: number): number => v.getUint32(off + field, true);
  const jitterMs: number[] = [];
  for (let lane = 0; lane < LANES; lane++) jitterMs.push(v.getFloat32(off + WINDOW.jitterMs + lane * 4, true));
  return {
    startUs: v.getFloat64(off + WINDOW.startUs, true),
    lengthUs: v.getFloat64(off + WINDOW.lengthUs, true),
    packets: u32(WINDOW.packets),
    expected: u32(WINDOW.expected),
    lost: u32(WINDOW.lost),
    duplicates: u32(WINDOW.duplicates),
    reordered: u32(WINDOW.reordered),
    discarded: u32(WINDOW.discarded),
    lossRuns: u32(WINDOW.lossRuns),
    jitterMs,
    jitterSamples: u32(WINDOW.jitterN),
    otherClock: u32(WINDOW.otherClock),
    clock: u32(WINDOW.clock),
    payloadType: v.getUint8(off + WINDOW.pt),
    laneMode: v.getUint8(off + WINDOW.laneMode),
    tsStep: v.getUint16(off + WINDOW.tsStep, true),
  };
}
