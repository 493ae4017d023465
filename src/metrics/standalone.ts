/** The standalone metrics server (`--metrics`): GET /metrics, as-cased states, loopback only without credentials. */

import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProblemKind } from '../contract/index.ts';
import { PROBLEM_MEDIA_TYPE, problemDocument } from '../contract/index.ts';
import { isLoopback, resolveHost } from '../core/bind.ts';
import { errnoOf, ServiceError } from '../core/error.ts';
import { endpointText } from '../core/ip.ts';
import { API_CLOSE_MS, API_HEADER_MS, API_KEEP_ALIVE_MS, API_MAX_CONN, API_REQUEST_MS } from '../core/limits.ts';
import type { MetricsPage } from './registry.ts';

export type MetricsServer = {
  /** Binds and returns `address:port` as bound. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** Ends within two seconds, whatever the clients do. */
  close(): Promise<void>;
};

/** `onFault` is told of faults of our own; the client gets a 500 without their text. */
export function createMetricsServer(page: MetricsPage, onFault: (error: unknown) => void): MetricsServer {
  const server = createServer(
    {
      headersTimeout: API_HEADER_MS,
      requestTimeout: API_REQUEST_MS,
      keepAliveTimeout: API_KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0];
      if (path !== '/metrics') sendProblem(response, 'not-found', 'Only /metrics is served here.');
      else if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        sendProblem(response, 'method-not-allowed');
      } else void sendPage(response);
    },
  );
  server.maxConnections = API_MAX_CONN;

  async function sendPage(response: ServerResponse): Promise<void> {
    try {
      const text = await page.render();
      response.writeHead(200, { 'content-type': page.contentType, 'content-length': Buffer.byteLength(text) });
      response.end(text);
    } catch (error) {
      onFault(error);
      sendProblem(response, 'internal');
    }
  }

  return {
    async listen({ host, port }) {
      const address = await resolveHost(host);
      if (address === null || !isLoopback(address)) {
        throw new ServiceError(
          'METRICS_BIND_NOT_LOOPBACK',
          `--metrics ${endpointText(host, port)}: the address is not loopback and neither --metrics-auth nor ` +
            '--metrics-auth-file is given; bind 127.0.0.1 or ::1',
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

function sendProblem(response: ServerResponse, kind: ProblemKind, detail?: string): void {
  const problem = problemDocument(kind, detail);
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, {
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
