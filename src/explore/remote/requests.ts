/**
 * Asks a service over HTTP: GET alone, with caps in bytes, in number and in time. It follows nobody elsewhere and sends the
 * key where target.ts allows it.
 */
import type { IncomingMessage } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import { errnoOf } from '../../core/errors.ts';
import { REMOTE_PROBLEM_BYTES, REMOTE_REQUESTS } from '../../core/item-limits.ts';
import { connectionFailure, late, RemoteFailure, statusFailure, tooLarge } from './failures.ts';
import type { Target } from './target.ts';
import { guardedLookup, refusedAddress } from './target.ts';

export type Bounds = { readonly bytes: number; readonly ms: number };

export class Requests {
  /** What stands before each address; '' for nothing. */
  readonly path: string;
  readonly #target: Target;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #request: typeof httpRequest | typeof httpsRequest;
  /** A connection is made within so many milliseconds, where that is less than the answer may take. */
  readonly #connectMs: number;
  #open = 0;
  #isClosed = false;

  constructor(target: Target, connectMs = Number.POSITIVE_INFINITY) {
    this.#connectMs = connectMs;
    this.path = target.path;
    this.#target = target;
    const lookup = guardedLookup(target);
    const { ca } = target;
    this.#request = target.isTls ? httpsRequest : httpRequest;
    this.#agent = target.isTls
      ? new HttpsAgent({
          keepAlive: true,
          lookup,
          // Whatever the environment says of it.
          rejectUnauthorized: true,
          ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
        })
      : new HttpAgent({ keepAlive: true, lookup });
  }

  /** The whole body of an answer of 200. Rejects with RemoteFailure. */
  async read(path: string, bounds: Bounds): Promise<{ readonly answer: IncomingMessage; readonly body: Buffer }> {
    const until = performance.now() + bounds.ms;
    const answer = await this.open(path, bounds.ms);
    return { answer, body: await wholeBody(answer, { ...bounds, ms: until - performance.now() }) };
  }

  /**
   * The answer once its head came within so many milliseconds, which is one of 200. Whoever reads it bounds what comes.
   * Rejects with RemoteFailure.
   */
  async open(path: string, ms: number): Promise<IncomingMessage> {
    if (this.#open >= REMOTE_REQUESTS)
      throw new RemoteFailure('busy', 'too many questions are under way', 'wait for an answer');
    const answer = await this.#head(path, ms);
    const { statusCode: status = 0, headers } = answer;
    if (status === 200) return answer;
    const body = await wholeBody(answer, { bytes: REMOTE_PROBLEM_BYTES, ms }).catch(() => Buffer.alloc(0));
    const isProblem = headers['content-type'] === 'application/problem+json';
    const seconds = Number(/^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0] ?? Number.NaN);
    throw statusFailure(status, isProblem ? problemOf(body) : null, Number.isNaN(seconds) ? null : seconds, {
      isSent: this.#target.key !== null,
      hint: this.#target.keyHint,
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  async #head(path: string, ms: number, isSecond = false): Promise<IncomingMessage> {
    const target = this.#target;
    const refused = refusedAddress(target);
    if (refused !== null) throw refused;
    if (this.#isClosed) throw new RemoteFailure('busy', 'the screen is closed', '');
    this.#open++;
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.#request({
        agent: this.#agent,
        host: target.host,
        port: target.port,
        path: `${target.path}${path}`,
        headers: {
          accept: '*/*',
          ...(target.key === null ? {} : { authorization: `Bearer ${target.key.text}` }),
        },
      });
      const until = performance.now() + ms;
      let timer = setTimeout(() => sent.destroy(late()), Math.min(ms, this.#connectMs));
      sent.once('socket', (socket) => {
        const onReady = (): void => {
          clearTimeout(timer);
          timer = setTimeout(() => sent.destroy(late()), until - performance.now());
        };
        if (socket.connecting) socket.once(target.isTls ? 'secureConnect' : 'connect', onReady);
        else onReady();
      });
      sent.once('response', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      sent.on('error', (error) => {
        // The service closed a connection that waited, as this request was on its way.
        if (sent.reusedSocket && !isSecond && !this.#isClosed && errnoOf(error) === 'ECONNRESET')
          resolve(this.#head(path, ms, true));
        else reject(connectionFailure(error));
      });
      sent.once('close', () => {
        clearTimeout(timer);
        this.#open--;
      });
      sent.end();
    });
  }
}

/** Rejects with RemoteFailure where it is too large, comes too slowly, or ends early. */
function wholeBody(answer: IncomingMessage, { bytes, ms }: Bounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => answer.destroy(late()), ms);
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytes) answer.destroy(tooLarge(bytes));
      else chunks.push(chunk);
    });
    answer.once('end', () => resolve(Buffer.concat(chunks)));
    answer.once('error', (error) => reject(connectionFailure(error)));
    answer.once('close', () => {
      clearTimeout(timer);
      // After its end this says nothing any more.
      reject(connectionFailure(null));
    });
  });
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
