/** Routes of the interface whose feature is not in this build: each answers 404 and says so. */

import { ProblemError } from '../problem.ts';
import type { App } from './route.ts';

const NOT_BUILT: readonly (readonly ['GET' | 'POST', string, string])[] = [
  ['GET', '/v1/dialogs/:call_id/audio', 'audio export'],
];

export function addNotBuiltRoutes(app: App): void {
  for (const [method, url, feature] of NOT_BUILT) {
    app.route({
      method,
      url,
      schema: { hide: true },
      // Before the body is read: what it holds cannot matter.
      onRequest: async () => {
        throw new ProblemError('not-built', `This build does not have ${feature}.`);
      },
      handler: async () => undefined,
    });
  }
}
