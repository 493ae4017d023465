/** Routes of the interface whose feature this build may lack: each then answers 404 and says so. */

import { ProblemError } from '../../http/problem-error.ts';
import type { App } from './route.ts';

const BY_FEATURE: readonly (readonly ['GET' | 'POST', string, string])[] = [
  ['GET', '/v1/dialogs/:call_id/vcon', 'vCon export'],
  ['GET', '/v1/peer/status', 'the peer'],
  ['GET', '/v1/peer/banned', 'the peer'],
  ['GET', '/v1/peer/dropped', 'the peer'],
  ['GET', '/v1/peer/labels', 'the peer'],
  ['POST', '/v1/peer/ban', 'the peer'],
  ['POST', '/v1/peer/unban', 'the peer'],
];

/** To be called after all others: what they added is built. */
export function addNotBuiltRoutes(app: App): void {
  for (const [method, url, feature] of BY_FEATURE) {
    if (app.hasRoute({ method, url })) continue;
    app.route({
      method,
      url,
      schema: { hide: true },
      // Before the body is read: what it holds cannot matter.
      onRequest: async () => {
        throw new ProblemError('not-found', `This build does not have ${feature}.`);
      },
      handler: async () => undefined,
    });
  }
}
