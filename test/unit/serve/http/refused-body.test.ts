/** Refusing a request whose body is on its way: nothing stays behind on a connection that carries refusals without end. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { endResponse, ProblemError } from '../../../../src/serve/http/problem-error.ts';
import { dropRefusedBody } from '../../../../src/serve/http/request-body.ts';
import { heapBytes } from '../../../helpers/live-heap.ts';

async function refusingServer(t: TestContext): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    dropRefusedBody(request);
    endResponse(response, new ProblemError('unauthorized'));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Listeners of every event of a connection. */
function listeners(socket: Socket): number {
  return socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0);
}

test('20,000 refused bodies on one connection leave no listener and no heap behind', async (t) => {
  const { server, port } = await refusingServer(t);
  const accepted = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1', noDelay: true });
  t.after(() => client.destroy());
  const [socket] = (await accepted) as [Socket];
  const pad = `X-Pad: ${'p'.repeat(4_000)}\r\n`;
  let answers = 0;
  let atFirst = { listeners: 0, heap: 0 };
  const ask = (): void => {
    client.write(`POST /x HTTP/1.1\r\nHost: x\r\nX-Number: ${answers}\r\n${pad}Content-Length: 2\r\n\r\n`);
  };
  await new Promise<void>((resolve, reject) => {
    client.on('error', reject).on('close', () => reject(new Error(`closed after ${answers} answers`)));
    client.on('data', (chunk: Buffer) => {
      if (!chunk.includes('HTTP/1.1 401')) return;
      // The body follows the answer, so that each request is refused while it is on its way.
      client.write('{}');
      if (++answers === 1_000) atFirst = { listeners: listeners(socket), heap: heapBytes() };
      if (answers === 20_000) resolve();
      else ask();
    });
    ask();
  });
  assert.equal(listeners(socket), atFirst.listeners);
  const grownMb = (heapBytes() - atFirst.heap) / 1024 ** 2;
  assert.ok(grownMb < 8, `${grownMb} MB`);
});
