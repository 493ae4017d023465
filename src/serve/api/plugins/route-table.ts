/** Tells an address nobody serves (404) from one that does not take the method (405, with Allow). */

import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../../http/problem-error.ts';
import { requestPath } from '../../http/request-header.ts';

/** Gives the refusal of a request that no route took. To be called before the routes, since it learns them as they are added. */
export function refusalsByRoute(app: FastifyInstance): (method: string, url: string) => ProblemError {
  const routes = new Map<string, { segments: readonly string[]; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const entry = routes.get(url) ?? { segments: url.split('/'), methods: new Set<string>() };
    for (const each of [method].flat()) entry.methods.add(each);
    routes.set(url, entry);
  });
  return (method, url) => {
    const segments = requestPath(url).split('/');
    for (const route of routes.values()) {
      if (!matches(route.segments, segments)) continue;
      const allow = [...route.methods].sort().join(', ');
      return new ProblemError('method-not-allowed', `${method} is not taken here; ${allow} is.`, { allow });
    }
    const [first = ''] = segments.slice(1);
    const option = isServed(routes.keys(), first) ? undefined : SWITCHES.get(first);
    const detail =
      option === undefined ? 'Nothing is served at this address.' : `Start calltap with ${option} for this.`;
    return new ProblemError('not-found', detail);
  };
}

/** What an option adds to the API, by the first part of its addresses. */
const SWITCHES: ReadonlyMap<string, string> = new Map([
  ['ask', '--ask'],
  ['console', '--console'],
  ['mcp', '--mcp'],
]);

function isServed(urls: Iterable<string>, first: string): boolean {
  for (const url of urls) if (url === `/${first}` || url.startsWith(`/${first}/`)) return true;
  return false;
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((segment, i) => (segment.startsWith(':') ? path[i] !== '' : segment === path[i]))
  );
}
