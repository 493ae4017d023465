/**
 * Asks the store: SELECT alone, each question with a limit of rows and bytes that are read, of memory and of time. What is too
 * wide for them is an error that says how to narrow it. What comes back has caps of its own, which hold whatever the store does.
 */
import type { Static, TObject } from 'typebox';
import { Counters } from '../../core/counters.ts';
import type { Steps } from '../../core/turns.ts';
import { Turns } from '../../core/turns.ts';
import { tooLarge } from '../../net/failures.ts';
import { Away, Cannot, Refusal } from '../refusal.ts';
import { StoreRefusal, storeFailure } from './failures.ts';
import type { SqlParameters } from './sql.ts';
import type { Store } from './store.ts';
import { notAsked, readRows } from './store-rows.ts';

/**
 * A question of the hub to the store: seconds, rows and bytes that it reads, bytes of memory, and bytes of its answer.
 *
 * @cap
 */
const HUB_QUESTION_SEC = 10;
const HUB_READ_ROWS = 1_000_000_000;
const HUB_READ_BYTES = 64 * 1024 ** 3;
const HUB_MEMORY_BYTES = 4 * 1024 ** 3;
export const HUB_ANSWER_BYTES = 64 * 1024 * 1024;

/** Milliseconds until all of an answer of the store has come. @cap */
const HUB_ANSWER_MS = 30_000;

/** Bytes of all answers of the store that are being made. @cap */
const HUB_HELD_BYTES = 128 * 1024 * 1024;

/** Numbers of ClickHouse's errors for a limit that was reached: rows, bytes, time, memory, rows or bytes of the answer. */
const WIDE: ReadonlySet<string> = new Set(['158', '307', '159', '160', '241', '396']);

export const STORE_QUESTIONS = ['asked', 'failed', 'too_wide', 'crowded'] as const;

const SETTINGS = {
  max_execution_time: HUB_QUESTION_SEC,
  max_rows_to_read: HUB_READ_ROWS,
  max_bytes_to_read: HUB_READ_BYTES,
  max_memory_usage: HUB_MEMORY_BYTES,
  max_result_bytes: HUB_ANSWER_BYTES,
  result_overflow_mode: 'throw',
  // A version never lands in another partition: deploy/store/schema.sql.
  do_not_merge_across_partitions_select_final: 1,
  output_format_json_quote_64bit_integers: 0,
  date_time_output_format: 'iso',
} as const;

/** What one answer to a client asks of the store. All of it rejects with a refusal. */
export type StoreReader = {
  /** Rows of a SELECT, which has at most so many; times are RFC 3339. */
  rows<T extends TObject>(shape: T, query: string, parameters: SqlParameters, most: number): Promise<Static<T>[]>;
  /** The row of a SELECT that has one, as sums do. */
  row<T extends TObject>(shape: T, query: string, parameters: SqlParameters): Promise<Static<T>>;
  /** Does work over many rows in slices. */
  inTurns<T>(steps: Steps<T>): Promise<T>;
};

export class StoreReaders {
  readonly counters = new Counters(STORE_QUESTIONS);
  readonly #store: Store;
  readonly #turns = new Turns(() => performance.now());
  /** Of rows that answers hold which are under way. */
  #heldBytes = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What `work` makes of what it reads, each statement once. One answer reads so many bytes at most, and all under way so many. */
  async read<T>(work: (reader: StoreReader) => Promise<T>): Promise<T> {
    let bytes = 0;
    const count = (more: number): void => {
      bytes += more;
      this.#heldBytes += more;
      if (bytes > HUB_ANSWER_BYTES) throw tooLarge(HUB_ANSWER_BYTES);
      if (this.#heldBytes > HUB_HELD_BYTES) throw crowded();
    };
    const known = new Map<string, Promise<unknown[]>>();
    const rows: StoreReader['rows'] = <T extends TObject>(
      shape: T,
      query: string,
      parameters: SqlParameters,
      most: number,
    ) => {
      const key = JSON.stringify([query, parameters.values]);
      const asked = known.get(key) ?? this.#rows(shape, query, parameters, most, count);
      known.set(key, asked);
      // The same statement has the same shape.
      return asked as Promise<Static<T>[]>;
    };
    try {
      return await work({
        rows,
        row: async (shape, query, parameters) => {
          const [row] = await rows(shape, query, parameters, 1);
          if (row === undefined) throw this.#problem(notAsked('no row'));
          return row;
        },
        inTurns: (steps) => this.#turns.whole('answer', steps),
      });
    } finally {
      this.#heldBytes -= bytes;
    }
  }

  close(): void {
    this.#store.close();
  }

  async #rows<T extends TObject>(
    shape: T,
    query: string,
    { values }: SqlParameters,
    most: number,
    count: (bytes: number) => void,
  ): Promise<Static<T>[]> {
    this.counters.add('asked');
    const until = performance.now() + HUB_ANSWER_MS;
    const statement = { sql: `${query}\nFORMAT JSONEachRow`, values, settings: SETTINGS };
    try {
      const answer = await this.#store.open(statement, HUB_ANSWER_MS);
      const bounds = { rows: most, ms: until - performance.now(), count };
      return await readRows(answer, shape, bounds, this.#turns);
    } catch (error) {
      throw this.#problem(error);
    }
  }

  #problem(error: unknown): Refusal {
    if (error instanceof Refusal) {
      this.counters.add('crowded');
      return error;
    }
    if (error instanceof StoreRefusal && WIDE.has(error.code)) {
      this.counters.add('too_wide');
      return new Cannot(
        'too-wide',
        `The question reads more than the store may read for one (${HUB_QUESTION_SEC} s); narrow it with since:, until:, host:, a number or a Call-ID.`,
      );
    }
    this.counters.add('failed');
    const { message, remedy } = storeFailure(error);
    return new Away('store-away', `The store did not answer: ${message}${remedy === '' ? '' : `; ${remedy}`}.`);
  }
}

function crowded(): Refusal {
  return new Away('store-away', 'Other answers of the store hold all memory that answers may have; try again.');
}
