/** How many requests one source address still has in this second; what is beyond is refused before all else. */

import { API_RATE_SOURCES, API_REQUESTS_PER_SECOND } from '../core/limits.ts';

const WINDOW_MS = 1_000;

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

  /** Takes one request of this address; false when its second is used up. Constant time. */
  take(address: string): boolean {
    const nowMs = this.#nowMs();
    const window = this.#windows.get(address);
    if (window !== undefined && nowMs - window.startMs < WINDOW_MS) return ++window.taken <= this.#max;
    this.#windows.delete(address);
    this.#makeRoom(nowMs);
    this.#windows.set(address, { startMs: nowMs, taken: 1 });
    return this.#max >= 1;
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
