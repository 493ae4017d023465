// A port of this host that nobody has, for a program that cannot choose one itself.
import { createServer } from 'node:net';

/** TCP, on 127.0.0.1. Another program may take it before it is used. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
