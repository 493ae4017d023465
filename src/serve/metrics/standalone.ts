/**
 * The standalone metrics server (`--metrics`): GET /metrics, as-cased states, loopback only without credentials.
 *
 * The order of the checks is that of the API: the rate of the source, credentials (HTTP Basic), then what is asked.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_MAX_CONN } from '../../config/options.ts';
import { isLoopback, resolveHost } from '../../core/bind.ts';
import { errnoOf, failure } from '../../core/errors.ts';
import { endpointText } from '../../core/ip.ts';
import type { BasicCredentials } from '../auth/authorization.ts';
import { createAdmission } from '../http/admission.ts';
import { ignoredBodyProblem } from '../http/ignored-body.ts';
import { API_CLOSE_MS, API_HEADER_MS, API_KEEP_ALIVE_MS, API_REQUEST_MS } from '../http/limits.ts';
import { foreignSiteProblem, openAccessProblem } from '../http/open-access.ts';
import { endResponse, failingClosed, ProblemError } from '../http/problem-error.ts';
import { askForBody } from '../http/request-body.ts';
import { requestHeaderProblem, requestPath } from '../http/request-header.ts';
import { UnreadAnswers } from '../http/unread.ts';
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

export function createMetricsServer(page: MetricsPage, { onFault, credentials }: MetricsServerDeps): MetricsServer {
  const access = failingClosed((request: IncomingMessage): ProblemError | null => {
    // Before credentials, which a browser adds by itself.
    const foreign = foreignSiteProblem(request);
    if (foreign !== null || credentials === null) return foreign ?? openAccessProblem(request);
    if (credentials.accepts(request.headersDistinct['authorization'] ?? [])) return null;
    return new ProblemError('unauthorized', undefined, { 'www-authenticate': CHALLENGE });
  }, onFault);
  const server = createServer({
    headersTimeout: API_HEADER_MS,
    requestTimeout: API_REQUEST_MS,
    keepAliveTimeout: API_KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false,
  });
  // Else Node leaves out of those it hands on what comes after the first two thousand.
  server.maxHeadersCount = 0;
  const admission = createAdmission(server, { maxConnections: API_MAX_CONN });
  const unread = new UnreadAnswers();
  const listener = admission.guard((request, response) => {
    const refusal = access(request) ?? requestHeaderProblem(request) ?? routeProblem(request);
    if (refusal === null) answer(request, response).catch(onFault);
    else endResponse(response, refusal);
  }, admission.want);
  server.on('request', listener);
  server.on('clientError', createClientErrorHandler(admission));
  answerWireEvents(server, admission, access, listener);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    askForBody(request, response);
    const tooLarge = await ignoredBodyProblem(request);
    if (tooLarge !== null) {
      endResponse(response, tooLarge);
      return;
    }
    try {
      const { contentType, body } = await page.render(request.headers.accept);
      const refusal = unread.hold(response, body);
      if (refusal !== null) {
        endResponse(response, refusal);
        admission.want();
        return;
      }
      response.writeHead(200, { 'content-type': contentType, 'content-length': body.length });
      response.end(body);
    } catch (error) {
      onFault(error);
      endResponse(response, new ProblemError('internal'));
    }
  }

  return {
    async listen({ host, port }) {
      const address = await resolveHost(host);
      if (address === null) {
        throw failure('METRICS_ADDRESS_UNKNOWN', { address: endpointText(host, port) });
      }
      if (credentials === null && !isLoopback(address)) {
        throw failure('METRICS_BIND_NOT_LOOPBACK', { address: endpointText(host, port) });
      }
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error) => {
          const reason = errnoOf(error) ?? error.message;
          reject(failure('METRICS_BIND_FAILED', { address: endpointText(address, port), reason }, error));
        });
        server.listen(port, address, resolve);
      });
      // A TCP server that listens has an AddressInfo, never a pipe name.
      const bound = server.address() as AddressInfo;
      return endpointText(bound.address, bound.port);
    },
    async close() {
      admission.close();
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

/** One page, to be read only. */
function routeProblem({ url = '', method }: IncomingMessage): ProblemError | null {
  if (requestPath(url) !== '/metrics') return new ProblemError('not-found', 'Only /metrics is served here.');
  if (method === 'GET' || method === 'HEAD') return null;
  return new ProblemError('method-not-allowed', undefined, { allow: 'GET, HEAD' });
}
