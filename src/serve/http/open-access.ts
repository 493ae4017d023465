/**
 * Whom a listener without credentials serves: programs of this host that mean this service, and no page that a browser
 * here happens to show. A name that leads to a loopback address (DNS rebinding) is the way such a page would read calls.
 */

import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { isLoopback } from '../../core/bind.ts';
import { ProblemError } from './problem-error.ts';
import { hostProblem, targetAuthority } from './request-header.ts';

/** What a proxy puts on a request. Behind one, everybody comes from this host. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded(?:-.*)?)$/;

/** Fetch metadata of what a page of this origin, or the user, asked for; and of a page of this site, which may only read. */
const OWN_ORIGIN: readonly string[] = ['same-origin', 'none'];
const OWN_SITE: readonly string[] = [...OWN_ORIGIN, 'same-site'];

const REMEDY = 'or start with --api-key or, for --metrics, --metrics-auth';

/** Why the request is refused where no credentials are configured, or null. */
export function openAccessProblem(request: IncomingMessage): ProblemError | null {
  const malformed = hostProblem(request);
  if (malformed !== null) return malformed;
  const host = request.headers.host ?? '';
  // Of the two names that a target in absolute form makes, the target's counts (RFC 9112 §3.2.2); neither may be foreign.
  if (![host, targetAuthority(request.url ?? '') ?? host].every(isOwnHost)) {
    return new ProblemError('foreign-host', `Ask for a loopback address or localhost, ${REMEDY}.`);
  }
  if (Object.keys(request.headers).some((name) => FORWARDED.test(name))) {
    return new ProblemError('forwarded', `A proxy in front of this service serves others: ask directly, ${REMEDY}.`);
  }
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  // Where the site of the page is said, foreignSiteProblem has judged it. A WebSocket says its origin alone.
  const isJudged = isRead && request.headers['sec-fetch-site'] !== undefined;
  return isJudged || isOfOwnPage(request, host) ? null : new ProblemError('foreign-origin');
}

/**
 * Why a request that a page of another site made is refused, or null: whether it succeeds, how long it takes and what it starts
 * must tell that page nothing. To be asked before anything that depends on credentials or on calls. `isPage`: a person may
 * have followed a link to it.
 */
export function foreignSiteProblem({ headers }: IncomingMessage, isPage = false): ProblemError | null {
  const site = headers['sec-fetch-site'];
  // Programs and old browsers do not say it. Two of them are one word that is none of these.
  if (site === undefined || OWN_SITE.includes(String(site))) return null;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isPage && isLink ? null : new ProblemError('foreign-origin');
}

/** Why a request of a page of another origin is refused, or null; programs send no Origin. */
export function foreignPageProblem({ headers }: IncomingMessage): ProblemError | null {
  const { origin, host = '' } = headers;
  if (origin === undefined) return null;
  // TLS may have ended in front of this service.
  return [`http://${host}`, `https://${host}`].includes(origin) ? null : new ProblemError('foreign-origin');
}

/** RFC 9110 §7.2 and RFC 6761 §6.3. Listeners without credentials are bound to loopback, so that is any address bound. */
function isOwnHost(host: string): boolean {
  const name = host.replace(/:[0-9]*$/, '').toLowerCase();
  if (name === 'localhost' || name === 'localhost.') return true;
  const [, literal] = /^\[(.*)\]$/.exec(name) ?? [];
  return literal === undefined ? !isIPv6(name) && isLoopback(name) : isIPv6(literal) && isLoopback(literal);
}

/** Programs send neither header. A page sends both, or one of them if it is old. */
function isOfOwnPage({ headersDistinct }: IncomingMessage, host: string): boolean {
  // A port that is none makes no origin, and no page has it.
  const own = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).origin : null;
  return (
    (headersDistinct['origin'] ?? []).every((origin) => origin.toLowerCase() === own) &&
    (headersDistinct['sec-fetch-site'] ?? []).every((site) => OWN_ORIGIN.includes(site))
  );
}
