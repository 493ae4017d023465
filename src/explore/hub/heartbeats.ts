/**
 * The runs of agents that the store knows: read when somebody asks, and once for all who ask at a time. What was known last stays
 * when the store goes away.
 */

import { faults } from '../../core/faults.ts';
import { connectionFailure } from '../../net/failures.ts';
import type { StoreExplorer } from '../clickhouse/store-explorer.ts';
import type { AgentRow } from '../clickhouse/stored-lists.ts';
import { Away, Refusal } from '../refusal.ts';

/** Statistics are of the last seconds, metrics as old as a heartbeat may be. */
const FRESH_MS = 2_000;
const SCRAPE_MS = 10_000;
/** Statistics are wanted most when the store is slow. */
const PATIENCE_MS = 5_000;

export type Heard = {
  /** Newest first. */
  readonly rows: readonly AgentRow[];
  /** Why the store does not answer, a sentence; null while it does. */
  readonly trouble: string | null;
};

export class Heartbeats {
  readonly #store: Pick<StoreExplorer, 'agentRows'>;
  #heard: Heard = { rows: [], trouble: null };
  #atMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<Heard> | null = null;

  constructor(store: Pick<StoreExplorer, 'agentRows'>) {
    this.#store = store;
  }

  /** Those of this moment; they never reject. */
  read(): Promise<Heard> {
    if (this.#asking !== null) return this.#asking;
    return performance.now() - this.#atMs < FRESH_MS ? Promise.resolve(this.#heard) : this.#ask();
  }

  /** Those known last; newer ones are on their way where they are old. */
  get newest(): Heard {
    if (this.#asking === null && performance.now() - this.#atMs >= SCRAPE_MS) faults.run('link', () => this.#ask());
    return this.#heard;
  }

  #ask(): Promise<Heard> {
    this.#asking = this.#read().finally(() => {
      this.#asking = null;
      this.#atMs = performance.now();
    });
    return this.#asking;
  }

  async #read(): Promise<Heard> {
    const inTime = deadline();
    try {
      const rows = await Promise.race([this.#store.agentRows(), inTime.over]);
      this.#heard = { rows, trouble: null };
    } catch (error) {
      const why =
        error instanceof Refusal ? error.message : `The store did not answer: ${connectionFailure(error).message}.`;
      this.#heard = { ...this.#heard, trouble: why };
    } finally {
      inTime.end();
    }
    return this.#heard;
  }
}

/** Rejects when a store takes too long. */
function deadline(): { readonly over: Promise<never>; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const why = `The store did not answer within ${PATIENCE_MS / 1000} s.`;
    timer = setTimeout(() => reject(new Away('store-away', why)), PATIENCE_MS);
  });
  return { over, end: () => clearTimeout(timer) };
}
