/**
 * Long walks over a store, cut into slices: of all walks together one slice runs in a turn of the event loop, so that ten
 * of them hold it no longer than one does.
 */

/** Milliseconds of one slice. */
const SLICE_MS = 2;

/** Walks under way; one more is refused. */
const MAX_WALKS = 64;

export class Turns {
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;
  #walks = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Walks under way and at rest. */
  get walks(): number {
    return this.#walks;
  }

  /** Runs a walk, or answers null when too many are under way. */
  async walk<T>(run: (slice: Slice) => Promise<T>): Promise<T | null> {
    if (this.#walks >= MAX_WALKS) return null;
    this.#walks++;
    try {
      return await run(new Slice(this.#nowMs, SLICE_MS, () => this.#rest()));
    } finally {
      this.#walks--;
    }
  }

  /** Runs a walk of which there is one at a time: it is never refused. */
  alone<T>(run: (slice: Slice) => Promise<T>): Promise<T> {
    return run(new Slice(this.#nowMs, SLICE_MS, () => this.#rest()));
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.();
      this.#schedule();
    });
  }
}

/** The time one walk has in this turn. */
export class Slice {
  readonly #nowMs: () => number;
  readonly #ms: number;
  readonly #rest: () => Promise<void>;
  #endMs: number;

  constructor(nowMs: () => number, ms: number, rest: () => Promise<void>) {
    this.#nowMs = nowMs;
    this.#ms = ms;
    this.#rest = rest;
    this.#endMs = nowMs() + ms;
  }

  get isOver(): boolean {
    return this.#nowMs() > this.#endMs;
  }

  /** Waits for the next turn. */
  async rest(): Promise<void> {
    await this.#rest();
    this.#endMs = this.#nowMs() + this.#ms;
  }
}
