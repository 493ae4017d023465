/**
 * Computes percentiles of the post-dial delay over all dialogs, in slices. While nothing changed, the last answer stands.
 * While calls change, an answer over many calls stands for twenty times as long as it took, a second at most; an answer over
 * few calls is always new.
 */

import type { TimingStats } from '../contract/index.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { postDialDelayMs } from '../store/dialogs/call-timing.ts';
import { visitAll } from '../store/dialogs/live-dialogs.ts';
import type { Dialogs } from '../store/stores.ts';
import { StandingAnswer } from '../watch/standing-answer.ts';

/** The rank among `n` values, from 1. */
export function nearestRankOf(n: number, percent: number): number {
  return Math.min(n, Math.max(1, Math.ceil((percent / 100) * n)));
}

const CHECK_EVERY = 128;

const NOTHING_KNOWN: TimingStats = { pdd_p50_ms: null, pdd_p95_ms: null, pdd_p99_ms: null };

/** Dialogs from which the walk takes most of an answer's time. */
const MANY = 10_000;
const STANDS_FACTOR = 20;
const STANDS_MS = 1_000;

/** Percentiles worked out in turns: those of many calls stand for a while. */
export function standingPercentiles(store: Dialogs, turns: Turns): StandingAnswer<TimingStats> {
  const make = async (): Promise<TimingStats> => {
    const made = await turns.walk((slice) => slice.finish(percentilesSteps(store)));
    return made === null ? NOTHING_KNOWN : made.document;
  };
  const standsMs = (tookMs: number): number => (store.size < MANY ? 0 : Math.min(STANDS_MS, STANDS_FACTOR * tookMs));
  return new StandingAnswer({ key: () => store.generation, make, nothing: NOTHING_KNOWN, standsMs }, turns);
}

export function* percentilesSteps(store: Dialogs): Steps<TimingStats> {
  const delays = new Delays();
  yield* visitAll(store, 'newest', CHECK_EVERY, (d) => {
    delays.add(postDialDelayMs(d));
  });
  return delays.percentiles();
}

/** Delays from 0 to this many milliseconds are counted by value; the few beyond are kept and sorted. */
const COUNTED_MS = 65_536;

class Delays {
  readonly #counts = new Uint32Array(COUNTED_MS);
  readonly #beyond: number[] = [];
  #total = 0;

  add(ms: number | null): void {
    if (ms === null) return;
    this.#total++;
    if (ms < COUNTED_MS) this.#counts[ms] = (this.#counts[ms] ?? 0) + 1;
    else this.#beyond.push(ms);
  }

  percentiles(): TimingStats {
    this.#beyond.sort((a, b) => a - b);
    return { pdd_p50_ms: this.#at(50), pdd_p95_ms: this.#at(95), pdd_p99_ms: this.#at(99) };
  }

  #at(percent: number): number | null {
    if (this.#total === 0) return null;
    let left = nearestRankOf(this.#total, percent);
    for (let ms = 0; ms < COUNTED_MS; ms++) {
      left -= this.#counts[ms] ?? 0;
      if (left <= 0) return ms;
    }
    return this.#beyond[left - 1] ?? null;
  }
}
