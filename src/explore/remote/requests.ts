/**
 * Asks a service over HTTP: GET alone, with caps in bytes, in number and in time. It follows nobody elsewhere and sends the
 * key where target.ts allows it.
 */
import type { IncomingMessage } from 'node:http';
import type { Bounds } from '../../net/answer.ts';
import { wholeBody } from '../../net/answer.ts';
import { connectionFailure, RemoteFailure } from '../../net/failures.ts';
import { HttpClient } from '../../net/http-client.ts';
import type { Target } from '../../net/target.ts';
import { guardedLookup, refusedAddress } from '../../net/target.ts';
import { REMOTE_PROBLEM_BYTES } from '../limits.ts';
import { statusFailure } from './service-failures.ts';

/** Questions to a service that are under way at once (`--connect`). @cap */
const REMOTE_REQUESTS = 16;

export class Requests {
  /** What stands before each address; '' for nothing. */
  readonly path: string;
  readonly #target: Target;
  readonly #client: HttpClient;

  /** `connectMs`: a connection is made within so many milliseconds, where that is less than the answer may take. */
  constructor(target: Target, connectMs?: number) {
    this.path = target.path;
    this.#target = target;
    this.#client = new HttpClient(target, guardedLookup(target), connectMs);
  }

  /** The whole body of an answer of 200. Rejects with RemoteFailure. */
  async read(path: string, bounds: Bounds): Promise<{ readonly answer: IncomingMessage; readonly body: Buffer }> {
    const until = performance.now() + bounds.ms;
    const answer = await this.open(path, bounds.ms);
    try {
      return { answer, body: await wholeBody(answer, { ...bounds, ms: until - performance.now() }) };
    } catch (error) {
      throw connectionFailure(error);
    }
  }

  /**
   * The answer once its head came within so many milliseconds, which is one of 200. Whoever reads it bounds what comes.
   * Rejects with RemoteFailure.
   */
  async open(path: string, ms: number): Promise<IncomingMessage> {
    if (this.#client.open >= REMOTE_REQUESTS)
      throw new RemoteFailure('busy', 'too many questions are under way', 'wait for an answer');
    const until = performance.now() + ms;
    const answer = await this.#head(path, ms);
    const { statusCode: status = 0, headers } = answer;
    if (status === 200) return answer;
    const bounds = { bytes: REMOTE_PROBLEM_BYTES, ms: until - performance.now() };
    const body = await wholeBody(answer, bounds).catch(() => Buffer.alloc(0));
    const isProblem = headers['content-type'] === 'application/problem+json';
    const seconds = Number(/^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0] ?? Number.NaN);
    throw statusFailure(status, isProblem ? problemOf(body) : null, Number.isNaN(seconds) ? null : seconds, {
      isSent: this.#target.key !== null,
      hint: this.#target.keyHint,
    });
  }

  close(): void {
    this.#client.close();
  }

  async #head(path: string, ms: number): Promise<IncomingMessage> {
    const target = this.#target;
    const refused = refusedAddress(target);
    if (refused !== null) throw refused;
    if (this.#client.isClosed) throw new RemoteFailure('busy', 'the screen is closed', '');
    const headers = {
      accept: '*/*',
      ...(target.key === null ? {} : { authorization: `Bearer ${target.key.text}` }),
    };
    try {
      return await this.#client.ask({ path: `${target.path}${path}`, headers }, ms);
    } catch (error) {
      throw connectionFailure(error);
    }
  }
}

function problemOf(body: Buffer): { readonly type: string; readonly detail: string } | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string')
      return null;
    return { type: value.type, detail: 'detail' in value && typeof value.detail === 'string' ? value.detail : '' };
  } catch {
    return null;
  }
}
