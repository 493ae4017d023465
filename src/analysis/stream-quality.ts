/**
 * A stream's numbers as a reader may trust them: codec and clock from the SDP, closed windows, scores.
 */

import { AUDIBLE } from '../core/audible.ts';
import { measuredSec, SCORE_SEC } from '../core/score-window.ts';
import { impairmentOf } from '../protocols/rtp/codec-impairment.ts';
import type { Impairment } from '../protocols/rtp/emodel.ts';
import { openWindow } from '../protocols/rtp/open-window.ts';
import {
  flawlessMos,
  lossPct,
  oneWayDelayMs,
  packetFloor,
  type StreamScore,
  scoreStream,
} from '../protocols/rtp/quality.ts';
import { heardLossPct, isKeysOnly, latePct } from '../protocols/rtp/stream-figures.ts';
import type { StreamSegment } from '../protocols/rtp/stream-segment.ts';
import type { StreamSnapshot } from '../protocols/rtp/stream-snapshot.ts';
import { packetMs, streamJitter, streamLate } from '../protocols/rtp/stream-snapshot.ts';
import type { StreamWindow } from '../protocols/rtp/stream-window.ts';
import { windowCounts } from '../protocols/rtp/stream-window.ts';
import { widerWindows } from '../protocols/rtp/wider-windows.ts';
import { FIRST_DYNAMIC_PT, streamFormat } from '../store/media/codec-format.ts';
import type { CodecFormat } from '../store/media/codec-set.ts';
import type { Stream } from '../store/media/stream.ts';
import type { QualityContext } from '../store/stores.ts';
import type { Excused } from './media/held-loss.ts';
import { excuseHeld, mayExplain } from './media/held-loss.ts';
import { isMixed } from './mixed-stream.ts';
import { ownDrops, scoreWithout } from './own-drops.ts';
import {
  carriedSegments,
  mainSegment,
  segmentEndUs,
  segmentJitterMs,
  segmentLate,
  withoutHeld,
} from './stream-segments.ts';

const SCORE_FLOOR = packetFloor(SCORE_SEC);

/** By what the packets of a stream are judged. */
export type QualityScale = {
  readonly payloadType: number;
  readonly codec: string | null;
  readonly clockRate: number | null;
  /** At which the native side timed the packets whose type has no clock of its own. */
  readonly jitterClock: number | null;
  readonly impairment: Impairment | null;
  readonly floorPackets: number;
  readonly delayMs: number;
  /** Two sources send as one: what a receiver makes of both has no score. */
  readonly isMixed: boolean;
};

export type StreamQuality = QualityScale & {
  /** As the sequence numbers have it. */
  readonly snapshot: StreamSnapshot;
  /** Closed windows, oldest first. */
  readonly windows: readonly StreamWindow[];
  /** The same without what the capture may have dropped itself. */
  readonly known: readonly StreamWindow[];
  /** Those that the score is made of, however wide the others are; likewise. */
  readonly scoreWindows: readonly StreamWindow[];
  /** What each payload type carried where it changed; none where it never did. Its scale is that of the type with most packets. */
  readonly segments: readonly StreamSegment[];
  /** Timestamp units a packet, 0 unknown. */
  readonly tsStep: number;
  /** Packets, and those of them that never came, in so many runs: without what a hold explains. */
  readonly expected: number;
  readonly lost: number;
  readonly lossRuns: number;
  /** What that is. */
  readonly held: Pick<Excused, 'lost' | 'gaps'>;
  readonly jitterMs: number;
  /** Packets that a jitter buffer of 60 ms does not wait for. */
  readonly late: number;
  /** By the sequence numbers, without what a hold explains. */
  readonly lossPct: number;
  /** Missing packets that the capture may have dropped itself: whether the wire lost them is not known. */
  readonly ownLost: number;
  /** Without those. */
  readonly knownLossPct: number;
  /** Null also where it would rest on those. */
  readonly mos: number | null;
  readonly worstMos: number | null;
};

/** Null when the native table has given the stream's place away. */
export function streamQuality(stream: Stream, c: QualityContext): StreamQuality | null {
  const s = c.streams.snapshot(stream);
  if (s === null) return null;
  const held = judgedWindows(stream, s, c, c.streams.windows(stream));
  const expected = s.expected - held.lost;
  const lost = s.lost - held.lost;
  const segments = withoutHeld(carriedSegments(stream, s), held.pieces);
  const main = segments.length === 0 ? null : mainSegment(segments);
  const scale = scaleOf(stream, s, main?.payloadType ?? s.payloadType, packetFloor(c.windowSec));
  const { payloadType, codec, clockRate, jitterClock, impairment, floorPackets, delayMs } = scale;
  const own = ownDrops(s, lost, held.windows, c.dropsOf(stream.source), clockRate);
  const windows = windowsOf(stream, s, c, held.windows, c.windowSec);
  const known = own.lost === 0 ? windows : windowsOf(stream, s, c, own.known, c.windowSec);
  const scoreWindows = windowsOf(stream, s, c, own.known, SCORE_SEC);
  const scoreOf = (of: readonly StreamWindow[]): StreamScore | null =>
    main === null ? scoreAt(of, scale) : scoreOfTypes(stream, s, of, scale);
  const score = scoreWithout(own, scoreOf(scoreWindows), () =>
    scoreOf(windowsOf(stream, s, c, held.windows, SCORE_SEC)),
  );
  // Spelled out: for an object that begins with a spread and continues, V8 makes a hidden class of its own each time.
  return {
    payloadType,
    codec,
    clockRate,
    jitterClock,
    impairment,
    floorPackets,
    delayMs,
    isMixed: scale.isMixed,
    snapshot: s,
    windows,
    known,
    scoreWindows,
    expected,
    lost,
    // Of a gap that a hold explains in part, the rest is a run.
    lossRuns: Math.min(lost, Math.max(1, s.lossRuns - held.gaps)),
    held,
    segments,
    tsStep: main?.tsStep ?? s.tsStep,
    jitterMs: main === null ? streamJitter(s, jitterClock).meanMs : jitterOf(stream, segments),
    late: main === null ? streamLate(s, jitterClock) : lateOf(stream, segments),
    lossPct: lossPct(lost, expected),
    ownLost: own.lost,
    knownLossPct: lossPct(lost - own.lost, expected - own.lost),
    mos: score?.mos ?? null,
    worstMos: score?.worstMos ?? null,
  };
}

function scoreAt(windows: readonly StreamWindow[], scale: QualityScale): StreamScore | null {
  if (scale.isMixed) return null;
  const { impairment, delayMs, clockRate, jitterClock } = scale;
  const counts = windows.map((w) => windowCounts(w, jitterClock));
  return scoreStream(counts, impairment, SCORE_FLOOR, delayMs, clockRate);
}

/** That of the type that carried most packets; the worst is that of any. */
function scoreOfTypes(
  stream: Stream,
  s: StreamSnapshot,
  windows: readonly StreamWindow[],
  main: QualityScale,
): StreamScore | null {
  const score = scoreAt(
    windows.filter((w) => w.payloadType === main.payloadType),
    main,
  );
  if (score === null) return null;
  let { worstMos } = score;
  for (const type of new Set(windows.map((w) => w.payloadType))) {
    const ofType = windows.filter((w) => w.payloadType === type);
    const other = scoreAt(ofType, scaleOf(stream, s, type, main.floorPackets));
    if (other !== null) worstMos = Math.min(worstMos, other.worstMos);
  }
  return { ...score, worstMos };
}

/** Of one segment; null when none of its windows has a score. */
export function segmentScore(stream: Stream, q: StreamQuality, segment: StreamSegment): StreamScore | null {
  const scale = scaleOf(stream, q.snapshot, segment.payloadType, q.floorPackets);
  // Windows end where a segment does; the two times may differ by a rounding.
  const endUs = segmentEndUs(q.segments, segment) - 1;
  const own = q.scoreWindows.filter((w) => w.startUs > segment.firstUs - 1 && w.startUs < endUs);
  return scoreAt(
    own.filter((w) => w.payloadType === segment.payloadType),
    scale,
  );
}

/** By what a window of the stream is judged: by its own payload type, where the stream had several. */
export function windowScale(stream: Stream, q: StreamQuality, w: StreamWindow): QualityScale {
  if (q.segments.length === 0 || w.payloadType === q.payloadType) return q;
  return scaleOf(stream, q.snapshot, w.payloadType, q.floorPackets);
}

/** Names of all codecs that the stream carried, that of most packets first; none for a type without a name. */
export function codecsOf(stream: Stream, { codec, segments }: StreamQuality): string[] {
  if (segments.length === 0) return codec === null ? [] : [codec];
  const names = segments.map(({ payloadType }) => streamFormat(stream, payloadType)?.name ?? null);
  return [...new Set([codec, ...names])].filter((name): name is string => name !== null);
}

function jitterOf(stream: Stream, segments: readonly StreamSegment[]): number {
  let sum = 0;
  let samples = 0;
  for (const segment of segments) {
    sum += segmentJitterMs(stream, segment) * segment.jitterSamples;
    samples += segment.jitterSamples;
  }
  return samples === 0 ? 0 : sum / samples;
}

function lateOf(stream: Stream, segments: readonly StreamSegment[]): number {
  return segments.reduce((late, segment) => late + segmentLate(stream, segment), 0);
}

/** The MOS of streamQuality() alone, for who asks it of all streams: nothing is copied, the stream is read where it lies. */
export function streamMos(stream: Stream, c: QualityContext): number | null {
  if (stream.ends !== null) return streamQuality(stream, c)?.mos ?? null;
  return c.streams.peek(stream, (s, closed) => {
    // Before its first window closes, a stream has one window with all its packets.
    if (s.windowSeq === 0 && s.expected < SCORE_FLOOR) return null;
    if (measuredSec(c.windowSec) === SCORE_SEC && isFlawless(stream, s)) {
      return flawlessMos(impairmentIn(streamFormat(stream, s.payloadType)), delayOf(stream));
    }
    const scale = scaleOf(stream, s, s.payloadType, SCORE_FLOOR);
    const held = judgedWindows(stream, s, c, closed());
    const own = ownDrops(s, s.lost - held.lost, held.windows, c.dropsOf(stream.source), scale.clockRate);
    const scoreOf = (of: readonly StreamWindow[]): StreamScore | null =>
      scoreAt(windowsOf(stream, s, c, of, SCORE_SEC), scale);
    return scoreWithout(own, scoreOf(own.known), () => scoreOf(held.windows))?.mos ?? null;
  });
}

/** The loss that somebody may hear, likewise, without what is not known; windows are read where they may explain some of it. */
export function streamLossPct(stream: Stream, c: QualityContext): number | null {
  if (c.dropsOf(stream.source).length > 0) {
    const q = streamQuality(stream, c);
    return q === null || isKeysOnly(q.snapshot) ? null : q.knownLossPct;
  }
  return c.streams.peek(stream, (s, closed) => {
    if (!mayExplain(stream, s)) return heardLossPct(s);
    const { lost } = judgedWindows(stream, s, c, closed());
    return isKeysOnly(s) ? null : lossPct(s.lost - lost, s.expected - lost);
  });
}

/** Whether no window can have lost or discarded a packet, and one of them has packets enough for a score. */
function isFlawless(stream: Stream, s: StreamSnapshot): boolean {
  return (
    s.lost === 0 &&
    s.others === 0 &&
    s.isNeverLate &&
    s.reordered === 0 &&
    // All are kept: then the one with most packets has at least the mean of all.
    stream.windowCount === s.windowSeq &&
    stream.windowCount > 0 &&
    s.wExpected >= stream.windowCount * SCORE_FLOOR
  );
}

/** The jitter of streamQuality() alone, likewise. */
export function streamJitterMs(stream: Stream, c: QualityContext): number | null {
  return c.streams.peek(stream, (s) => {
    if (stream.ends === null) return streamJitter(s, jitterClockOf(stream, s, s.payloadType)).meanMs;
    return jitterOf(stream, carriedSegments(stream, s));
  });
}

/** The window that closed last, the same as in streamQuality(), and its scale; null where it is missing. */
export function lastWindow(
  stream: Stream,
  c: QualityContext,
): { window: StreamWindow; known: StreamWindow; scale: QualityScale } | null {
  const s = c.streams.snapshot(stream);
  if (s === null) return null;
  const drops = c.dropsOf(stream.source);
  // Without the hour of others, unless those may have lost the same packets.
  const most = drops.length > 0 ? undefined : Math.ceil(c.windowSec / measuredSec(c.windowSec));
  const held = judgedWindows(stream, s, c, c.streams.windows(stream, most));
  const newest = held.windows.at(-1);
  const window = windowsOf(stream, s, c, held.windows, c.windowSec).at(-1);
  // One that goes on is left out: then the last is not where the newest lies.
  if (newest === undefined || window === undefined || newest.startUs >= window.startUs + window.lengthUs) return null;
  const type = stream.ends === null ? s.payloadType : window.payloadType;
  const scale = scaleOf(stream, s, type, packetFloor(c.windowSec));
  const own = ownDrops(s, s.lost - held.lost, held.windows, drops, scale.clockRate);
  const known = own.lost === 0 ? window : windowsOf(stream, s, c, own.known, c.windowSec).at(-1);
  return { window, known: known ?? window, scale };
}

function scaleOf(stream: Stream, s: StreamSnapshot, payloadType: number, floorPackets: number): QualityScale {
  const format = streamFormat(stream, payloadType);
  const clockRate = format?.clockRate ?? null;
  return {
    payloadType,
    codec: format?.name ?? null,
    clockRate,
    jitterClock: jitterClockOf(stream, s, payloadType),
    impairment: impairmentIn(format),
    floorPackets,
    delayMs: delayOf(stream),
    isMixed: isMixed(stream, s, clockRate),
  };
}

/**
 * Packets of a static type are timed at their own clock whatever is asked for (RFC 3551). The clock to ask for is that of a
 * dynamic type, also when a static one came first.
 */
function jitterClockOf(stream: Stream, s: StreamSnapshot, payloadType: number): number | null {
  const type =
    payloadType >= FIRST_DYNAMIC_PT
      ? payloadType
      : s.payloadTypes.find((p) => p.payloadType >= FIRST_DYNAMIC_PT && !p.isEvent)?.payloadType;
  return type === undefined ? null : (streamFormat(stream, type)?.clockRate ?? null);
}

function impairmentIn(format: CodecFormat | null): Impairment | null {
  return format === null ? null : impairmentOf({ name: format.name }, true);
}

function delayOf(stream: Stream): number {
  return oneWayDelayMs(null, stream.rtcp?.roundTrip?.ms ?? null);
}

/** Put together to this width, without one that may go on. */
function windowsOf(
  stream: Stream,
  s: StreamSnapshot,
  c: QualityContext,
  measured: readonly StreamWindow[],
  widthSec: number,
): readonly StreamWindow[] {
  if (widthSec <= measuredSec(c.windowSec)) return measured;
  const anchorsUs = [s.firstUs, ...(stream.ends ?? []).map((end) => end.nextUs)];
  const wider = widerWindows(measured, widthSec * 1e6, anchorsUs);
  const last = wider.at(-1);
  return last === undefined || isOver(stream, s, c, last) ? wider : wider.slice(0, -1);
}

function isOver(stream: Stream, s: StreamSnapshot, c: QualityContext, w: StreamWindow): boolean {
  const isEnded = stream.dialog !== null && stream.dialog.endedUs <= c.nowUs;
  return c.isExhausted || s.isRetired || isEnded || w.startUs + w.lengthUs <= c.nowUs;
}

/**
 * What of the windows counts. The open one counts as closed once capture time has passed it, or its stream has ended; what
 * is excused of it counts before.
 */
function judgedWindows(stream: Stream, s: StreamSnapshot, c: QualityContext, closed: StreamWindow[]): Excused {
  const open = openWindow(s);
  // The table has told of it where the stream has just given its place away; the two times may differ by a rounding.
  if (open === null || (closed.at(-1)?.startUs ?? Number.NEGATIVE_INFINITY) > open.startUs - 1)
    return excuseHeld(stream, s, closed);
  closed.push(open);
  const excused = excuseHeld(stream, s, closed);
  if (!isOver(stream, s, c, open)) excused.windows.pop();
  return excused;
}

/** The packet time, 0 where it is not known: how far arrivals lie apart tells it only of who sends all the time. */
export function spokenPacketMs({ snapshot, clockRate, tsStep, isMixed }: StreamQuality): number {
  const isSilentAtTimes = snapshot.cnPackets > 0 || snapshot.pauses > 0 || isMixed;
  return isSilentAtTimes && tsStep === 0 ? 0 : packetMs(snapshot, clockRate, tsStep);
}

export type Audible = {
  readonly isLossy: boolean;
  readonly isJittery: boolean;
  /** Packets that a jitter buffer of 60 ms does not wait for. */
  readonly isLate: boolean;
  readonly isPoor: boolean;
};

export function audible({ snapshot: s, expected, knownLossPct, jitterMs, late, mos, isMixed }: StreamQuality): Audible {
  // Which packet of two sources a receiver plays is its own affair: what it lacks of one says nothing.
  if (isMixed) return { isLossy: false, isJittery: false, isLate: false, isPoor: false };
  return {
    isLossy: knownLossPct >= AUDIBLE.lossPct && !isKeysOnly(s),
    isJittery: jitterMs >= AUDIBLE.jitterMs,
    isLate: latePct(late, expected) >= AUDIBLE.latePct,
    isPoor: mos !== null && mos < AUDIBLE.mos,
  };
}
