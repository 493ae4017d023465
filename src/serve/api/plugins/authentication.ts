/** Which routes need credentials, and the 401 of a request that does not have them. */

import type { IncomingMessage } from 'node:http';
import type { MetricFamily } from '../../../view/metrics/family.ts';
import { countsOf } from '../../../view/metrics/family.ts';
import type { ApiCredentials, BearerRefusal } from '../../auth/api-credentials.ts';
import { foreignPageProblem, foreignSiteProblem, openAccessProblem } from '../../http/open-access.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { requestPath } from '../../http/request-header.ts';

export type Authentication = {
  /**
   * Why this request is refused, or null. `route` is the pattern of the route that took it; absent when none did: an
   * address that nobody serves needs credentials like any other, and `/health` needs none whatever the method.
   */
  check(request: IncomingMessage, route?: string): ProblemError | null;
  families(): MetricFamily[];
};

/** The one address that is open to everybody. */
const OPEN = '/health';

/** The routes of the console: files without data. Their patterns, so that an address nobody serves is none of them. */
const PAGE = /^\/console(?:$|\/)/;
/** Where it leads to the console it is a page of it; else it needs credentials like all else. */
const ENTRANCE = '/';

/** The one route that a token of scope `metrics` reaches. */
const METRICS = '/metrics';

type Refusal = BearerRefusal | 'out-of-scope';

/** What the client may know. The claims of a token are shown only after its signature was verified. */
const DETAILS = {
  missing: 'Send the header Authorization: Bearer with a key or a token.',
  malformed: 'The credentials are not well-formed.',
  'other-scheme': 'Only the scheme Bearer is taken.',
  unknown: 'The key is not accepted.',
  'bad-signature': 'The token is not signed with a key of this service.',
  'unknown-scope': 'The token has a scope this service does not know.',
  'wrong-audience': 'The token is for another service.',
  expired: 'The token has expired.',
  revoked: 'The token is revoked.',
  'out-of-scope': 'The token reaches /metrics only.',
} as const satisfies Record<Refusal, string>;

/** The agent protocol: its tokens are its own. */
const MCP = '/mcp';
const FOR_AGENTS: Readonly<Record<Refusal, string>> = {
  ...DETAILS,
  missing: 'Send the header Authorization: Bearer with a token for MCP (calltap --mint-token).',
  unknown: 'MCP takes tokens of its own (calltap --mint-token), and no key.',
};

/**
 * `leadsToConsole`: the entrance does. Without credentials the listener is on loopback, and serves whom open-access.ts lets through. `agents` are the credentials
 * of the agent protocol, null without some; absent where it is not served.
 */
export function createAuthentication(
  credentials: ApiCredentials | null,
  agents?: ApiCredentials | null,
  leadsToConsole = false,
): Authentication {
  const refused = new Map<Refusal, number>();
  const refuse = (reason: Refusal, details: Readonly<Record<Refusal, string>> = DETAILS): ProblemError => {
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
    // RFC 9110 §11.6.1: a 401 names the scheme to use.
    return new ProblemError('unauthorized', details[reason], { 'www-authenticate': 'Bearer' });
  };
  return {
    check(request, route) {
      const path = route ?? requestPath(request.url ?? '');
      if (path === OPEN) return null;
      const isPage = route !== undefined && (PAGE.test(route) || (leadsToConsole && route === ENTRANCE));
      const foreign = foreignSiteProblem(request, isPage);
      if (foreign !== null) return foreign;
      if (isPage) return credentials === null ? openAccessProblem(request) : null;
      const isAgent = agents !== undefined && path === MCP;
      const asked = isAgent ? agents : credentials;
      if (asked === null) return openAccessProblem(request);
      const scope = asked.check(request.headersDistinct['authorization'] ?? []);
      if (!scope.ok) return refuse(scope.reason, isAgent ? FOR_AGENTS : DETAILS);
      // A page that a browser shows has no business there, whatever it holds.
      if (isAgent) return scope.value === 'full' ? foreignPageProblem(request) : refuse('out-of-scope');
      return scope.value === 'full' || route === METRICS ? null : refuse('out-of-scope');
    },
    families: () => [countsOf('calltap_api_unauthorized_total', [...refused])],
  };
}
