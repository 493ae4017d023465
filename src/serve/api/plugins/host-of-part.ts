/**
 * `?host=NAME` at a hub: of a dialog that several hosts saw, the part of this one. An agent has one host and does not know the key.
 */
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../../http/problem-error.ts';

const DIALOG = '/v1/dialogs/:call_id';
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Its hook runs before those of routes, which refuse keys that they do not know. */
export function takeHosts(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ routeOptions, query, params }) => {
    if (routeOptions.url?.startsWith(DIALOG) !== true || !isRecord(query) || query['host'] === undefined) return;
    const { host } = query;
    if (typeof host !== 'string' || !NAME.test(host))
      throw new ProblemError('invalid-parameter', 'host is the name of one host: letters, digits and . _ -');
    delete query['host'];
    if (isRecord(params)) params['call_id'] = `host:${host}:${String(params['call_id'])}`;
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
