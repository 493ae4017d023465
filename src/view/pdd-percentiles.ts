/**
 * Percentiles of the post-dial delay over all dialogs, in slices. While nothing changed the last answer stands. While calls
 * change that of many calls stands for twenty times as long as it took, a second at most; that of few is always new.
 */

import type { TimingStats } from '../contract/index.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { finish } from '../core/turns.ts';
import { postDialDelayMs } from '../store/dialogs/call-timing.ts';
import type { Dialogs } from '../store/stores.ts';

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

type Answer = {
  readonly generation: number;
  readonly stats: TimingStats;
  readonly atMs: number;
  /** So long it stands while calls change; after it the next one is begun, and after as long again waited for. */
  readonly standsMs: number;
};

/** What is asked for while the same is being worked out gets the same answer. */
export class PddPercentiles {
  readonly #store: Dialogs;
  readonly #turns: Turns;
  #last: Answer | null = null;
  #running: Promise<TimingStats> | null = null;

  constructor(store: Dialogs, turns: Turns) {
    this.#store = store;
    this.#turns = turns;
  }

  read(): Promise<TimingStats> {
    const last = this.#last;
    if (last?.generation === this.#store.generation) return Promise.resolve(last.stats);
    const ageMs = last === null ? Number.POSITIVE_INFINITY : this.#turns.nowMs - last.atMs;
    if (last !== null && ageMs < last.standsMs) return Promise.resolve(last.stats);
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
    });
    return last !== null && ageMs < 2 * last.standsMs ? Promise.resolve(last.stats) : this.#running;
  }

  async #work(): Promise<TimingStats> {
    const { generation } = this.#store;
    const sinceMs = this.#turns.nowMs;
    const made = await this.#turns.walk((slice) => slice.finish(steps(this.#store)));
    // Too many lists are being made: what was true a moment ago is better than nothing.
    if (made === null) return this.#last?.stats ?? NOTHING_KNOWN;
    const atMs = this.#turns.nowMs;
    const standsMs = this.#store.size < MANY ? 0 : Math.min(STANDS_MS, STANDS_FACTOR * (atMs - sinceMs));
    this.#last = { generation, stats: made.document, atMs, standsMs };
    return made.document;
  }
}

function* steps(store: Dialogs): Steps<TimingStats> {
  const delays = new Delays();
  const records = store.order.records();
  for (let i = records.length - 1; i >= 0; i--) {
    if (i % CHECK_EVERY === 0) yield;
    const d = records[i];
    if (d !== undefined && store.bySlot(d.slot) === d) delays.add(postDialDelayMs(d));
  }
  return delays.percentiles();
}

/** The same in one go. */
export function pddPercentiles(store: Dialogs): TimingStats {
  return finish(steps(store));
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
