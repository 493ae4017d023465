/** Refusals below the router: malformed HTTP, slow clients, oversized headers, CONNECT, unmet expectations. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errnoOf } from '../core/error.ts';
import { endResponse, endWithProblem, ProblemError } from './problem-error.ts';

/** What comes before every refusal that is made here, as before every route. */
export type WireChecks = {
  /** The rate of the source and the number of connections. */
  admit(socket: Socket): ProblemError | null;
  /** Credentials, for what could be read as a request. */
  authenticate(request: IncomingMessage): ProblemError | null;
};

/** For `clientError` events: Node's parser gave up on the connection. */
export function createClientErrorHandler(admit: WireChecks['admit']): (error: Error, socket: Socket) => void {
  const answered = new WeakSet<Socket>();
  return (error, socket) => {
    // A reset peer reads nothing, and further bytes of a refused connection raise the same error again.
    if (errnoOf(error) === 'ECONNRESET' || !socket.writable || answered.has(socket)) {
      if (!answered.has(socket)) socket.destroy();
      return;
    }
    answered.add(socket);
    endWithProblem(socket, admit(socket) ?? problemOf(error));
  };
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
export function answerWireEvents(server: Server, { admit, authenticate }: WireChecks): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = admit(request.socket) ?? authenticate(request);
    const unmet = new ProblemError('expectation-failed', 'Only 100-continue is understood.');
    // The client may go on to send its body or not; only the end of the connection tells the two apart.
    response.setHeader('connection', 'close');
    endResponse(response, refusal ?? unmet);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const refusal = admit(socket) ?? authenticate(request);
    const noProxy = new ProblemError('method-not-allowed', 'This is no proxy.', { allow: 'GET, HEAD' });
    endWithProblem(socket, refusal ?? noProxy);
  });
}
