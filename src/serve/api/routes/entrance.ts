/**
 * What somebody finds who asks for the service itself: `/` leads to the console, or says how to switch it on. As a way to the
 * console it needs no credentials (api/plugins/authentication.ts).
 */
import type { App } from './route.ts';

const WITHOUT_CONSOLE = `This is the API of calltap: /openapi.json has its routes.
There is no console here: start calltap with --console beside --api, and it is at /console/.
`;

export function addEntrance(app: App, hasConsole: boolean): void {
  // For now: another start may have no console.
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    hasConsole ? reply.redirect('console/', 307) : reply.type('text/plain; charset=utf-8').send(WITHOUT_CONSOLE),
  );
}
