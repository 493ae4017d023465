/**
 * Sends segments to the store, the oldest first, one at a time, and says what became of each. It tries again what the store
 * did not take, after a while that doubles. A segment about which the store said something goes to the end. So a segment
 * that the store never takes, and never refuses, holds up no other.
 */
import { errnoOf } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import { RemoteFailure } from '../../net/failures.ts';
import { backOffMs, type OnceTold, troubleOf } from '../trouble.ts';
import type { ShipCounters } from './counters.ts';
import type { Segment, SegmentSpool } from './spool.ts';
import type { Store } from './store-client.ts';
import { StoreClient } from './store-client.ts';
import type { Answer } from './verdict.ts';
import { verdictOf } from './verdict.ts';

export type SendTimes = {
  /** The longest wait for the first try after a failure, and for any. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** For an insert, its answer included. */
  readonly answerMs: number;
};
const CA_OPTION = '--ship-ca';
/** The trouble of the store as a whole; others are of one table. */
const AWAY = 'store';

export class Sender {
  readonly #client: StoreClient;
  readonly #name: string;
  readonly #spool: SegmentSpool;
  readonly #counters: ShipCounters;
  readonly #troubles: OnceTold;
  readonly #times: SendTimes;
  /** Failures since the last success. */
  #tries = 0;
  #retry: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #isStarted = false;
  #isClosed = false;

  constructor(store: Store, spool: SegmentSpool, counters: ShipCounters, troubles: OnceTold, times: SendTimes) {
    this.#client = new StoreClient(store, times.answerMs);
    this.#name = new URL(store.place.url).origin;
    this.#spool = spool;
    this.#counters = counters;
    this.#troubles = troubles;
    this.#times = times;
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** It waits before it tries again. */
  get isWaiting(): boolean {
    return this.#retry !== null;
  }

  /** There is something to send. */
  wake(): void {
    if (!this.#isStarted || this.#isClosed || this.#retry !== null || this.#sending !== null) return;
    const segment = this.#spool.take();
    if (segment !== null) this.#sending = this.#sendAll(segment);
  }

  /** Breaks off what is under way; its segment stays on the disk. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#client.close();
    await this.#sending;
  }

  async #sendAll(first: Segment): Promise<void> {
    let waitMs = 0;
    for (let next: Segment | null = first; next !== null; next = this.#spool.take()) {
      // Of what nobody expected: the segment stays on the disk for the next run.
      waitMs = await this.#send(next).catch((error: unknown) => {
        faults.note('tick', error);
        return this.#later('a segment was not sent', AWAY);
      });
      if (waitMs > 0 || this.#isClosed) break;
    }
    this.#sending = null;
    if (waitMs === 0 || this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.wake();
    }, waitMs);
    this.#retry.unref();
  }

  /** Milliseconds to wait before the next; 0 none. */
  async #send(segment: Segment): Promise<number> {
    const file = await this.#spool.read(segment);
    if (file === null) return 0;
    if (this.#isClosed) {
      await file.close();
      this.#spool.putBack(segment, false);
      return 0;
    }
    let answer: Answer;
    try {
      answer = await this.#client.insert(segment.table, file, segment.bytes);
    } catch (error) {
      this.#spool.putBack(segment, false);
      return this.#later(reasonOf(error), AWAY);
    }
    const verdict = verdictOf(answer);
    if (verdict.kind === 'later') {
      this.#spool.putBack(segment, verdict.isOfRows);
      return this.#later(verdict.reason, verdict.isOfRows ? segment.table : AWAY, answer.retryAfterMs);
    }
    this.#tries = 0;
    this.#troubles.tell(null, AWAY);
    if (verdict.kind === 'stored') {
      await this.#spool.remove(segment);
      this.#troubles.tell(null, segment.table);
      return 0;
    }
    const name = await this.#spool.refuse(segment);
    const rows = `${segment.rows} rows of ${segment.table}`;
    this.#troubles.tell(`${this.#name}: it refused ${rows} (${verdict.reason}); kept in ${name}`, segment.table);
    return 0;
  }

  /** Milliseconds to wait after a failure: `leastMs` or longer. */
  #later(reason: string, of: string, leastMs = 0): number {
    if (this.#isClosed) return 0;
    this.#counters.add('retries');
    this.#troubles.tell(`${this.#name}: ${reason}`, of);
    const { firstRetryMs, lastRetryMs } = this.#times;
    return Math.max(leastMs, backOffMs(this.#tries++, firstRetryMs, lastRetryMs));
  }
}

/** Why no answer came that could be read. */
function reasonOf(error: unknown): string {
  const code = errnoOf(error) ?? 'error';
  // What comes is no HTTP, or too much of it.
  const isGarbled = code.startsWith('HPE_') || (error instanceof RemoteFailure && error.kind === 'no');
  if (isGarbled) return 'it answers as another server does; correct the URL';
  return error instanceof RemoteFailure ? error.message : troubleOf(code, CA_OPTION);
}
