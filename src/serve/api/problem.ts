/** Every answer of 400 and above of a route is made here, whichever layer refused (RFC 9457). */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemKind } from '../../contract/index.ts';
import { PROBLEM_MEDIA_TYPE, problemDocument } from '../../contract/index.ts';
import { Busy, Refusal } from '../../explore/refusal.ts';
import { ProblemError } from '../http/problem-error.ts';
import { dropRefusedBody, isWaiting } from '../http/request-body.ts';

/** What Fastify's own errors are to a client. */
const FRAMEWORK_KINDS: ReadonlyMap<string, readonly [ProblemKind, string]> = new Map([
  ['FST_ERR_BAD_URL', ['bad-request', 'The address of the request has a broken percent-encoding.']],
  ['FST_ERR_MAX_PARAM_LENGTH', ['uri-too-long', 'A path parameter is longer than this service takes.']],
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['body-too-large', 'The body may have 1048576 bytes.']],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', ['unsupported-media-type', 'Send the body as application/json.']],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', ['bad-request', 'The body does not have the length its header names.']],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', ['invalid-body', 'The body is empty.']],
  ['FST_ERR_CTP_INVALID_JSON_BODY', ['invalid-body', 'The body is not JSON.']],
] satisfies [string, readonly [ProblemKind, string]][]);

/** The problem that an error of any layer is to the client; what is not known is a fault of ours. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof Refusal)
    return new ProblemError(error.kind, error.message, error instanceof Busy ? { 'retry-after': '1' } : {});
  if (!(error instanceof Error)) return new ProblemError('internal');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = FRAMEWORK_KINDS.get(code);
  if (known !== undefined) return new ProblemError(known[0], known[1]);
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  return status >= 400 && status < 500 ? new ProblemError('bad-request') : new ProblemError('internal');
}

/** Answers with the problem and ends the reply. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: ProblemError): FastifyReply {
  const document = problemDocument(problem.kind, problem.detail);
  // Fastify would close whenever it refuses a body. A header that is removed is not written by Node either.
  if (isWaiting(request.raw) || !reply.raw.shouldKeepAlive) reply.header('connection', 'close');
  else if (reply.hasHeader('connection')) reply.removeHeader('connection');
  dropRefusedBody(request.raw);
  reply
    .code(document.status)
    .headers({ ...problem.headers })
    .header('content-type', PROBLEM_MEDIA_TYPE);
  // As bytes: Fastify puts a charset after the type of a text, and this type has no parameters.
  const body = Buffer.from(JSON.stringify(document));
  // Node leaves the body of an answer to HEAD out; the length is that of the answer to GET (RFC 9110 §8.6).
  if (request.method === 'HEAD') reply.header('content-length', body.length);
  return reply.send(body);
}
