/** What the header of a request alone decides, on every listener and before any handler runs. */

import type { IncomingMessage } from 'node:http';
import { API_BODY_BYTES } from './limits.ts';
import { ProblemError } from './problem-error.ts';

/** RFC 9110 §7.2: `uri-host [ ":" port ]`, which may be empty. */
const HOST = /^(?:\[[0-9A-Za-z:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/;

/**
 * The refusal of HTTP/1.1 without Host, of any request with two of them or with an invalid one (RFC 9112 §3.2), and of
 * a target that names a user (RFC 9110 §4.2.4); else null.
 */
export function hostProblem({ headersDistinct, httpVersion, url = '' }: IncomingMessage): ProblemError | null {
  const hosts = headersDistinct['host'] ?? [];
  if (hosts.length === 0 && httpVersion === '1.1') {
    return new ProblemError('bad-request', 'The request has no Host header.');
  }
  if (hosts.length > 1) return new ProblemError('bad-request', 'The request has more than one Host header.');
  if (!HOST.test(hosts[0] ?? '')) return new ProblemError('bad-request', 'The Host header names no host.');
  if (HOST.test(targetAuthority(url) ?? '')) return null;
  return new ProblemError('bad-request', 'The address of the request names no host.');
}

/**
 * The refusal of a request with an invalid Host, of a body over the limit on any route, and of a body in a coding that
 * nothing here undoes (RFC 9110 §8.4); else null.
 */
export function requestHeaderProblem(request: IncomingMessage): ProblemError | null {
  const { headers } = request;
  const malformed = hostProblem(request);
  if (malformed !== null) return malformed;
  if (Number(headers['content-length'] ?? 0) > API_BODY_BYTES) {
    return new ProblemError('body-too-large', `The body may have ${API_BODY_BYTES} bytes.`);
  }
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') {
    return new ProblemError('unsupported-media-type', 'Send the body without a content coding.');
  }
  return null;
}

/** The refusal of a body that is not said to be JSON; a request without a body is refused for that. */
export function mediaTypeProblem({ headers }: IncomingMessage): ProblemError | null {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return null;
  if (/^application\/json[\t ]*(?:;|$)/i.test(headers['content-type'] ?? '')) return null;
  return new ProblemError('unsupported-media-type', 'Send the body as application/json.');
}

/** Host and port of a request target in absolute form, which browsers send to proxies alone; null for any other. */
export function targetAuthority(target: string): string | null {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1] ?? null;
}

/** The path of a request target in origin form or in absolute form (RFC 9112 §3.2), still escaped. */
export function requestPath(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}
