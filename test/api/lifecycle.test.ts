/** Listening and closing: where the API binds, what it refuses, and that nothing a client does holds up its end. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { ServiceError } from '../../src/core/errors.ts';
import { createApi } from '../../src/serve/api/server.ts';
import { SOON_MS } from '../helpers/patience.ts';
import { fakeReaders } from './fake-readers.ts';
import { absentPeer, get, startApi } from './running-api.ts';

const DEPS = {
  readers: fakeReaders(),
  peer: absentPeer(),
  maxRows: 10,
  maxConn: 10,
  version: '0',
  onFault: () => undefined,
};

test('a bind beyond loopback is refused before a socket opens', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', '::ffff:192.0.2.1']) {
    const api = await createApi(DEPS);
    await assert.rejects(api.listen({ host, port: 0 }), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, 'API_BIND_NOT_LOOPBACK');
      assert.equal(error.exitCode, 2);
      assert.ok(error.message.includes(host));
      assert.match(error.message, /--api-key.*--api-signing-key/);
      assert.ok(!error.message.includes('\n'));
      return true;
    });
    await api.close();
  }
});

test('loopback names and addresses are bound and reported as bound', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '127.8.8.8']) {
    const api = await createApi(DEPS);
    t.after(() => api.close());
    const bound = await api.listen({ host, port: 0 });
    assert.match(bound, /^(127\.[0-9.]+|\[::1\]):[1-9][0-9]*$/);
    assert.equal(await (await fetch(`http://${bound}/health`)).text(), 'ok');
  }
});

test('a port in use and a name that does not resolve are one clear line', async (t) => {
  const { port } = await startApi(t);
  const second = await createApi(DEPS);
  t.after(() => second.close());
  const inUse = /--api 127\.0\.0\.1:\d+: cannot listen \(EADDRINUSE\)/;
  await assert.rejects(second.listen({ host: '127.0.0.1', port }), inUse);
  const third = await createApi(DEPS);
  t.after(() => third.close());
  await assert.rejects(third.listen({ host: 'no-such-name.invalid', port: 0 }), /does not resolve/);
});

test('close ends within two seconds with idle, silent and half-sent connections', async () => {
  const api = await createApi(DEPS);
  const port = Number((await api.listen({ host: '127.0.0.1', port: 0 })).split(':')[1]);
  const open = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
        if (text !== '') socket.write(text);
        setTimeout(resolve, 100);
      });
      socket.on('error', () => undefined);
    });
  await Promise.all([
    open(''),
    open('GET /health HTTP/1.1\r\nHo'),
    open('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    open('POST /v1/dialogs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nab'),
    open('nonsense\r\n\r\n'),
  ]);
  const started = performance.now();
  await api.close();
  const took = performance.now() - started;
  assert.ok(took < SOON_MS, `close took ${took} ms`);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/health`));
});

test('a request in flight is answered before the end', async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  let begin = (): void => undefined;
  const isInFlight = new Promise<void>((resolve) => (begin = resolve));
  const base = fakeReaders();
  const readers = fakeReaders({
    dialogs: async (filter) => {
      begin();
      await gate;
      return base.dialogs(filter);
    },
  });
  const api = await createApi({ ...DEPS, readers });
  const port = Number((await api.listen({ host: '127.0.0.1', port: 0 })).split(':')[1]);
  const answer = new Promise<string>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(get('/v1/dialogs')));
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1', 9, 12)));
  });
  await isInFlight;
  const closed = api.close();
  setTimeout(release, 200);
  assert.equal(await answer, '200');
  await closed;
});

test('close may be called before listen and twice', async () => {
  const api = await createApi(DEPS);
  await api.close();
  await api.close();
});
