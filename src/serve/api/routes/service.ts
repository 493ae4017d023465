/** GET /health and /metrics: the service about itself. /v1/persistence: the gate in front of what reaches disk. */

import type { TSchema, TString } from 'typebox';
import { Type } from 'typebox';
import { Persistence, PersistenceRequest, ref } from '../../../contract/index.ts';
import type { MetricsPage } from '../../metrics/registry.ts';
import type { App, RouteDeps } from './route.ts';
import { actionRefusals, answer, guardedRefusals, openRefusals, refusals } from './route.ts';

export function addServiceRoutes(app: App, metrics: MetricsPage): void {
  app.get(
    '/health',
    {
      schema: {
        operationId: 'health',
        summary: 'Answers ok while the service runs',
        tags: ['service'],
        security: [],
        response: { 200: textAnswer('The text `ok`.'), ...openRefusals() },
      },
    },
    async (_request, reply) => reply.type('text/plain; charset=utf-8').send('ok'),
  );

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'getMetrics',
        summary: 'Metrics in the Prometheus text format',
        tags: ['service'],
        response: { 200: textAnswer('The metrics page.', Type.Unsafe<Buffer>(Type.String())), ...guardedRefusals() },
      },
    },
    async ({ headers }, reply) => {
      const { contentType, body } = await metrics.render(headers.accept);
      return reply.type(contentType).send(body);
    },
  );
}

/** A text that is made as bytes has a schema of its own. */
function textAnswer<T extends TSchema = TString>(description: string, schema?: T) {
  return { description, content: { 'text/plain': { schema: schema ?? Type.String() } } };
}

export function addPersistenceRoutes(app: App, { readers }: RouteDeps): void {
  app.get(
    '/v1/persistence',
    {
      schema: {
        operationId: 'getPersistence',
        summary: 'Whether captured content may reach disk',
        tags: ['persistence'],
        response: { 200: answer('The gate at this moment.', Persistence), ...refusals() },
      },
    },
    async () => readers.persistence(),
  );

  app.post(
    '/v1/persistence',
    {
      schema: {
        operationId: 'setPersistence',
        summary: 'Stops writing, or resumes it as far as the command line allows',
        tags: ['persistence'],
        body: ref(PersistenceRequest),
        response: {
          200: answer('The gate as it is now.', Persistence),
          ...actionRefusals(),
        },
      },
    },
    async ({ body }) => readers.setPersistence(body.enabled),
  );
}
