/**
 * Sends one request over HTTP and gives its answer, over connections that stay open. Each has a cap in time, each body a cap in
 * bytes. A redirect is an answer like others, and what is packed stays packed: nobody can make an answer larger than it came.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { errnoOf } from '../core/errors.ts';
import { Pieces } from '../core/pieces.ts';
import { connectionFailure, late, RemoteFailure, tooLarge } from './failures.ts';
import type { Target } from './target.ts';

/** `values`: arrays, objects and keys of JSON. */
export type Bounds = { readonly bytes: number; readonly ms: number; readonly values?: number };

/** `body` makes it a POST. */
export type Sent = { readonly path: string; readonly headers: OutgoingHttpHeaders; readonly body?: string };

export class HttpClient {
  readonly #place: Pick<Target, 'isTls' | 'host' | 'port'>;
  readonly #agent: HttpAgent | HttpsAgent;
  /** A connection is made within so many milliseconds, where that is less than the answer may take. */
  readonly #connectMs: number;
  #open = 0;
  #isClosed = false;

  constructor(
    place: Pick<Target, 'isTls' | 'host' | 'port' | 'ca'>,
    lookup: LookupFunction,
    connectMs = Number.POSITIVE_INFINITY,
  ) {
    const { isTls, ca } = place;
    this.#place = place;
    this.#connectMs = connectMs;
    // Whatever the environment says of it, the certificate is checked.
    const trusted = { rejectUnauthorized: true, ...(ca === null ? {} : { ca: [...rootCertificates, ca] }) };
    this.#agent = isTls
      ? new HttpsAgent({ keepAlive: true, lookup, ...trusted })
      : new HttpAgent({ keepAlive: true, lookup });
  }

  /** Requests under way. */
  get open(): number {
    return this.#open;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What is under way ends with an error. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  /** The answer once its head came, within so many milliseconds. Rejects with RemoteFailure or the error of the connection. */
  async ask(sent: Sent, ms: number, isSecond = false): Promise<IncomingMessage> {
    if (this.#isClosed) throw new RemoteFailure('busy', 'the connection is closed', '');
    this.#open++;
    return new Promise<IncomingMessage>((resolve, reject) => {
      const { isTls, host, port } = this.#place;
      const { path, headers, body } = sent;
      const method = body === undefined ? 'GET' : 'POST';
      const request = (isTls ? httpsRequest : httpRequest)({ agent: this.#agent, host, port, method, path, headers });
      const until = performance.now() + ms;
      let timer = setTimeout(() => request.destroy(late()), Math.min(ms, this.#connectMs));
      request.once('socket', (socket) => {
        const onReady = (): void => {
          clearTimeout(timer);
          timer = setTimeout(() => request.destroy(late()), until - performance.now());
        };
        if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', onReady);
        else onReady();
      });
      request.once('response', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      request.on('error', (error) => {
        // The service closed a connection that waited, as this request was on its way.
        if (request.reusedSocket && !isSecond && !this.#isClosed && errnoOf(error) === 'ECONNRESET')
          resolve(this.ask(sent, ms, true));
        else reject(error);
      });
      request.once('close', () => {
        clearTimeout(timer);
        this.#open--;
      });
      request.end(body);
    });
  }
}

/** Rejects with RemoteFailure where it is too large, comes too slowly, or ends early. */
export function wholeBody(answer: IncomingMessage, { bytes, ms }: Bounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    const timer = setTimeout(() => answer.destroy(late()), ms);
    answer.on('data', (chunk: Buffer) => {
      if (pieces.bytes + chunk.length > bytes) answer.destroy(tooLarge(bytes));
      else pieces.add(chunk);
    });
    answer.once('end', () => resolve(pieces.take()));
    answer.once('error', (error) => reject(connectionFailure(error)));
    answer.once('close', () => {
      clearTimeout(timer);
      // After its end this says nothing any more.
      reject(connectionFailure(null));
    });
  });
}
