/** Who is answered at all: the request rate of a source address, then the number of connections. Both answer 503. */

import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { API_REQUESTS_PER_SECOND, API_SURPLUS_CONN, API_SURPLUS_MS } from '../../core/limits.ts';
import { stopListening } from '../../http/deaf-socket.ts';
import { endResponse, endWithProblem, ProblemError } from '../../http/problem-error.ts';
import { SourceBudget } from '../../http/source-budget.ts';
import type { MetricFamily } from '../../metrics/snapshot.ts';

export type Admission = {
  /** The listener for requests: those that are admitted go on to `next`, of the others `onRefused` is told the status. */
  guard(next: RequestListener, onRefused: (status: number) => void): RequestListener;
  /** Why this request is refused before anything else is looked at, or null. To be asked once a request. */
  check(socket: Socket): ProblemError | null;
  /** Ends connections that never sent a byte; the server cannot tell them from busy ones. */
  dropSilent(): void;
  /** Stops looking after stalled connections. */
  close(): void;
  families(): MetricFamily[];
};

/**
 * Milliseconds in which a connection must have a request admitted or an answer sent. Above every other time of a
 * request; it ends clients that ask and never read, or that keep an idle connection alive with a blank line now and then.
 */
const STALLED_MS = 60_000;

type Connection = {
  readonly address: string;
  /** When it last got on, by the monotonic clock. */
  movedMs: number;
  /** Requests that were admitted and are not answered yet. */
  active: number;
  /** Beyond the limit of connections: its request is answered with 503. */
  readonly isSurplus: boolean;
  /** Of a source that floods: nothing more is read, and the answers that are on their way are the last ones. */
  isDeaf: boolean;
};

export function createAdmission(server: Server, maxConnections: number, stalledMs: number = STALLED_MS): Admission {
  const budget = new SourceBudget();
  const open = new Map<Socket, Connection>();
  let refusedConnections = 0;
  let refusedRequests = 0;
  let stalled = 0;

  const watch = setInterval(
    () => {
      const since = performance.now() - stalledMs;
      for (const [socket, { movedMs }] of open) {
        if (movedMs >= since) continue;
        stalled++;
        socket.destroy();
      }
    },
    Math.min(1_000, stalledMs / 4),
  );
  watch.unref();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const isFlood = budget.isFlooding(address);
    if (isFlood || open.size >= maxConnections + API_SURPLUS_CONN) {
      refusedConnections++;
      if (isFlood) stopListening(socket);
      endWithProblem(socket, isFlood ? rateLimited() : connectionLimit(maxConnections));
      return;
    }
    const isSurplus = open.size >= maxConnections;
    if (isSurplus) {
      refusedConnections++;
      // The answer waits for the request: a client that is still sending would lose an earlier one.
      const timer = setTimeout(() => endWithProblem(socket, connectionLimit(maxConnections)), API_SURPLUS_MS);
      timer.unref();
      socket.once('close', () => clearTimeout(timer));
    }
    open.set(socket, { address, movedMs: performance.now(), active: 0, isSurplus, isDeaf: false });
    socket.once('close', () => open.delete(socket));
  });

  /**
   * Stops reading from all connections of a source, so that what it has sent ahead stays in the kernel. Refusing a
   * flood of pipelined requests one by one took seconds of one turn of the loop, and nobody else was heard meanwhile.
   */
  function deafen(address: string): void {
    for (const [socket, connection] of open) {
      if (connection.address !== address || connection.isDeaf) continue;
      connection.isDeaf = true;
      stopListening(socket);
      // The 503 is the answer to the request that is not read any more.
      if (connection.active === 0) endWithProblem(socket, rateLimited());
    }
  }

  function check(socket: Socket): ProblemError | null {
    const connection = open.get(socket);
    if (connection !== undefined) connection.movedMs = performance.now();
    const address = connection?.address ?? socket.remoteAddress ?? '';
    const verdict = budget.take(address);
    if (verdict === 'admitted') return connection?.isSurplus === true ? connectionLimit(maxConnections) : null;
    refusedRequests++;
    if (verdict === 'over') return rateLimited();
    if (connection !== undefined) connection.isDeaf = true;
    stopListening(socket);
    deafen(address);
    return rateLimited({ connection: 'close' });
  }

  return {
    check,
    guard: (next, onRefused) => (request, response) => {
      const { socket } = request;
      const connection = open.get(socket);
      // Requests that arrived in one piece with the one that ended the connection.
      if (connection === undefined || connection.isDeaf) return;
      const refusal = check(socket);
      if (refusal !== null) {
        endResponse(response, refusal);
        onRefused(response.statusCode);
        return;
      }
      connection.active++;
      response.once('close', () => {
        connection.active--;
        connection.movedMs = performance.now();
        if (connection.isDeaf && connection.active === 0) endWithProblem(socket, rateLimited());
      });
      next(request, response);
    },
    dropSilent() {
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    close() {
      clearInterval(watch);
    },
    families: () => [
      counter('calltap_api_connections_refused_total', 'Connections beyond the limit.', refusedConnections),
      counter('calltap_api_connections_stalled_total', 'Connections cut because nothing got on.', stalled),
      counter('calltap_api_rate_limited_total', 'Requests beyond the rate of their source.', refusedRequests),
      counter(
        'calltap_api_rate_sources_forgotten_total',
        'Sources whose second began anew because too many others asked.',
        budget.forgotten,
      ),
    ],
  };
}

function counter(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: 'counter', labelNames: [], samples: [{ labels: {}, value }] };
}

function rateLimited(headers: Readonly<Record<string, string>> = {}): ProblemError {
  return new ProblemError('rate-limited', `The limit is ${API_REQUESTS_PER_SECOND} requests a second.`, {
    'retry-after': '1',
    ...headers,
  });
}

function connectionLimit(maxConnections: number): ProblemError {
  return new ProblemError('connection-limit', `The limit is ${maxConnections} connections.`, {
    connection: 'close',
    'retry-after': '1',
  });
}
