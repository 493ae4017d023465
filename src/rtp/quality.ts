/**
 * The quality of a window and of a stream: R, MOS and the verdict (ITU-T G.107; thresholds of G.109).
 *
 * Jitter counts only through what a stated buffer discards. A window of few packets has no score, a
 * codec without a published value is `not_scorable`, and a stream's MOS comes from the mean of its
 * windows' R, weighted by packets: means of MOS would mix a curve.
 */

import type { Impairment } from './emodel.ts';
import { burstRatio, mosOfR, rFactor } from './emodel.ts';

/** R from which a window is acceptable: G.109's medium class, "some users dissatisfied". */
const ACCEPTABLE_R = 70;

/** Packets a five-second window needs for a score; a narrower one needs fewer, but never under ten. */
const FLOOR_PACKETS = 50;
const FLOOR_LEAST = 10;
const FULL_WINDOW_SEC = 5;

export type WindowCounts = {
  readonly packets: number;
  readonly expected: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly discarded: number;
  readonly lossRuns: number;
};

export type Score =
  | { readonly verdict: 'acceptable' | 'degraded'; readonly rFactor: number; readonly mos: number }
  | { readonly verdict: 'not_scorable' };

/** Packets a window must hold to be scored, one that came twice counting once. */
export function packetFloor(windowSec: number): number {
  return Math.max(FLOOR_LEAST, Math.round((FLOOR_PACKETS * Math.min(windowSec, FULL_WINDOW_SEC)) / FULL_WINDOW_SEC));
}

/** Lost for good, in percent of what was expected. */
export function lossPct(lost: number, expected: number): number {
  return expected > 0 ? Math.min(100, (lost / expected) * 100) : 0;
}

/**
 * Scores a window; null when it holds fewer packets than `floor`. `oneWayDelayMs` is 0 when no delay was
 * declared or measured: a delay is never invented.
 */
export function scoreWindow(
  window: WindowCounts,
  codec: Impairment | null,
  floor: number,
  oneWayDelayMs: number,
): Score | null {
  const unique = window.packets - window.duplicates;
  if (unique < floor) return null;
  if (codec === null) return { verdict: 'not_scorable' };
  // The window before has counted as lost what came here instead: it is more than was expected here, and weighs once.
  const surplus = Math.max(0, unique - window.expected);
  const effectivePct = lossPct(window.lost + Math.max(0, window.discarded - surplus), window.expected);
  const ratio = burstRatio(window.lost, window.lossRuns, window.expected);
  const r = rFactor(codec, effectivePct, ratio, oneWayDelayMs);
  if (r === null) return { verdict: 'not_scorable' };
  return { verdict: r >= ACCEPTABLE_R ? 'acceptable' : 'degraded', rFactor: r, mos: mosOfR(r) };
}

/** R and MOS of a stream from its windows, or null when none has a score or one has none for its codec. */
export function scoreStream(
  windows: Iterable<WindowCounts>,
  codec: Impairment | null,
  floor: number,
  oneWayDelayMs: number,
): { rFactor: number; mos: number; worstMos: number } | null {
  let weighted = 0;
  let packets = 0;
  let worst = Number.POSITIVE_INFINITY;
  for (const window of windows) {
    const score = scoreWindow(window, codec, floor, oneWayDelayMs);
    if (score === null) continue;
    // The mean of those windows alone that lost nothing would praise a stream for what nobody can judge.
    if (score.verdict === 'not_scorable') return null;
    const unique = window.packets - window.duplicates;
    weighted += score.rFactor * unique;
    packets += unique;
    worst = Math.min(worst, score.mos);
  }
  if (packets === 0) return null;
  const r = weighted / packets;
  return { rFactor: r, mos: mosOfR(r), worstMos: worst };
}

/** One-way delay for Id: the declared one, else half a measured round trip, else none. */
export function oneWayDelayMs(declaredMs: number | null, roundTripMs: number | null): number {
  if (declaredMs !== null) return declaredMs;
  return roundTripMs === null ? 0 : roundTripMs / 2;
}
