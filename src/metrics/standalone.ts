/**
 * The standalone metrics server (`--metrics`): GET /metrics, as-cased states, loopback only without credentials.
 *
 * The order of the checks is that of the API: the rate of the source, credentials (HTTP Basic), then what is asked.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { BasicCredentials } from '../auth/basic-credentials.ts';
import { isLoopback, resolveHost } from '../core/bind.ts';
import { errnoOf, ServiceError } from '../core/error.ts';
import { endpointText } from '../core/ip.ts';
import { API_CLOSE_MS, API_HEADER_MS, API_KEEP_ALIVE_MS, API_MAX_CONN, API_REQUEST_MS } from '../core/limits.ts';
import { stopListening } from '../http/deaf-socket.ts';
import { ignoredBodyProblem } from '../http/ignored-body.ts';
import { endResponse, endWithProblem, ProblemError } from '../http/problem-error.ts';
import { dropRefusedBody } from '../http/refused-body.ts';
import { requestHeaderProblem, requestPath } from '../http/request-header.ts';
import { SourceBudget } from '../http/source-budget.ts';
import { answerWireEvents, createClientErrorHandler } from '../http/wire-errors.ts';
import type { MetricsPage } from './registry.ts';

export type MetricsServer = {
  /** Binds and returns `address:port` as bound. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** Ends within two seconds, whatever the clients do. */
  close(): Promise<void>;
};

export type MetricsServerDeps = {
  /** Told of faults of our own; the client gets a 500 without their text. */
  readonly onFault: (error: unknown) => void;
  /** Who may ask; null: everybody, and the listener must be on loopback. */
  readonly credentials: BasicCredentials | null;
};

/** RFC 7617 §2.1: a Basic challenge names a realm. */
const CHALLENGE = 'Basic realm="metrics", charset="UTF-8"';

/** Milliseconds without a byte in either direction after which a connection is cut. */
const STALLED_MS = 60_000;

/** Connections of one source, so that one that holds them leaves some to others. */
const CONN_PER_SOURCE = API_MAX_CONN / 2;

export function createMetricsServer(page: MetricsPage, { onFault, credentials }: MetricsServerDeps): MetricsServer {
  const budget = new SourceBudget();
  const authenticate = (request: IncomingMessage): ProblemError | null =>
    credentials === null || credentials.accepts(request.headersDistinct['authorization'] ?? [])
      ? null
      : new ProblemError('unauthorized', undefined, { 'www-authenticate': CHALLENGE });
  const server = createServer(
    {
      headersTimeout: API_HEADER_MS,
      requestTimeout: API_REQUEST_MS,
      keepAliveTimeout: API_KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
    },
    (request, response) => {
      if (request.socket.destroyed) return;
      const refusal =
        admit(request.socket) ?? authenticate(request) ?? requestHeaderProblem(request) ?? routeProblem(request);
      // One that floods was cut off.
      if (request.socket.destroyed) return;
      if (refusal === null) void answer(request, response);
      else refuse(request, response, refusal);
    },
  );
  server.timeout = STALLED_MS;
  const open = new Map<Socket, string>();
  const bySource = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const source = socket.remoteAddress ?? '';
    const own = bySource.get(source) ?? 0;
    const isFlood = budget.isFlooding(source);
    if (isFlood || open.size >= API_MAX_CONN || own >= CONN_PER_SOURCE) {
      stopListening(socket);
      endWithProblem(socket, isFlood ? rateLimited() : new ProblemError('connection-limit', undefined, RETRY));
      return;
    }
    open.set(socket, source);
    bySource.set(source, own + 1);
    socket.once('close', () => {
      open.delete(socket);
      const left = (bySource.get(source) ?? 1) - 1;
      if (left > 0) bySource.set(source, left);
      else bySource.delete(source);
    });
  });

  /** Ends all connections of a source that floods: refusing its requests one by one would keep everybody else waiting. */
  function cutOff(source: string): void {
    for (const [socket, address] of open) {
      if (address !== source) continue;
      stopListening(socket);
      socket.destroy();
    }
  }

  function admit(socket: Socket): ProblemError | null {
    const source = socket.remoteAddress ?? '';
    const verdict = budget.take(source);
    if (verdict === 'flooding') cutOff(source);
    return verdict === 'admitted' ? null : rateLimited();
  }
  server.on('clientError', createClientErrorHandler(admit));
  answerWireEvents(server, { admit, authenticate });

  function refuse(request: IncomingMessage, response: ServerResponse, problem: ProblemError): void {
    dropRefusedBody(request);
    endResponse(response, problem);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const tooLarge = await ignoredBodyProblem(request);
    if (tooLarge !== null) {
      refuse(request, response, tooLarge);
      return;
    }
    try {
      const text = await page.render();
      response.writeHead(200, { 'content-type': page.contentType, 'content-length': Buffer.byteLength(text) });
      response.end(text);
    } catch (error) {
      onFault(error);
      endResponse(response, new ProblemError('internal'));
    }
  }

  return {
    async listen({ host, port }) {
      const address = await resolveHost(host);
      if (address === null) {
        throw new ServiceError(
          'METRICS_BIND_FAILED',
          `--metrics ${endpointText(host, port)}: the name does not resolve; give an IP address`,
        );
      }
      if (credentials === null && !isLoopback(address)) {
        throw new ServiceError(
          'METRICS_BIND_NOT_LOOPBACK',
          `--metrics ${endpointText(host, port)}: the address is not loopback and neither --metrics-auth nor ` +
            '--metrics-auth-file is given; give one of them, or bind 127.0.0.1 or ::1',
        );
      }
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error) => {
          const reason = errnoOf(error) ?? error.message;
          reject(
            new ServiceError(
              'METRICS_BIND_FAILED',
              `--metrics ${endpointText(address, port)}: cannot listen (${reason}); choose another address or port`,
              error,
            ),
          );
        });
        server.listen(port, address, resolve);
      });
      // A TCP server that listens has an AddressInfo, never a pipe name.
      const bound = server.address() as AddressInfo;
      return endpointText(bound.address, bound.port);
    },
    async close() {
      page.close();
      if (!server.listening) return;
      const cut = setTimeout(() => server.closeAllConnections(), API_CLOSE_MS);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      clearTimeout(cut);
    },
  };
}

const RETRY = { 'retry-after': '1' };

function rateLimited(): ProblemError {
  return new ProblemError('rate-limited', undefined, RETRY);
}

/** One page, to be read only. */
function routeProblem({ url = '', method }: IncomingMessage): ProblemError | null {
  if (requestPath(url) !== '/metrics') return new ProblemError('not-found', 'Only /metrics is served here.');
  if (method === 'GET' || method === 'HEAD') return null;
  return new ProblemError('method-not-allowed', undefined, { allow: 'GET, HEAD' });
}
