/** Inserts a segment into the store: one request of ClickHouse's HTTP interface, which has a time for the whole. */
import type { FileHandle } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type StoreLogin, type StorePlace, storeLookup } from '../../explore/clickhouse/place.ts';
import { wholeBody } from '../../net/answer.ts';
import { HttpClient } from '../../net/http-client.ts';
import type { ShipTable } from './counters.ts';
import type { Answer } from './verdict.ts';

/** Bytes of an answer of the store; one that is longer is no answer. @cap */
const SHIP_ANSWER_BYTES = 64 * 1024;

export type Store = StoreLogin & { readonly place: StorePlace };

/** Each costs the main thread two turns. */
const READ_BYTES = 512 * 1024;
const MOST_RETRY_AFTER_SECS = 60;

export class StoreClient {
  readonly #client: HttpClient;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #database: string;
  readonly #answerMs: number;

  /** `answerMs`: for an insert in all. Throws RemoteFailure where the password may not go. */
  constructor(store: Store, answerMs: number) {
    const { place, user, password, ca } = store;
    this.#client = new HttpClient({ ...place, ca }, storeLookup(place, store));
    const token = Buffer.from(`${user ?? 'default'}:${password ?? ''}`).toString('base64');
    this.#headers = {
      'content-encoding': 'gzip',
      ...((user !== null || password !== null) && { authorization: `Basic ${token}` }),
    };
    this.#database = place.database;
    this.#answerMs = answerMs;
  }

  /** Sends the file, which has so many bytes, and closes it. Rejects with RemoteFailure or an error with a code. */
  async insert(table: ShipTable, file: FileHandle, bytes: number): Promise<Answer> {
    const query = new URLSearchParams({
      database: this.#database,
      query: `INSERT INTO ${table} FORMAT JSONEachRow`,
      async_insert: '0',
      input_format_skip_unknown_fields: '1',
      input_format_json_read_objects_as_strings: '1',
      date_time_input_format: 'best_effort',
    });
    const until = performance.now() + this.#answerMs;
    let isEarly = false;
    const body = {
      bytes,
      read: () => Readable.from(piecesOf(file, bytes), { objectMode: false, highWaterMark: READ_BYTES }),
      onEarly: () => {
        isEarly = true;
      },
    };
    try {
      const answer = await this.#client.ask({ path: `/?${query}`, headers: this.#headers, body }, this.#answerMs);
      const said = await wholeBody(answer, { bytes: SHIP_ANSWER_BYTES, ms: until - performance.now() });
      return { ...read(answer.headers, said.toString('latin1')), status: answer.statusCode ?? 0, isEarly };
    } finally {
      await file.close();
    }
  }

  /** What is under way ends with an error. Idempotent. */
  close(): void {
    this.#client.close();
  }
}

/** A stream of the file would close it, and it may have to be read again. */
async function* piecesOf(file: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(READ_BYTES, bytes - at)), 0, null, at);
    if (bytesRead === 0) throw Object.assign(new Error('the file was cut'), { code: 'EIO' });
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function read(headers: IncomingHttpHeaders, body: string): Pick<Answer, 'code' | 'body' | 'retryAfterMs'> {
  const header = (name: string): string => String(headers[name] ?? '');
  const code = /^\d{1,6}$/.exec(header('x-clickhouse-exception-code'))?.[0] ?? /^Code: (\d{1,6})\./.exec(body)?.[1];
  const seconds = /^\d{1,9}$/.test(header('retry-after')) ? Number(header('retry-after')) : 0;
  return { code: Number(code ?? 0), body, retryAfterMs: Math.min(seconds, MOST_RETRY_AFTER_SECS) * 1_000 };
}
