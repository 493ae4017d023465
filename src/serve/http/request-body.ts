/**
 * Bodies that nobody has read yet: their senders hold them back until they are asked for (`Expect: 100-continue`, RFC 9110
 * §10.1.1), and of a refused one we read on, so that its sender gets to read the refusal (RFC 9112 §9.6).
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { faults } from '../../core/faults.ts';

const held = new WeakSet<IncomingMessage>();

/** Notes that the client waits. */
export function noteWaiting(request: IncomingMessage): void {
  held.add(request);
}

/** Asks for the body, once nothing in the head of the request refuses it. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (held.delete(request)) response.writeContinue();
}

/** Whether the client still waits. It may then send its body or not, and only the end of the connection tells which. */
export function isWaiting(request: IncomingMessage): boolean {
  return held.has(request);
}

/** Bytes read and dropped of one refused body; a sender of more has its connection cut. */
const DROPPED_BYTES = 32 * 1024 * 1024;

/** Milliseconds between two looks at a sender; one from which nothing came in between is cut. */
const LOOK_MS = 500;

/** Looks before the connection is cut, however steadily the body arrives. */
const LOOKS = 20;

/**
 * To be called with the answer that refuses the request. Closing on unread bytes makes the kernel reset the connection,
 * and a client that is still sending then fails on its own write and never sees why. So an answer that says
 * `Connection: close` ends this side alone until the body has come; any other keeps the connection when the body ends
 * within the bounds above.
 *
 * Nothing stays with the connection, which may carry refusals without end: what is needed here ends with the request.
 */
export function dropRefusedBody(request: IncomingMessage): void {
  if (request.complete || !hasBody(request)) return;
  const { socket } = request;
  const first = socket.bytesRead;
  let before = first;
  let looks = 0;
  let isClosing = false;
  // What Node calls behind an answer that closes.
  socket.destroySoon = () => {
    isClosing = true;
    socket.end();
  };
  const end = (): void => {
    clearInterval(watch);
    Reflect.deleteProperty(socket, 'destroySoon');
    if (isClosing) socket.destroySoon();
  };
  const watch = faults.every(LOOK_MS, 'tick', () => {
    const read = socket.bytesRead;
    looks++;
    if (request.complete || socket.destroyed) end();
    else if (read === before || read - first > DROPPED_BYTES || looks >= LOOKS) socket.destroy();
    before = read;
  });
  watch.unref();
  request.once('end', end).resume();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
