/**
 * Asks the store: SELECT alone, each question with a limit of rows and bytes that are read, of memory and of time. What is too
 * wide for them is an error that says how to narrow it.
 */
import type { ClickHouseClient } from '@clickhouse/client';
import { Counters } from '../../core/counters.ts';
import {
  HUB_ANSWER_BYTES,
  HUB_MEMORY_BYTES,
  HUB_QUESTION_SEC,
  HUB_READ_BYTES,
  HUB_READ_ROWS,
} from '../../core/hub-limits.ts';
import { Unanswered } from '../found.ts';
import { RemoteFailure } from '../remote/failures.ts';
import { storeFailure } from './failures.ts';
import type { SqlParameters } from './sql.ts';

/** Numbers of ClickHouse's errors for a limit that was reached: rows, bytes, time, memory, rows or bytes of the answer. */
const WIDE: ReadonlySet<string> = new Set(['158', '307', '159', '160', '241', '396']);

export const STORE_QUESTIONS = ['asked', 'failed', 'too_wide'] as const;

const SETTINGS = {
  max_execution_time: HUB_QUESTION_SEC,
  max_rows_to_read: String(HUB_READ_ROWS),
  max_bytes_to_read: String(HUB_READ_BYTES),
  max_memory_usage: String(HUB_MEMORY_BYTES),
  max_result_bytes: String(HUB_ANSWER_BYTES),
  result_overflow_mode: 'throw',
  // A version never lands in another partition: deploy/store/schema.sql.
  do_not_merge_across_partitions_select_final: 1,
  output_format_json_quote_64bit_integers: 0,
  date_time_output_format: 'iso',
} as const;

export class StoreReader {
  readonly counters = new Counters(STORE_QUESTIONS);
  readonly #client: ClickHouseClient;

  constructor(client: ClickHouseClient) {
    this.#client = client;
  }

  /** Rows of a SELECT; times are RFC 3339. Rejects with Unanswered. */
  async rows<T>(query: string, parameters: SqlParameters): Promise<T[]> {
    this.counters.add('asked');
    try {
      const answer = await this.#client.query({
        query,
        query_params: { ...parameters.values },
        format: 'JSONEachRow',
        clickhouse_settings: SETTINGS,
      });
      return await answer.json<T>();
    } catch (error) {
      throw this.#problem(error);
    }
  }

  /** The first row; undefined without one. */
  async row<T>(query: string, parameters: SqlParameters): Promise<T | undefined> {
    return (await this.rows<T>(query, parameters))[0];
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #problem(error: unknown): Unanswered {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (WIDE.has(code)) {
      this.counters.add('too_wide');
      return new Unanswered(
        'too-wide',
        `The question reads more than the store may read for one (${HUB_QUESTION_SEC} s); narrow it with since:, until:, host:, a number or a Call-ID.`,
      );
    }
    this.counters.add('failed');
    const { message, remedy } = error instanceof RemoteFailure ? error : storeFailure(error);
    return new Unanswered('store-away', `The store did not answer: ${message}${remedy === '' ? '' : `; ${remedy}`}.`);
  }
}
