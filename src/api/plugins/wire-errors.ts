/** Refusals below the router: malformed HTTP, slow clients, oversized headers, CONNECT, unmet expectations. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_MEDIA_TYPE, problemDocument } from '../../contract/index.ts';
import { errnoOf } from '../../core/error.ts';
import { endWithProblem, ProblemError } from '../problem.ts';

const answered = new WeakSet<Socket>();

/** Fastify's `clientErrorHandler`: Node's parser gave up on the connection. */
export function handleClientError(error: Error, socket: Socket): void {
  // A reset peer reads nothing, and further bytes of a refused connection raise the same error again.
  if (errnoOf(error) === 'ECONNRESET' || !socket.writable || answered.has(socket)) {
    if (!answered.has(socket)) socket.destroy();
    return;
  }
  answered.add(socket);
  endWithProblem(socket, problemOf(error));
}

function problemOf(error: Error): ProblemError {
  switch (errnoOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError('headers-too-large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ProblemError('body-too-large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('request-timeout');
    default:
      return new ProblemError('bad-request', 'The bytes received are no HTTP request.');
  }
}

/** Takes over the events for which Node would answer without a body or drop the connection. */
export function answerWireEvents(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const problem = problemDocument('expectation-failed', 'Only 100-continue is understood.');
    const body = JSON.stringify(problem);
    response.writeHead(problem.status, {
      'content-type': PROBLEM_MEDIA_TYPE,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    response.end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    endWithProblem(socket, new ProblemError('method-not-allowed', 'This is no proxy.', { allow: 'GET, HEAD' }));
  });
}
