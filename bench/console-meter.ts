/** What a page costs its browser: time between frames, the main thread, the heap, all processes. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { cpuByThread, cpuSince } from './process-cpu.ts';

/** A frame later than this is one that a user sees missing. */
const LATE_MS = 50;

export type PageCost = {
  readonly seconds: number;
  readonly frames: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly late: number;
  /** Processor time of the main thread of the page, as a share of one core, and the time its tasks took. */
  readonly mainThread: number;
  readonly tasks: number;
  /** Processor time of all threads of the browser, in cores. */
  readonly browserCores: number;
  /** After a collection. */
  readonly heapMB: number;
  /** Most that was seen meanwhile, garbage and all. */
  readonly heapMostMB: number;
  readonly nodes: number;
};

/** Runs in the page before its own script: the time of each frame since the last `begin()`. */
export const FRAME_CLOCK = `{
  let frames = [];
  let last = performance.now();
  const frame = (now) => { frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  globalThis.benchFrames = { begin() { frames = []; }, take: () => frames };
}`;

export class PageMeter {
  readonly #page: Page;
  readonly #cdp: CDPSession;
  /** Renderers: one of them has the page, the others wait for pages to come. */
  readonly #renderers: readonly number[];
  readonly #root: number;
  #before = new Map<number, ReadonlyMap<string, number>>();
  #allSec = 0;
  #tasksSec = 0;
  #begunMs = 0;
  #heapMost = 0;
  #sampling: NodeJS.Timeout | undefined;

  private constructor(page: Page, cdp: CDPSession, renderers: readonly number[], root: number) {
    this.#page = page;
    this.#cdp = cdp;
    this.#renderers = renderers;
    this.#root = root;
  }

  static async on(browser: Browser, page: Page): Promise<PageMeter> {
    const whole = await browser.newBrowserCDPSession();
    const { processInfo } = await whole.send('SystemInfo.getProcessInfo');
    const of = (type: string): number[] => processInfo.filter((p) => p.type === type).map(({ id }) => id);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    return new PageMeter(page, cdp, of('renderer'), of('browser')[0] ?? 0);
  }

  async #metrics(): Promise<ReadonlyMap<string, number>> {
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    return new Map(metrics.map(({ name, value }) => [name, value]));
  }

  async begin(): Promise<void> {
    this.#before = new Map(this.#renderers.map((pid) => [pid, cpuByThread(pid)]));
    this.#allSec = treeSec(this.#root);
    this.#tasksSec = (await this.#metrics()).get('TaskDuration') ?? 0;
    this.#heapMost = 0;
    this.#sampling = setInterval(() => void this.#sample(), 1000);
    await this.#page.evaluate('benchFrames.begin()');
    this.#begunMs = performance.now();
  }

  async #sample(): Promise<void> {
    const metrics = await this.#metrics().catch(() => new Map<string, number>());
    this.#heapMost = Math.max(this.#heapMost, metrics.get('JSHeapUsedSize') ?? 0);
  }

  async end(): Promise<PageCost> {
    const seconds = (performance.now() - this.#begunMs) / 1000;
    clearInterval(this.#sampling);
    const frames = ((await this.#page.evaluate('benchFrames.take()')) as number[]).sort((a, b) => a - b);
    const mainSec = Math.max(...[...this.#before].map(([pid, before]) => cpuSince(pid, before).get('main') ?? 0));
    const allSec = treeSec(this.#root) - this.#allSec;
    const tasksSec = ((await this.#metrics()).get('TaskDuration') ?? 0) - this.#tasksSec;
    await this.#cdp.send('HeapProfiler.collectGarbage');
    const after = await this.#metrics();
    const at = (share: number): number => frames[Math.min(frames.length - 1, Math.floor(frames.length * share))] ?? 0;
    return {
      seconds,
      frames: frames.length,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
      maxMs: at(1),
      late: frames.filter((ms) => ms > LATE_MS).length,
      mainThread: mainSec / seconds,
      tasks: tasksSec / seconds,
      browserCores: allSec / seconds,
      heapMB: (after.get('JSHeapUsedSize') ?? 0) / 1e6,
      heapMostMB: this.#heapMost / 1e6,
      nodes: after.get('Nodes') ?? 0,
    };
  }
}

/** Processor time of a process and of all below it. */
function treeSec(root: number): number {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'latin1').split(') ')[1]?.split(' ')[1]);
      childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended while it was looked at.
    }
  }
  const sum = (pid: number): number => {
    const own = [...cpuByThread(pid).values()].reduce((a, b) => a + b, 0);
    return (childrenOf.get(pid) ?? []).reduce((total, child) => total + sum(child), own);
  };
  return sum(root);
}
