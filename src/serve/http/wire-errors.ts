/** Refusals below the router: malformed HTTP, slow clients, oversized headers, CONNECT, unmet expectations. */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errnoOf } from '../../core/errors.ts';
import type { Admission } from './admission.ts';
import { endResponse, ProblemError } from './problem-error.ts';
import { noteWaiting } from './request-body.ts';

/** For `clientError` events: Node's parser gave up on the connection. */
export function createClientErrorHandler(admission: Admission): (error: Error, socket: Socket) => void {
  const refused = new WeakSet<Socket>();
  return (error, socket) => {
    // Further bytes of a refused connection raise the same error again.
    if (refused.has(socket)) return;
    refused.add(socket);
    // A reset peer reads nothing.
    if (errnoOf(error) === 'ECONNRESET' || !socket.writable) socket.destroy();
    else admission.end(socket, admission.refusal(socket) ?? problemOf(error));
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

/**
 * Takes over the events for which Node would answer without a body or drop the connection, or ask for a body before
 * the head was looked at. `listener` is that of plain requests; `access` decides who may ask what could be one.
 */
export function answerWireEvents(
  server: Server,
  admission: Admission,
  access: (request: IncomingMessage) => ProblemError | null,
  listener: RequestListener,
): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    noteWaiting(request);
    listener(request, response);
  });
  const refuseExpectation = admission.guard((request, response) => {
    const unmet = new ProblemError('expectation-failed', 'Only 100-continue is understood.');
    endResponse(response, access(request) ?? unmet);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    noteWaiting(request);
    refuseExpectation(request, response);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node takes its own listeners off this connection, and a reset without one would end the program.
    socket.on('error', () => socket.destroy());
    const noProxy = new ProblemError('method-not-allowed', 'This service is not a proxy.', { allow: 'GET, HEAD' });
    admission.end(socket, admission.refusal(socket) ?? access(request) ?? noProxy);
  });
}
