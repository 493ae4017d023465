/** Bodies that their senders hold back until they are asked for (`Expect: 100-continue`, RFC 9110 §10.1.1). */

import type { IncomingMessage, ServerResponse } from 'node:http';

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
