/**
 * Measures from within how long a process holds its event loop; loaded with --import in front of the program.
 *
 * A hold is the processor time of the thread between two firings of a timer of 1 ms: other programs on the machine do
 * not count, and neither does sleep. Beside it stands the longest time between two firings by the clock, which on a busy
 * machine is the wait for a processor and on a quiet one the hold, pauses of the collector with its helpers included.
 * With CALLTAP_TURN_PROFILE the stacks under long holds are sampled. The parent asks by IPC: `reset`, `read`.
 */
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { threadClock } from './thread-clock.ts';

/** Holds that are listed. */
const LONG_MS = 5;
const LISTED = 200;
const SAMPLE_US = 500;
/** Frames of a stack that are told. */
const FRAMES = 6;

export type Hold = { readonly atMs: number; readonly ms: number; readonly gcMs: number; readonly stack?: string };

export type TurnFigures = {
  readonly longestMs: number;
  /** The longest time between two firings, whatever kept the thread. */
  readonly longestWallMs: number;
  readonly turns: number;
  readonly over5: number;
  readonly over10: number;
  readonly longestGcMs: number;
  readonly longestGc: string;
  readonly gcMs: number;
  /** The longest ones, longest first. */
  readonly holds: readonly Hold[];
};

type Pause = { readonly atMs: number; readonly ms: number; readonly kind: string };
const GC_KINDS: Readonly<Record<number, string>> = { 1: 'scavenge', 4: 'mark-compact', 8: 'incremental', 16: 'weak' };

class TurnMeter {
  readonly #cpuMs = threadClock();
  #holds: { atMs: number; ms: number; wallMs: number }[] = [];
  #pauses: Pause[] = [];
  #lastMs = 0;
  #lastCpuMs = 0;
  #longestMs = 0;
  #longestWallMs = 0;
  #turns = 0;
  #over5 = 0;
  #over10 = 0;

  constructor() {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { kind } = Object('detail' in entry ? entry.detail : null);
        this.#pauses.push({ atMs: entry.startTime, ms: entry.duration, kind: GC_KINDS[kind] ?? 'other' });
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    this.reset();
    setInterval(() => this.#fire(), 1).unref();
  }

  reset(): void {
    this.#holds = [];
    this.#pauses = [];
    this.#longestMs = this.#longestWallMs = this.#turns = this.#over5 = this.#over10 = 0;
    this.#lastMs = performance.now();
    this.#lastCpuMs = this.#cpuMs();
  }

  #fire(): void {
    const now = performance.now();
    const cpuMs = this.#cpuMs();
    const wallMs = now - this.#lastMs;
    const ms = cpuMs - this.#lastCpuMs;
    if (ms >= LONG_MS) {
      this.#over5++;
      if (ms >= 10) this.#over10++;
      this.#holds.push({ atMs: this.#lastMs, ms, wallMs });
      if (this.#holds.length > 2 * LISTED) this.#cut();
    }
    this.#turns++;
    this.#longestMs = Math.max(this.#longestMs, ms);
    this.#longestWallMs = Math.max(this.#longestWallMs, wallMs);
    this.#lastMs = now;
    this.#lastCpuMs = cpuMs;
  }

  #cut(): void {
    this.#holds.sort((a, b) => b.ms - a.ms).length = LISTED;
  }

  figures(profile: Profiler.Profile | null): TurnFigures {
    this.#holds.sort((a, b) => b.ms - a.ms);
    const worst = this.#pauses.reduce<Pause | null>((a, b) => (a === null || b.ms > a.ms ? b : a), null);
    return {
      longestMs: this.#longestMs,
      longestWallMs: this.#longestWallMs,
      turns: this.#turns,
      over5: this.#over5,
      over10: this.#over10,
      longestGcMs: worst?.ms ?? 0,
      longestGc: worst?.kind ?? '',
      gcMs: this.#pauses.reduce((sum, p) => sum + p.ms, 0),
      holds: this.#holds.slice(0, 20).map(({ atMs, ms, wallMs }) => {
        const within = this.#pauses.filter((p) => p.atMs + p.ms > atMs && p.atMs < atMs + wallMs);
        const gcMs = within.reduce((sum, p) => sum + p.ms, 0);
        return { atMs, ms, gcMs, ...(profile === null ? {} : { stack: stackOf(profile, atMs, atMs + wallMs) }) };
      }),
    };
  }
}

/** Where most samples between two moments lay, innermost function first. */
function stackOf(
  { nodes, startTime, samples = [], timeDeltas = [] }: Profiler.Profile,
  fromMs: number,
  toMs: number,
): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map<number, number>();
  for (const { id, children } of nodes) for (const child of children ?? []) parentOf.set(child, id);
  const counts = new Map<string, number>();
  let us = startTime;
  for (const [i, id] of samples.entries()) {
    us += timeDeltas[i] ?? 0;
    const atMs = us / 1000 - performanceOriginMs();
    if (atMs < fromMs || atMs > toMs) continue;
    const names: string[] = [];
    for (let at: number | undefined = id; at !== undefined && names.length < FRAMES; at = parentOf.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame !== undefined && frame.functionName !== '(root)')
        names.push(`${frame.functionName || '(anonymous)'}:${frame.lineNumber + 1}`);
    }
    const text = names.join(' < ');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const ranked = [...counts].sort(([, a], [, b]) => b - a);
  return ranked
    .slice(0, 3)
    .map(([text, n]) => `${n}× ${text}`)
    .join(' | ');
}

/** performance.now() of the monotonic clock's zero, in ms. */
function performanceOriginMs(): number {
  return Number(process.hrtime.bigint()) / 1e6 - performance.now();
}

function start(): void {
  const meter = new TurnMeter();
  const isProfiled = process.env['CALLTAP_TURN_PROFILE'] !== undefined;
  const session = isProfiled ? new Session() : null;
  session?.connect();
  session?.post('Profiler.enable');
  session?.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  process.on('message', (what) => {
    if (what === 'reset') {
      session?.post('Profiler.start');
      setImmediate(() => {
        meter.reset();
        process.send?.('ready');
      });
    } else if (what === 'read') {
      if (session === null) process.send?.(meter.figures(null));
      else session.post('Profiler.stop', (_error, { profile }) => process.send?.(meter.figures(profile)));
    }
  });
  process.channel?.unref();
}

if (isMainThread && process.send !== undefined) start();
