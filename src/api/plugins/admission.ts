/** Who is answered at all: the request rate of a source address, then the number of connections. Both answer 503. */

import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { SourceBudget } from '../../auth/source-budget.ts';
import { API_REQUESTS_PER_SECOND, API_SURPLUS_CONN, API_SURPLUS_MS } from '../../core/limits.ts';
import type { MetricFamily } from '../../metrics/snapshot.ts';
import { endResponse, endWithProblem, ProblemError } from '../problem.ts';

export type Admission = {
  /** The listener for requests: those that are admitted go on to `next`, of the others `onRefused` is told the status. */
  guard(next: RequestListener, onRefused: (status: number) => void): RequestListener;
  /** Why this request is refused before anything else is looked at, or null. To be asked once a request. */
  check(socket: Socket): ProblemError | null;
  /** To be told when an answer of this connection has been sent. */
  answered(socket: Socket): void;
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

export function createAdmission(server: Server, maxConnections: number, stalledMs: number = STALLED_MS): Admission {
  const budget = new SourceBudget();
  /** When each open connection last got on, by the monotonic clock. */
  const open = new Map<Socket, number>();
  const surplus = new WeakSet<Socket>();
  /** Connections of a flood: their last answer is on its way, and nothing more is read from them. */
  const deaf = new WeakSet<Socket>();
  let refusedConnections = 0;
  let refusedRequests = 0;
  let stalled = 0;

  const watch = setInterval(
    () => {
      const since = performance.now() - stalledMs;
      for (const [socket, movedMs] of open) {
        if (movedMs >= since) continue;
        stalled++;
        socket.destroy();
      }
    },
    Math.min(1_000, stalledMs / 4),
  );
  watch.unref();

  server.on('connection', (socket: Socket) => {
    if (budget.isFlooding(socket.remoteAddress ?? '')) {
      refusedConnections++;
      deafen(socket);
      endWithProblem(socket, rateLimited());
      return;
    }
    if (open.size >= maxConnections + API_SURPLUS_CONN) {
      refusedConnections++;
      endWithProblem(socket, connectionLimit(maxConnections));
      return;
    }
    if (open.size >= maxConnections) {
      refusedConnections++;
      surplus.add(socket);
      // The answer waits for the request: a client that is still sending would lose an earlier one.
      const timer = setTimeout(() => endWithProblem(socket, connectionLimit(maxConnections)), API_SURPLUS_MS);
      timer.unref();
      socket.once('close', () => clearTimeout(timer));
    }
    open.set(socket, performance.now());
    socket.once('close', () => open.delete(socket));
  });

  function moved(socket: Socket): void {
    if (open.has(socket)) open.set(socket, performance.now());
  }

  /** Stops reading, so that what a flood has sent ahead stays in the kernel and costs nothing here. */
  function deafen(socket: Socket): void {
    deaf.add(socket);
    socket.pause();
  }

  function check(socket: Socket): ProblemError | null {
    moved(socket);
    const verdict = budget.take(socket.remoteAddress ?? '');
    if (verdict === 'admitted') return surplus.has(socket) ? connectionLimit(maxConnections) : null;
    refusedRequests++;
    if (verdict === 'over') return rateLimited();
    deafen(socket);
    return rateLimited({ connection: 'close' });
  }

  return {
    check,
    guard: (next, onRefused) => (request, response) => {
      // Requests that arrived in one piece with the one that was refused for good.
      if (deaf.has(request.socket)) return;
      const refusal = check(request.socket);
      if (refusal === null) {
        next(request, response);
        return;
      }
      endResponse(response, refusal);
      onRefused(response.statusCode);
    },
    answered: moved,
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
