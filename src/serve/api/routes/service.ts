/** GET /health, GET /v1/stats, GET /metrics: the service about itself. */

import { Type } from 'typebox';
import { Stats } from '../../../contract/index.ts';
import type { MetricsPage } from '../../metrics/registry.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, openRefusals, refusals } from './route.ts';

export function addServiceRoutes(app: App, { readers }: RouteDeps, metrics: MetricsPage): void {
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
    '/v1/stats',
    {
      schema: {
        operationId: 'getStats',
        summary: 'What the capture holds and what it lost',
        tags: ['service'],
        response: { 200: answer('Counts of this moment.', Stats), ...refusals() },
      },
    },
    async () => readers.stats(),
  );

  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'getMetrics',
        summary: 'Metrics in the Prometheus text format',
        tags: ['service'],
        response: { 200: textAnswer('The metrics page.'), ...refusals() },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()),
  );
}

function textAnswer(description: string) {
  return { description, content: { 'text/plain': { schema: Type.String() } } };
}
