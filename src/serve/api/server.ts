/** Puts the HTTP server together: the order of the checks, the routes, and a bounded life from listen to close. */

import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import underPressure from '@fastify/under-pressure';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import type { PeerControl } from '../../actions/peer/control.ts';
import { isLoopback, resolveHost } from '../../core/bind.ts';
import { errnoOf, failure } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import { hasFeature } from '../../core/features.ts';
import { endpointText } from '../../core/ip.ts';
import type { Port } from '../../explore/port.ts';
import { warmUserPatterns } from '../../explore/question-kinds.ts';
import type { MetricFamily } from '../../view/metrics/family.ts';
import { countsOf, numberOf } from '../../view/metrics/family.ts';
import { addAsk } from '../ask/routes.ts';
import type { ApiCredentials } from '../auth/api-credentials.ts';
import { addConsole } from '../console/routes.ts';
import type { AdmissionCounts } from '../http/admission.ts';
import { createAdmission } from '../http/admission.ts';
import { ignoredBodyProblem } from '../http/ignored-body.ts';
import { API_BODY_BYTES, API_CLOSE_MS, API_HEADER_MS, API_KEEP_ALIVE_MS, API_REQUEST_MS } from '../http/limits.ts';
import { failingClosed, ProblemError } from '../http/problem-error.ts';
import { askForBody } from '../http/request-body.ts';
import { mediaTypeProblem, requestHeaderProblem } from '../http/request-header.ts';
import { UnreadAnswers } from '../http/unread.ts';
import { answerWireEvents, createClientErrorHandler } from '../http/wire-errors.ts';
import type { MetricsPageDeps } from '../metrics/registry.ts';
import { createMetricsPage } from '../metrics/registry.ts';
import { addQuestions } from '../questions/routes.ts';
import { readBodiesAsJson } from './json-body.ts';
import { addOpenApi, addOpenApiRoute, openApiText } from './openapi.ts';
import { createAuthentication } from './plugins/authentication.ts';
import { takeHosts } from './plugins/host-of-part.ts';
import { createLoadShedder } from './plugins/load-shedder.ts';
import { refuseUnknownKeys } from './plugins/query-keys.ts';
import { refusalsByRoute } from './plugins/route-table.ts';
import { limitUnreadAnswers } from './plugins/unread-answers.ts';
import { sendProblem, toProblem } from './problem.ts';
import { addAudioRoute } from './routes/audio.ts';
import { addEntrance } from './routes/entrance.ts';
import { addNotBuiltRoutes } from './routes/not-built.ts';
import { addPeerRoutes } from './routes/peer.ts';
import type { App } from './routes/route.ts';
import { addPersistenceRoutes, addServiceRoutes } from './routes/service.ts';
import { addVconRoute } from './routes/vcon.ts';

/** Characters of a path parameter as sent: a Call-ID of 4,096 bytes, each of them escaped. @cap */
const API_PARAM_CHARS = 12_288;

/** Event-loop delay, in milliseconds, above which requests are shed. @cap */
const API_LOOP_DELAY_MS = 1_000;

export type ApiDeps = {
  readonly readers: Port;
  readonly peer: PeerControl;
  /** `--api-max-rows` and `--api-max-conn`. */
  readonly maxRows: number;
  readonly maxConn: number;
  /** Who may ask; absent: everybody, and the listener must be on loopback. */
  readonly credentials?: ApiCredentials;
  /** Version of this program, for the metrics. */
  readonly version: string;
  /** Which metrics are shown, and how. */
  readonly metrics?: Pick<MetricsPageDeps, 'groups' | 'hasExemplars'>;
  /** Told of faults of our own; the client gets a 500 without their text. */
  readonly onFault: (error: unknown) => void;
  /** Serves /ask too; told of what leaves the process, a line each. */
  readonly ask?: { readonly log: (line: string) => void };
  /** Serves /mcp too, to whom has these credentials; null asks for none. */
  readonly mcp?: { readonly credentials: ApiCredentials | null; readonly log: (line: string) => void };
  /** Answers for many hosts: routes of a dialog take `?host=NAME`. */
  readonly isHub?: boolean;
  /** Serves the web console too; `ask` must be served. */
  readonly hasConsole?: boolean;
  /** Shorter times for tests; what is left out has the value of http/limits.ts. */
  readonly times?: Partial<ApiTimes>;
  /** More of them for tests, which have few addresses. */
  readonly requestsPerSecond?: number;
  /** Adds further routes, such as those of a feature that is built in. */
  readonly extend?: (app: App) => void;
};

export type ApiTimes = {
  readonly headerMs: number;
  readonly requestMs: number;
  readonly stalledMs: number;
  readonly unreadMs: number;
  readonly loopDelayMs: number;
  readonly loopSampleMs: number;
};

export type ApiServer = {
  /** Binds and returns `address:port` as bound. Throws a ServiceError that names the address and the remedy. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** The OpenAPI document of the routes this build has, as JSON text. */
  openApi(): string;
  /** The one of /ask, which must be served. */
  askOpenApi(): string;
  /** Ends within two seconds, whatever the clients do. */
  close(): Promise<void>;
};

export async function createApi(deps: ApiDeps): Promise<ApiServer> {
  const headerMs = deps.times?.headerMs ?? API_HEADER_MS;
  const requestMs = deps.times?.requestMs ?? API_REQUEST_MS;
  const server = createServer({
    keepAliveTimeout: API_KEEP_ALIVE_MS,
    requestTimeout: requestMs,
    headersTimeout: headerMs,
    connectionsCheckingInterval: Math.max(50, Math.min(1_000, headerMs / 4)),
    // Node would refuse a request without Host with an empty body; a hook does it with a problem.
    requireHostHeader: false,
  });
  // Else Node leaves out of those it hands on what comes after the first two thousand.
  server.maxHeadersCount = 0;
  const admission = createAdmission(server, {
    maxConnections: deps.maxConn,
    ...(deps.times?.stalledMs === undefined ? {} : { stalledMs: deps.times.stalledMs }),
    ...(deps.times?.unreadMs === undefined ? {} : { unreadMs: deps.times.unreadMs }),
    ...(deps.requestsPerSecond === undefined ? {} : { requestsPerSecond: deps.requestsPerSecond }),
  });
  const authentication = createAuthentication(deps.credentials ?? null, deps.mcp?.credentials, deps.hasConsole);
  const responses = new Map<number, number>();
  const countResponse = (status: number): void => {
    responses.set(status, (responses.get(status) ?? 0) + 1);
    if (status === 503) admission.want();
  };
  const unread = new UnreadAnswers();
  const app: App = Fastify({
    serverFactory(handler) {
      const listener = admission.guard(handler, countResponse);
      const access = failingClosed((request: IncomingMessage) => authentication.check(request), deps.onFault);
      answerWireEvents(server, admission, access, listener);
      return server.on('request', listener);
    },
    bodyLimit: API_BODY_BYTES,
    routerOptions: { maxParamLength: API_PARAM_CHARS },
    trustProxy: false,
    forceCloseConnections: 'idle',
    // Fastify's own answer while closing is not a problem body; the close below is bounded anyway.
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(admission),
    frameworkErrors: (error, request, reply) => {
      // The router refused before any hook ran, so their check is made here.
      sendProblem(request, reply, authentication.check(request.raw) ?? toProblem(error));
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false } },
    schemaErrorFormatter: (errors, part) => {
      const [first] = errors;
      const name = `${part}${first?.instancePath.replaceAll('/', '.') ?? ''}`;
      return new ProblemError(part === 'body' ? 'invalid-body' : 'invalid-parameter', `${name} ${first?.message}.`);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  readBodiesAsJson(app);

  const refusalOf = refusalsByRoute(app);
  if (deps.isHub === true) takeHosts(app);
  refuseUnknownKeys(app);

  // The order of the checks: rate and connections (in front of the router), load, credentials, what the request is.
  const shedder = createLoadShedder();
  const sampleMs = deps.times?.loopSampleMs ?? 1_000;
  await app.register(underPressure, {
    maxEventLoopDelay: deps.times?.loopDelayMs ?? API_LOOP_DELAY_MS,
    sampleInterval: sampleMs,
    pressureHandler: () => shedder.onPressure(),
  });
  const watch = faults.every(sampleMs, 'tick', () => shedder.sample(app.isUnderPressure()));
  watch.unref();
  app.addHook('onRequest', async (request) => {
    const refusal = authentication.check(request.raw, request.is404 ? undefined : request.routeOptions.url);
    if (refusal !== null) throw refusal;
  });
  app.addHook('onRequest', async (request, reply) => {
    const refusal = requestHeaderProblem(request.raw);
    if (refusal !== null) throw refusal;
    if (request.is404) throw refusalOf(request.method, request.url);
    const wrongType = request.method === 'POST' ? mediaTypeProblem(request.raw) : null;
    if (wrongType !== null) throw wrongType;
    askForBody(request.raw, reply.raw);
    // Of the routes' methods Fastify reads the body of POST alone.
    const tooLarge = request.method === 'POST' ? null : await ignoredBodyProblem(request.raw);
    if (tooLarge !== null) throw tooLarge;
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    // Fastify puts a charset after the type, which has no such parameter: JSON is UTF-8 (RFC 8259 §8.1, §11).
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8') {
      reply.header('content-type', 'application/json');
    }
    return payload;
  });
  limitUnreadAnswers(app, unread);
  app.addHook('onResponse', async (_request, reply) => {
    countResponse(reply.statusCode);
  });
  app.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = toProblem(error);
    if (problem.kind === 'internal') deps.onFault(error);
    return sendProblem(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, refusalOf(request.method, request.url)));

  const ownFamilies = (): MetricFamily[] => [
    countsOf(
      'calltap_api_responses_total',
      [...responses].map(([code, value]) => [String(code), value] as const),
    ),
    numberOf('calltap_api_answers_shed_total', unread.shed),
    ...admissionFamilies(admission.counts()),
    ...authentication.families(),
  ];
  const metrics = createMetricsPage({
    read: () => {
      const snapshot = deps.readers.metrics();
      return { ...snapshot, families: chained(snapshot.families, ownFamilies) };
    },
    ...deps.metrics,
    stateCase: 'lower',
    version: deps.version,
  });

  await addOpenApi(app, deps.credentials === undefined, deps.ask !== undefined);
  addServiceRoutes(app, metrics);
  addQuestions(app, 'v1', { ...deps, unread, told: () => undefined });
  addAudioRoute(app, { ...deps, unread });
  if (hasFeature('vcon')) addVconRoute(app, { ...deps, unread });
  if (hasFeature('peer')) addPeerRoutes(app, deps);
  addPersistenceRoutes(app, deps);
  addOpenApiRoute(app);
  const ask = deps.ask === undefined ? null : addAsk(app, { ...deps, unread }, authentication, admission.moved);
  const mcp = deps.mcp === undefined ? null : await agentProtocol(app, deps, deps.mcp);
  if (deps.hasConsole === true) addConsole(app);
  addEntrance(app, deps.hasConsole === true);
  deps.extend?.(app);
  addNotBuiltRoutes(app);
  await app.ready();

  return {
    listen: (address) => listen(app, address, deps.credentials !== undefined),
    openApi: () => openApiText(app),
    askOpenApi: () => openApiText(app, 'askSwagger'),
    async close() {
      ask?.close();
      mcp?.close();
      clearInterval(watch);
      admission.dropSilent();
      admission.close();
      const cut = setTimeout(() => app.server.closeAllConnections(), API_CLOSE_MS);
      await app.close();
      clearTimeout(cut);
    },
  };
}

/** Loaded only where it is asked for. */
async function agentProtocol(app: App, deps: ApiDeps, mcp: NonNullable<ApiDeps['mcp']>): Promise<{ close(): void }> {
  const { addMcp } = await import('../mcp/routes.ts');
  const whose = (authorization: readonly string[]): string => mcp.credentials?.nameOf(authorization) ?? 'loopback';
  return addMcp(app, { ...deps, whose, log: mcp.log });
}

/** Those of the capture first; ours are made when their turn comes. */
function* chained(families: Iterable<MetricFamily>, own: () => readonly MetricFamily[]): Generator<MetricFamily> {
  yield* families;
  yield* own();
}

function admissionFamilies(counts: AdmissionCounts): MetricFamily[] {
  return [
    numberOf('calltap_api_connections_refused_total', counts.refusedConnections),
    numberOf('calltap_api_connections_displaced_total', counts.displaced),
    numberOf('calltap_api_connections_stalled_total', counts.stalled),
    numberOf('calltap_api_rate_limited_total', counts.rateLimited),
    numberOf('calltap_api_rate_crowded_total', counts.crowded),
  ];
}

async function listen(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
  hasCredentials: boolean,
): Promise<string> {
  const given = endpointText(host, port);
  const address = await resolveHost(host);
  if (address === null) {
    throw failure('API_ADDRESS_UNKNOWN', { address: given });
  }
  if (!hasCredentials && !isLoopback(address)) {
    throw failure('API_BIND_NOT_LOOPBACK', { address: given });
  }
  try {
    warmUserPatterns();
    await app.listen({ host: address, port });
  } catch (error) {
    const reason = errnoOf(error) ?? String(error);
    throw failure('API_BIND_FAILED', { address: given, reason }, error);
  }
  // A TCP server that listens has an AddressInfo, never a pipe name.
  const bound = app.server.address() as AddressInfo;
  return endpointText(bound.address, bound.port);
}
