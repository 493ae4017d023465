/** What one source address may still ask in this second; what is beyond is refused before all else. */

import { API_RATE_SOURCES, API_REQUESTS_PER_SECOND } from '../core/limits.ts';

const WINDOW_MS = 1_000;

/** This many times its budget, and refusing a source one request at a time would itself be the load. */
const FLOOD_FACTOR = 10;

/** `over` is refused and may ask again; `flooding` is refused and its connections are not read any further. */
export type Verdict = 'admitted' | 'over' | 'flooding';

type Window = { startMs: number; taken: number };

export class SourceBudget {
  /** Addresses forgotten while their second was not over; each of them then begins anew. */
  forgotten = 0;
  readonly #max: number;
  readonly #maxSources: number;
  readonly #nowMs: () => number;
  /** In the order in which the windows began, so that the first is always the oldest. */
  readonly #windows = new Map<string, Window>();

  constructor(
    max: number = API_REQUESTS_PER_SECOND,
    maxSources: number = API_RATE_SOURCES,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#max = max;
    this.#maxSources = maxSources;
    this.#nowMs = nowMs;
  }

  /** Takes one request of this address. Constant time. */
  take(address: string): Verdict {
    const nowMs = this.#nowMs();
    let window = this.#windows.get(address);
    if (window === undefined || nowMs - window.startMs >= WINDOW_MS) {
      this.#windows.delete(address);
      this.#makeRoom(nowMs);
      window = { startMs: nowMs, taken: 0 };
      this.#windows.set(address, window);
    }
    window.taken++;
    if (window.taken <= this.#max) return 'admitted';
    return window.taken > this.#max * FLOOD_FACTOR ? 'flooding' : 'over';
  }

  /** The same without taking anything: for a connection that has not asked yet. */
  isFlooding(address: string): boolean {
    const window = this.#windows.get(address);
    return (
      window !== undefined && this.#nowMs() - window.startMs < WINDOW_MS && window.taken > this.#max * FLOOD_FACTOR
    );
  }

  /** Addresses remembered at this moment. */
  get sources(): number {
    return this.#windows.size;
  }

  /** Two old windows go for each new one, so that memory follows the load down again. */
  #makeRoom(nowMs: number): void {
    let left = 2;
    for (const [address, { startMs }] of this.#windows) {
      const isOver = nowMs - startMs >= WINDOW_MS;
      if (left-- === 0 || (!isOver && this.#windows.size < this.#maxSources)) return;
      if (!isOver) this.forgotten++;
      this.#windows.delete(address);
    }
  }
}
