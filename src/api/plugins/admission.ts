/** Who is answered at all: the request rate of a source address, then the number of connections. Both answer 503. */

import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { API_RATE_SOURCES, API_REQUESTS_PER_SECOND, API_SURPLUS_CONN, API_SURPLUS_MS } from '../../core/limits.ts';
import { endWithProblem, ProblemError } from '../problem.ts';

export type Admission = {
  /** Why this request is refused before anything else is looked at, or null. */
  check(request: FastifyRequest): Promise<ProblemError | null>;
  /** Connections that were closed without serving a request. */
  refusedConnections(): number;
  /** Ends connections that never sent a byte; the server cannot tell them from busy ones. */
  dropSilent(): void;
};

/** Must be registered before any hook, so that its check can be the first. */
export async function createAdmission(app: FastifyInstance, maxConnections: number): Promise<Admission> {
  // The plugin's own hook is a route hook and would run after authentication; only its counter is used.
  await app.register(rateLimit, { global: false, cache: API_RATE_SOURCES });
  const takeBudget = app.createRateLimit({
    max: API_REQUESTS_PER_SECOND,
    timeWindow: 1_000,
    keyGenerator: (request: FastifyRequest) => request.socket.remoteAddress ?? '',
  });
  const open = new Set<Socket>();
  const surplus = new WeakSet<Socket>();
  let refused = 0;

  app.server.on('connection', (socket: Socket) => {
    if (open.size >= maxConnections + API_SURPLUS_CONN) {
      refused++;
      endWithProblem(socket, connectionLimit(maxConnections));
      return;
    }
    if (open.size >= maxConnections) {
      refused++;
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
    async check(request) {
      const budget = await takeBudget(request);
      if (!budget.isAllowed && budget.isExceeded) {
        return new ProblemError('rate-limited', `The limit is ${API_REQUESTS_PER_SECOND} requests a second.`, {
          'retry-after': '1',
        });
      }
      return surplus.has(request.socket) ? connectionLimit(maxConnections) : null;
    },
    refusedConnections: () => refused,
    dropSilent() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

function connectionLimit(maxConnections: number): ProblemError {
  return new ProblemError('connection-limit', `The limit is ${maxConnections} connections.`, {
    connection: 'close',
    'retry-after': '1',
  });
}
