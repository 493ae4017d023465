/** Who is answered at all: the request rate of a source address, then the number of connections. Both answer 503. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SourceBudget } from '../../auth/source-budget.ts';
import { API_REQUESTS_PER_SECOND, API_SURPLUS_CONN, API_SURPLUS_MS } from '../../core/limits.ts';
import type { MetricFamily } from '../../metrics/snapshot.ts';
import { endWithProblem, ProblemError } from '../problem.ts';

export type Admission = {
  /** Why this request is refused before anything else is looked at, or null. To be asked once a request. */
  check(socket: Socket): ProblemError | null;
  /** Ends connections that never sent a byte; the server cannot tell them from busy ones. */
  dropSilent(): void;
  families(): MetricFamily[];
};

export function createAdmission(server: Server, maxConnections: number): Admission {
  const budget = new SourceBudget();
  const open = new Set<Socket>();
  const surplus = new WeakSet<Socket>();
  let refusedConnections = 0;
  let refusedRequests = 0;

  server.on('connection', (socket: Socket) => {
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
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });

  return {
    check(socket) {
      if (!budget.take(socket.remoteAddress ?? '')) {
        refusedRequests++;
        return new ProblemError('rate-limited', `The limit is ${API_REQUESTS_PER_SECOND} requests a second.`, {
          'retry-after': '1',
        });
      }
      return surplus.has(socket) ? connectionLimit(maxConnections) : null;
    },
    dropSilent() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
    families: () => [
      counter('calltap_api_connections_refused_total', 'Connections beyond the limit.', refusedConnections),
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

function connectionLimit(maxConnections: number): ProblemError {
  return new ProblemError('connection-limit', `The limit is ${maxConnections} connections.`, {
    connection: 'close',
    'retry-after': '1',
  });
}
