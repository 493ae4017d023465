/** Every answer of 400 and above below a framework: a refusal as a value, sent on a response or on a bare socket (RFC 9457). */

import type { ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemKind } from '../../contract/index.ts';
import { PROBLEM_MEDIA_TYPE, problemDocument } from '../../contract/index.ts';
import { dropRefusedBody, isWaiting } from './request-body.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** A refusal on its way to the client. */
export class ProblemError extends Error {
  readonly kind: ProblemKind;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: ProblemKind, detail?: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail ?? kind);
    this.name = 'ProblemError';
    this.kind = kind;
    this.detail = detail;
    this.headers = headers;
  }
}

/** Answers where there is a response but no route; a body that is on its way is dropped. */
export function endResponse(response: ServerResponse, problem: ProblemError): void {
  const document = problemDocument(problem.kind, problem.detail);
  const body = JSON.stringify(document);
  dropRefusedBody(response.req);
  response.writeHead(document.status, {
    ...problem.headers,
    ...(isWaiting(response.req) ? { connection: 'close' } : {}),
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
  });
  response.end(response.req.method === 'HEAD' ? '' : body);
}

/** A check that refuses where it fails: below a framework nothing else catches it, and it would end the program. */
export function failingClosed<T>(
  check: (asked: T) => ProblemError | null,
  onFault: (error: unknown) => void,
): (asked: T) => ProblemError | null {
  return (asked) => {
    try {
      return check(asked);
    } catch (error) {
      onFault(error);
      return new ProblemError('internal');
    }
  };
}

/** How long a refused connection may take to read its answer, in milliseconds. */
const LINGER_MS = 500;

/** Ends a connection below HTTP, where there is no reply object; with an answer unless it has had all of its own. */
export function endWithProblem(socket: Socket, problem: ProblemError | null): void {
  if (socket.writable) socket.end(problem === null ? '' : problemText(problem));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function problemText(problem: ProblemError): string {
  const document = problemDocument(problem.kind, problem.detail);
  const body = JSON.stringify(document);
  const { connection: _, ...headers } = problem.headers;
  const head = [
    `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status] ?? ''}`,
    ...Object.entries({ ...SECURITY_HEADERS, ...headers }).map(([name, value]) => `${name}: ${value}`),
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
