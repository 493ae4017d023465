/**
 * Refuses a query key that a route of /v1 does not know. A client with a misspelt filter would else take all rows for the
 * filtered ones. /v1 is the contract and filters no further, so the refusal says where richer questions are answered.
 */

import type { FastifyInstance } from 'fastify';
import { quoted } from '../../../config/option-value.ts';
import { ProblemError } from '../../http/problem-error.ts';

const PREFIX = '/v1/';

/** To be called before the routes: their declared parameters are the known ones. */
export function refuseUnknownKeys(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith(PREFIX)) return;
    const known = keysOf(route.schema?.querystring);
    route.preValidation = [
      ...[route.preValidation ?? []].flat(),
      async ({ query }) => {
        const unknown = Object.keys(query ?? {}).find((key) => !known.includes(key));
        if (unknown !== undefined) throw new ProblemError('invalid-parameter', refusal(unknown, known));
      },
    ];
  });
}

function keysOf(schema: unknown): readonly string[] {
  const hasProperties = typeof schema === 'object' && schema !== null && 'properties' in schema;
  return hasProperties ? Object.keys(schema.properties ?? {}) : [];
}

function refusal(unknown: string, known: readonly string[]): string {
  const takes = known.length === 0 ? 'no parameters' : `only ${known.join(', ')}`;
  return `${quoted(unknown)} is unknown: this route takes ${takes}. Ask richer questions at /ask (--ask).`;
}
