/** Names and addresses of listeners: what is bound, and what only this host can reach. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, resolveHost } from '../../../src/core/bind.ts';

test('localhost is its IPv4 address, an address is itself, and a name that is none resolves to nothing', async () => {
  assert.equal(await resolveHost('localhost'), '127.0.0.1');
  assert.equal(await resolveHost('::1'), '::1');
  assert.equal(await resolveHost('192.0.2.1'), '192.0.2.1');
  assert.equal(await resolveHost('no-such-host.invalid'), null);
});

test('loopback is an address of this host alone, never a name', () => {
  for (const address of ['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1'])
    assert.ok(isLoopback(address), address);
  for (const address of ['0.0.0.0', '::', '192.0.2.1', 'localhost', '']) assert.ok(!isLoopback(address), address);
});
