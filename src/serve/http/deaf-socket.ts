/** Ends what a connection can still cost: nothing that comes over it is parsed any more. */

import type { Socket } from 'node:net';

/**
 * Takes a connection out of the hands of the HTTP parser: a listener of ours ends its direct hold on the connection, and
 * without any listener what still comes is dropped. Pausing alone does not last, since every answer that is sent makes
 * Node read on. What can still be written is not touched.
 */
export function stopListening(socket: Socket): void {
  socket.on('data', () => undefined);
  socket.removeAllListeners('data');
  socket.pause();
}
