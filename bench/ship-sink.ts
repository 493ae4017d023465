/**
 * A store that takes every insert at once and keeps nothing: node ship-sink.js. Its line of output is the port, on loopback.
 *
 * A process of its own, so that its work is not the agent's; a real store would take the processors that are measured.
 */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  process.stdout.write(`${address.port}\n`);
});
