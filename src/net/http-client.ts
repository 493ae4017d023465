/**
 * Sends requests to one server over HTTP, over connections that stay open. Each answer has a cap in time. Whatever the environment
 * says, a certificate is checked. A redirect is an answer like others, and what is packed stays packed: nobody can make an answer
 * larger than it came.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { createSecureContext, rootCertificates } from 'node:tls';
import { errnoOf } from '../core/errors.ts';
import { closed, late, RemoteFailure } from './failures.ts';
import type { Target } from './target.ts';

/** Bytes that may be read again, as many as it says: fewer make a request that never ends. */
export type SentStream = {
  readonly bytes: number;
  readonly read: () => Readable;
  /** Told when the answer comes before all of them are on their way. */
  readonly onEarly: () => void;
};

/** `body` makes it a POST. */
export type Sent = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | SentStream;
};

/** The server had closed a connection that waited, as a request was on its way. */
const STALE = new Set(['ECONNRESET', 'EPIPE']);

export class HttpClient {
  readonly #place: Pick<Target, 'isTls' | 'host' | 'port'>;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #connectMs: number;
  #open = 0;
  #isClosed = false;

  /**
   * Nothing is connected yet; whoever makes it closes it. `connectMs`: a connection is made within so many milliseconds, where
   * that is less than the answer may take.
   */
  constructor(
    place: Pick<Target, 'isTls' | 'host' | 'port' | 'ca'>,
    lookup: LookupFunction,
    connectMs = Number.POSITIVE_INFINITY,
  ) {
    this.#place = place;
    this.#connectMs = connectMs;
    this.#agent = place.isTls
      ? new HttpsAgent({ keepAlive: true, lookup, secureContext: trusting(place.ca), rejectUnauthorized: true })
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
  async ask(sent: Sent, ms: number): Promise<IncomingMessage> {
    const until = performance.now() + ms;
    for (let isSecond = false; ; isSecond = true) {
      if (this.#isClosed) throw new RemoteFailure('busy', 'the connection is closed', '');
      const request = this.#request(sent);
      try {
        return await this.#answer(request, sent.body, until - performance.now());
      } catch (error) {
        const isStale = request.reusedSocket && STALE.has(errnoOf(error) ?? '');
        if (isSecond || !isStale || this.#isClosed) throw error;
      }
    }
  }

  #request({ path, headers, body }: Sent): ClientRequest {
    const { isTls, host, port } = this.#place;
    const sized = typeof body === 'object' ? { ...headers, 'content-length': body.bytes } : headers;
    const options = { agent: this.#agent, host, port, path, headers: sized };
    return (isTls ? httpsRequest : httpRequest)({ ...options, method: body === undefined ? 'GET' : 'POST' });
  }

  #answer(request: ClientRequest, body: Sent['body'], ms: number): Promise<IncomingMessage> {
    this.#open++;
    const until = performance.now() + ms;
    const source = typeof body === 'object' ? body.read() : null;
    const leave = (): void => {
      request.destroy(late());
    };
    let timer = setTimeout(leave, Math.min(ms, this.#connectMs));
    return new Promise((resolve, reject) => {
      request.once('socket', (socket) => {
        const onReady = (): void => {
          clearTimeout(timer);
          timer = setTimeout(leave, until - performance.now());
        };
        if (socket.connecting) socket.once(this.#place.isTls ? 'secureConnect' : 'connect', onReady);
        else onReady();
      });
      request.once('response', (answer) => {
        clearTimeout(timer);
        if (typeof body === 'object' && !request.writableFinished) body.onEarly();
        // A connection over which the rest of a request would go is of no use for the next one.
        answer.once('close', () => {
          if (!request.writableFinished) request.destroy();
        });
        resolve(answer);
      });
      request.on('error', reject);
      request.once('close', () => {
        clearTimeout(timer);
        source?.destroy();
        this.#open--;
        reject(closed());
      });
      source?.on('error', (error) => request.destroy(error));
      if (source === null) request.end(body);
      else source.pipe(request);
    });
  }
}

/** By the CA that is trusted besides those of Node: reading them all takes some 10 ms. */
const CONTEXTS = new Map<string | null, SecureContext>();

function trusting(ca: string | null): SecureContext {
  const known = CONTEXTS.get(ca);
  if (known !== undefined) return known;
  const trusted = ca === null ? {} : { ca: [...rootCertificates, ca] };
  const context = createSecureContext({ ...trusted, minVersion: 'TLSv1.2' });
  CONTEXTS.set(ca, context);
  return context;
}
