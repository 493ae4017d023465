/**
 * Adds `/ask`: the rich questions of the port over HTTP, behind the same credentials, limits and rules as `/v1`.
 */
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { addOpenApiRoute } from '../api/openapi.ts';
import type { Authentication } from '../api/plugins/authentication.ts';
import type { App } from '../api/routes/route.ts';
import { refusals } from '../api/routes/route.ts';
import type { ApiCredentials } from '../auth/api-credentials.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { AskDeps } from './asking.ts';
import { addCallRoutes } from './calls.ts';
import { ChangeStreams } from './changes.ts';
import { addListRoutes } from './lists.ts';

type Deps = Pick<AskDeps, 'readers' | 'maxRows' | 'unread'> & {
  readonly credentials?: ApiCredentials;
  readonly ask?: { readonly log: (line: string) => void };
};

/** `onMoved` is told of connections that got something although their answer continues. */
export function addAsk(
  app: App,
  { readers, maxRows, unread, credentials, ask }: Deps,
  authentication: Authentication,
  onMoved: (socket: Socket) => void,
): { close(): void } {
  const deps: AskDeps = {
    readers,
    maxRows,
    unread,
    whose: ({ raw }: FastifyRequest) => credentials?.nameOf(raw.headersDistinct['authorization'] ?? []) ?? 'loopback',
    log: ask?.log ?? (() => undefined),
  };
  addListRoutes(app, deps);
  addCallRoutes(app, deps);
  addOpenApiRoute(app, 'askSwagger');
  const streams = new ChangeStreams(readers, onMoved);
  app.get(
    '/ask/changes',
    {
      schema: {
        operationId: 'askChanges',
        summary: 'Calls as they change: server-sent events `change` (a list row) and `resync` (read the list again)',
        tags: ['ask'],
        response: {
          200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
          ...refusals(),
        },
      },
    },
    async (request, reply) => {
      const { raw } = request;
      if (raw.method === 'HEAD') return reply.type('text/event-stream').header('cache-control', 'no-store').send('');
      const mayRead = (): boolean => authentication.check(raw, '/ask/changes') === null;
      if (streams.add(reply.raw, mayRead)) return reply.hijack();
      throw new ProblemError('overloaded', 'Too many read changes; try again later.', { 'retry-after': '5' });
    },
  );
  return { close: () => streams.close() };
}
