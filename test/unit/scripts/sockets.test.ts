/** The tables of sockets that tests read to know when a program is up. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { waitingAt } from '../../helpers/sockets.ts';

const table = (transport: 'tcp' | 'udp') => ({ transport, text: readFileSync(`/proc/net/${transport}`, 'latin1') });

test('a port on which nobody listens any more is free, connections that linger or not', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  assert.ok(typeof place === 'object' && place !== null);
  assert.equal(waitingAt(table('tcp'), place.port), 1);
  assert.equal(waitingAt(table('tcp'), place.port, '127.0.0.1'), 1);
  assert.equal(waitingAt(table('tcp'), place.port, '127.0.0.2'), 0);
  const accepted = once(server, 'connection');
  const client = connect(place.port, '127.0.0.1');
  const [peer] = await accepted;
  server.close();
  const isThere = () => table('tcp').text.includes(`:${place.port.toString(16).toUpperCase().padStart(4, '0')} `);
  assert.equal(isThere(), true, 'both ends of the connection stand in the table');
  assert.equal(waitingAt(table('tcp'), place.port), 0);
  peer.end();
  client.end();
  await Promise.all([once(client, 'close'), once(peer, 'close')]);
  assert.equal(isThere(), true, 'so does what is left of it');
  assert.equal(waitingAt(table('tcp'), place.port), 0);
});

test('a socket that takes datagrams of anybody waits; one that is connected does not', async () => {
  const [open, bound] = [createSocket('udp4'), createSocket('udp4')];
  for (const socket of [open, bound]) {
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
  }
  bound.connect(open.address().port, '127.0.0.1');
  await once(bound, 'connect');
  assert.equal(waitingAt(table('udp'), open.address().port, '127.0.0.1'), 1);
  assert.equal(waitingAt(table('udp'), bound.address().port), 0);
  open.close();
  bound.close();
});
