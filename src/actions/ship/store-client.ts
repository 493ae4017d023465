/**
 * Inserts a segment into the store: one request of ClickHouse's HTTP interface at a time, over a connection that stays.
 *
 * A redirect is not followed, a certificate is always checked, and nothing of an answer is believed beyond its caps: bytes,
 * and time in all, however little by little it comes.
 */
import type { FileHandle } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';
import { SHIP_ANSWER_BYTES } from '../../core/item-limits.ts';
import { type StoreLogin, type StorePlace, storeLookup } from '../../explore/clickhouse/place.ts';
import type { ShipTable } from './counters.ts';
import type { Answer } from './verdict.ts';

export type Store = StoreLogin & { readonly place: StorePlace };

/** The store had closed the connection since the last insert: another connection may do. */
export const STALE = 'STALE';
/** What comes is no HTTP, or too much of it. */
export const GARBLED = 'GARBLED';
const CLOSING = new Set(['ECONNRESET', 'EPIPE']);
/** Each costs the main thread two turns. */
const READ_BYTES = 512 * 1024;
const MOST_RETRY_AFTER_SECS = 60;

export class StoreClient {
  readonly #request: (options: RequestOptions) => ClientRequest;
  readonly #agent: HttpAgent;
  readonly #options: RequestOptions;
  readonly #database: string;
  readonly #answerMs: number;

  /** `answerMs`: for an insert in all. Reads the trusted CAs, which may take some 10 ms. */
  constructor(store: Store, answerMs: number) {
    const { place, user, password, ca } = store;
    const kept = { keepAlive: true, maxSockets: 1, lookup: storeLookup(place, store) };
    if (place.isTls) {
      const trusted = ca === null ? {} : { ca: [...rootCertificates, ca] };
      const secureContext = createSecureContext({ ...trusted, minVersion: 'TLSv1.2' });
      this.#agent = new HttpsAgent({ ...kept, secureContext, rejectUnauthorized: true });
      this.#request = httpsRequest;
    } else {
      this.#agent = new HttpAgent(kept);
      this.#request = httpRequest;
    }
    const token = Buffer.from(`${user ?? 'default'}:${password ?? ''}`).toString('base64');
    this.#options = {
      protocol: place.isTls ? 'https:' : 'http:',
      hostname: place.host,
      port: place.port,
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-encoding': 'gzip',
        ...((user !== null || password !== null) && { authorization: `Basic ${token}` }),
      },
    };
    this.#database = place.database;
    this.#answerMs = answerMs;
  }

  /**
   * Sends the file, which has so many bytes, and closes it. Throws an error with the code of the system or of TLS, ETIMEDOUT,
   * STALE or GARBLED.
   */
  insert(table: ShipTable, file: FileHandle, bytes: number): Promise<Answer> {
    const query = new URLSearchParams({
      database: this.#database,
      query: `INSERT INTO ${table} FORMAT JSONEachRow`,
      async_insert: '0',
      input_format_skip_unknown_fields: '1',
      input_format_json_read_objects_as_strings: '1',
      date_time_input_format: 'best_effort',
    });
    const headers = { ...this.#options.headers, 'content-length': bytes };
    const request = this.#request({ ...this.#options, path: `/?${query}`, headers });
    // A cut file, or one that grows, makes a request that never ends or is no HTTP: the caller has looked at its size.
    const source = file.createReadStream({ highWaterMark: READ_BYTES, start: 0, end: bytes - 1 });
    let response: IncomingMessage | null = null;
    let deadline: NodeJS.Timeout | undefined;
    return new Promise<Answer>((resolve, reject) => {
      deadline = setTimeout(() => reject(coded('ETIMEDOUT')), this.#answerMs);
      request.on('error', (error) => {
        const isStale = response === null && request.reusedSocket && CLOSING.has(codeOf(error));
        reject(isStale ? coded(STALE) : codeOf(error).startsWith('HPE_') ? coded(GARBLED) : error);
      });
      request.once('close', () => {
        if (response === null) reject(coded('ECONNRESET'));
      });
      request.once('response', (came) => {
        response = came;
        readAnswer(came, !request.writableFinished).then(resolve, reject);
      });
      source.on('error', reject);
      source.pipe(request);
    }).finally(() => {
      clearTimeout(deadline);
      source.destroy();
      // A connection whose answer was read to its end is used for the next insert.
      if (!request.writableFinished || response?.complete !== true) request.destroy();
    });
  }

  /** What is under way ends with an error. Idempotent. */
  close(): void {
    this.#agent.destroy();
  }
}

async function readAnswer(response: IncomingMessage, isEarly: boolean): Promise<Answer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    bytes += part.length;
    if (bytes > SHIP_ANSWER_BYTES) throw coded(GARBLED);
    parts.push(part);
  }
  const body = Buffer.concat(parts).toString('latin1');
  const header = (name: string): string => String(response.headers[name] ?? '');
  const code = /^\d{1,6}$/.exec(header('x-clickhouse-exception-code'))?.[0] ?? /^Code: (\d{1,6})\./.exec(body)?.[1];
  const seconds = /^\d{1,9}$/.test(header('retry-after')) ? Number(header('retry-after')) : 0;
  return {
    status: response.statusCode ?? 0,
    code: Number(code ?? 0),
    body,
    isEarly,
    retryAfterMs: Math.min(seconds, MOST_RETRY_AFTER_SECS) * 1_000,
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
