/**
 * The quality of a window and of a stream: R, MOS and the verdict (ITU-T G.107; thresholds of G.109).
 *
 * Jitter counts only through what a stated buffer discards. A window in which few packets were expected has no score, one
 * that lost all of many has that of total loss. A codec without a published value is `not_scorable`. A stream's MOS comes
 * from the mean of its windows' R, weighted by the time that what was expected in each would have lasted: means of MOS
 * would mix a curve, and by what arrived the worst would weigh least.
 */

import type { Impairment } from './emodel.ts';
import { burstRatio, mosOfR, rFactor } from './emodel.ts';

/** R from which a window is acceptable: G.109's medium class, "some users dissatisfied". */
const ACCEPTABLE_R = 70;

/** Packets expected that a five-second window needs for a score; a narrower one needs fewer, but never under ten. */
const FLOOR_PACKETS = 50;
const FLOOR_LEAST = 10;
const FULL_WINDOW_SEC = 5;

/** Packet time where the timestamps did not tell it (RFC 3551 section 4.2). */
const DEFAULT_PACKET_MS = 20;

export type WindowCounts = {
  readonly packets: number;
  readonly expected: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly discarded: number;
  readonly lossRuns: number;
};

/** A window with what tells how long the packets expected in it last. */
export type TimedCounts = WindowCounts & { readonly lengthUs: number; readonly tsStep: number };

export type Score =
  | { readonly verdict: 'acceptable' | 'degraded'; readonly rFactor: number; readonly mos: number }
  | { readonly verdict: 'not_scorable' };

/** Packets that must have been expected in a window for it to be scored. */
export function packetFloor(windowSec: number): number {
  return Math.max(FLOOR_LEAST, Math.round((FLOOR_PACKETS * Math.min(windowSec, FULL_WINDOW_SEC)) / FULL_WINDOW_SEC));
}

/** Lost for good, in percent of what was expected. */
export function lossPct(lost: number, expected: number): number {
  return expected > 0 ? Math.min(100, (lost / expected) * 100) : 0;
}

/** In place of an R: few packets were expected; the codec has no published value. */
const TOO_FEW = -1;
const NOT_SCORABLE = -2;

/**
 * Scores a window; null when fewer packets than `floor` were expected in it. `oneWayDelayMs` is 0 when no delay was
 * declared or measured: a delay is never invented.
 */
export function scoreWindow(
  window: WindowCounts,
  codec: Impairment | null,
  floor: number,
  oneWayDelayMs: number,
): Score | null {
  const r = windowR(window, codec, floor, oneWayDelayMs);
  if (r === TOO_FEW) return null;
  if (r === NOT_SCORABLE) return { verdict: 'not_scorable' };
  return { verdict: r >= ACCEPTABLE_R ? 'acceptable' : 'degraded', rFactor: r, mos: mosOfR(r) };
}

function windowR(window: WindowCounts, codec: Impairment | null, floor: number, oneWayDelayMs: number): number {
  const { expected, lost } = window;
  if (expected < floor) return TOO_FEW;
  if (codec === null) return NOT_SCORABLE;
  // The window before has counted as lost what came here instead: it is more than was expected here, and weighs once.
  const surplus = Math.max(0, window.packets - window.duplicates - expected);
  const effectivePct = lossPct(lost + Math.max(0, window.discarded - surplus), expected);
  const ratio = burstRatio(lost, window.lossRuns, expected);
  return rFactor(codec, effectivePct, ratio, oneWayDelayMs) ?? NOT_SCORABLE;
}

/** Milliseconds that the packets expected in the window last, at most the window; `clockRate` in Hz, null unknown. */
function expectedMs(window: TimedCounts, clockRate: number | null): number {
  const { tsStep } = window;
  const isTimed = tsStep > 0 && clockRate !== null && clockRate > 0;
  const packetMs = isTimed ? (tsStep * 1000) / clockRate : DEFAULT_PACKET_MS;
  return Math.min(window.lengthUs / 1000, window.expected * packetMs);
}

export type StreamScore = { readonly rFactor: number; readonly mos: number; readonly worstMos: number };

/** R and MOS of a stream from its windows, or null when none has a score or one has none for its codec. */
export function scoreStream(
  windows: Iterable<TimedCounts>,
  codec: Impairment | null,
  floor: number,
  oneWayDelayMs: number,
  clockRate: number | null,
): StreamScore | null {
  let weighted = 0;
  let totalMs = 0;
  let worst = Number.POSITIVE_INFINITY;
  let best = Number.NEGATIVE_INFINITY;
  for (const window of windows) {
    const r = windowR(window, codec, floor, oneWayDelayMs);
    if (r === TOO_FEW) continue;
    // The mean of those windows alone that lost nothing would praise a stream for what nobody can judge.
    if (r === NOT_SCORABLE) return null;
    const weightMs = expectedMs(window, clockRate);
    weighted += r * weightMs;
    totalMs += weightMs;
    worst = Math.min(worst, r);
    best = Math.max(best, r);
  }
  if (totalMs === 0) return null;
  // The mean of equal values is that value; the quotient may miss it by a rounding.
  const r = best === worst ? worst : weighted / totalMs;
  return { rFactor: r, mos: mosOfR(r), worstMos: mosOfR(worst) };
}

/**
 * The MOS of scoreStream() for a stream that lost nothing and was never late, so that each of its windows has the R of its
 * codec; null when the codec has none.
 */
export function flawlessMos(codec: Impairment | null, oneWayDelayMs: number): number | null {
  const r = codec === null ? null : rFactor(codec, 0, 1, oneWayDelayMs);
  return r === null ? null : mosOfR(r);
}

/** One-way delay for Id: the declared one, else half a measured round trip, else none. */
export function oneWayDelayMs(declaredMs: number | null, roundTripMs: number | null): number {
  if (declaredMs !== null) return declaredMs;
  return roundTripMs === null ? 0 : roundTripMs / 2;
}
