/** GET and POST /v1/persistence: the gate in front of what reaches disk. */

import { Persistence, PersistenceRequest, ref } from '../../../contract/index.ts';
import type { App, RouteDeps } from './route.ts';
import { actionRefusals, answer, refusals } from './route.ts';

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
