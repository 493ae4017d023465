/** Every answer of 400 and above: an RFC 9457 problem whose `type` a client branches on. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { named } from './schema.ts';

/** Problem kinds: the one list of code and document. `type` is `urn:calltap:problem:<kind>`. */
export const PROBLEMS = {
  'bad-request': { status: 400, title: 'The request is not well-formed' },
  'invalid-parameter': { status: 400, title: 'A parameter is unknown or has a value this service does not accept' },
  'too-wide': { status: 400, title: 'The question reads more than one answer may' },
  'invalid-body': { status: 400, title: 'The request body is not what this route takes' },
  unauthorized: { status: 401, title: 'Credentials are missing or not accepted' },
  'foreign-host': { status: 403, title: 'The request names another host than this one' },
  'foreign-origin': { status: 403, title: 'A page of another site sent the request' },
  forwarded: { status: 403, title: 'The request came through a proxy' },
  'not-found': { status: 404, title: 'There is no such resource' },
  'method-not-allowed': { status: 405, title: 'The resource does not take this method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'body-too-large': { status: 413, title: 'The request body is larger than 1 MiB' },
  'uri-too-long': { status: 414, title: 'The address of the request is too long' },
  'unsupported-media-type': { status: 415, title: 'The request body is not application/json' },
  'expectation-failed': { status: 417, title: 'The expectation of the request cannot be met' },
  'no-audio': { status: 422, title: 'The dialog has no audio that can be decoded' },
  'no-scenario': { status: 422, title: 'The call has nothing that SIPp can replay' },
  'no-capture': { status: 422, title: 'There is no capture of the call to be sent' },
  'headers-too-large': { status: 431, title: 'The request header is too large' },
  internal: { status: 500, title: 'The service failed to answer' },
  'peer-failed': { status: 502, title: 'The peer program failed' },
  'rate-limited': { status: 503, title: 'Too many requests from this address' },
  'connection-limit': { status: 503, title: 'Too many connections' },
  overloaded: { status: 503, title: 'The service is busy' },
  'agent-away': { status: 503, title: 'The agent of a host does not answer' },
  'store-away': { status: 503, title: 'The store does not answer' },
} as const;

export type ProblemKind = keyof typeof PROBLEMS;

export const PROBLEM_TYPE_PREFIX = 'urn:calltap:problem:';

/** All problem types, as the document lists them. */
export const PROBLEM_TYPES: readonly string[] = Object.keys(PROBLEMS).map((kind) => PROBLEM_TYPE_PREFIX + kind);

export const Problem = named(
  'Problem',
  Type.Object({
    type: Type.String({ format: 'uri', enum: [...PROBLEM_TYPES] }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(Type.String()),
  }),
);
export type Problem = Static<typeof Problem>;

/** The only maker of problem documents. */
export function problemDocument(kind: ProblemKind, detail?: string): Problem {
  const { status, title } = PROBLEMS[kind];
  return { type: PROBLEM_TYPE_PREFIX + kind, title, status, ...(detail === undefined ? {} : { detail }) };
}

/** JSON is UTF-8 without saying so (RFC 8259 §8.1). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
