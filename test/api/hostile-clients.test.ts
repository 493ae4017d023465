/** Clients that hold, drip, half-close, flood or never read: the service answers others all the while, and recovers. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { ApiDeps } from '../../src/serve/api/server.ts';
import { createMetricsPage } from '../../src/serve/metrics/registry.ts';
import { createMetricsServer } from '../../src/serve/metrics/standalone.ts';
import { SOON_MS, until, untilHolds } from '../helpers/patience.ts';
import { metricsSnapshot } from './fake-readers.ts';
import { get, rawRequest, startApi } from './running-api.ts';

/** Connections of one crowd: many times the default limit, and within the backlog of one burst. */
const CROWD = 500;

/** Opens connections from one source address and sends each of them `text`. */
async function crowd(t: TestContext, port: number, size: number, text: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    Array.from({ length: size }, async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.66', allowHalfOpen: true });
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => undefined);
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      if (text !== '') socket.write(text);
    }),
  );
  return sockets;
}

async function isOpen(port: number): Promise<boolean> {
  const started = performance.now();
  const { status, body } = await rawRequest(port, get('/health'), 2 * SOON_MS);
  assert.ok(performance.now() - started < SOON_MS, 'the answer came too late');
  assert.ok(status === 200 || status === 503, `status ${status}`);
  assert.equal(status === 200, body === 'ok');
  return status === 200;
}

async function untilOpen(port: number): Promise<void> {
  await until(
    () => isOpen(port),
    () => 'the service did not recover',
    100,
  );
}

/** Waits until none of them is open any more. */
async function untilGone(sockets: readonly Socket[]): Promise<void> {
  const isLeft = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;
  await until(
    () => !sockets.some(isLeft),
    () => `${sockets.filter(isLeft).length} connections are still held`,
  );
}

test('slow clients below the connection limit disturb nobody, and are ended', async (t) => {
  const { port } = await startApi(t, { maxConn: CROWD + 50, times: { headerMs: 1_500, requestMs: 3_000 } });
  const sockets = await crowd(t, port, CROWD, 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a');
  }, 200);
  t.after(() => clearInterval(drip));
  for (let i = 0; i < 5; i++) assert.ok(await isOpen(port));
  await untilGone(sockets);
});

test('slow clients beyond the connection limit: their own source is told 503, others are served', async (t) => {
  const { port } = await startApi(t, { maxConn: 50, times: { headerMs: 3_000, requestMs: 6_000 } });
  const neighbour = (): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.66' });
      socket.on('error', () => undefined).once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')));
      socket.write(get('/health'));
    });
  // Of a crowd that a busy machine is late with, the first are ended before the last have come.
  const sockets = await until(
    async () => {
      const held = await crowd(t, port, CROWD, 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
      const told = await neighbour();
      for (let i = 0; i < 5; i++) assert.ok(await isOpen(port), 'another source is served all the while');
      if (/^HTTP\/1\.1 503 [\s\S]*connection-limit/.test(told)) return held;
      for (const socket of held) socket.destroy();
      return false;
    },
    () => 'nobody is ever told 503',
  );
  assert.match((await rawRequest(port, get('/metrics'))).body, /^calltap_api_connections_displaced_total [1-9]/m);
  await untilGone(sockets);
  assert.match(await neighbour(), /^HTTP\/1\.1 200 /);
});

test('connections that never send a byte are ended', async (t) => {
  const { port } = await startApi(t, { maxConn: CROWD, times: { headerMs: 1_000, requestMs: 2_000 } });
  const sockets = await crowd(t, port, CROWD, '');
  await isOpen(port);
  await untilOpen(port);
  await untilGone(sockets);
});

test('half-closed clients are answered and let go', async (t) => {
  const { port } = await startApi(t, { maxConn: CROWD + 50 });
  const asked = await crowd(t, port, Math.min(90, CROWD), 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  for (const socket of asked) socket.end();
  const cut = await crowd(t, port, CROWD - asked.length, 'GET /health HTTP/1.1\r\nHo');
  for (const socket of cut) socket.end();
  await untilGone([...asked, ...cut]);
  for (const socket of asked) assert.ok(socket.bytesRead > 0, 'a half-closed client still gets its answer');
  assert.ok(await isOpen(port));
});

test('a flood of pipelined requests is answered in order and limited like any other', async (t) => {
  const { port } = await startApi(t, { maxConn: 60 });
  const requests = 2_000;
  const flood = crowd(t, port, 20, 'GET /v1/dialogs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(requests));
  for (let i = 0; i < 5; i++) assert.ok(await isOpen(port));
  await flood;
  const one = await rawRequest(port, 'GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(300) + get('/health'));
  const statuses = [...(one.head + one.body).matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map((found) => found[1]);
  assert.equal(statuses.length, 301);
  assert.ok(statuses.filter((status) => status === '503').length >= 100);
});

test('however one source asks, no second holds more than 100 answers', async (t) => {
  const { port } = await startApi(t);
  const times: number[] = [];
  const sockets = Array.from({ length: 3 }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.67', noDelay: true });
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      for (const _ of text.matchAll(/HTTP\/1\.1 200 /g)) times.push(performance.now());
      // One more for each answer, served or refused, so that the edge of every second is found; below what is a flood.
      setTimeout(() => {
        if (socket.writable) socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      }, 5);
    });
    socket.on('error', () => undefined).write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    return socket;
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await untilHolds(() => times.length >= 350);
  // By the client's clock, which reads late when the machine is busy: what is late at a window's begin only shortens it.
  const most = times.map((end, i) => times.slice(0, i + 1).filter((begin) => end - begin < 950).length);
  assert.ok(Math.max(...most) <= 100, `${Math.max(...most)} answers in a second`);
});

/**
 * Floods from a process of its own: 30 connections that pipeline as fast as they can and come again when they are cut.
 * Says so once it has been refused some hundred times.
 */
const FLOOD = `
  const { connect } = require('node:net');
  const text = 'GET /metrics HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n'.repeat(500);
  let refusals = 0;
  function count(chunk) {
    refusals += chunk.toString('latin1').split('HTTP/1.1 503 ').length - 1;
    if (refusals > 300) { refusals = -Infinity; console.log('flooding'); }
  }
  function open() {
    const socket = connect({ port: Number(process.argv[1]), host: '127.0.0.1', localAddress: '127.0.0.66' });
    const send = () => { if (socket.writable && socket.write(text)) setImmediate(send); };
    socket.on('error', () => {}).on('data', count).on('drain', send).on('connect', send);
    socket.on('close', () => setTimeout(open, 10));
  }
  for (let i = 0; i < 30; i++) open();
`;

async function underFlood(
  t: TestContext,
  port: number,
  isAnswered: () => Promise<boolean>,
  isEnough: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const flood = spawn(process.execPath, ['-e', FLOOD, String(port)], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => flood.kill('SIGKILL'));
  await once(flood.stdout, 'data');
  let answered = 0;
  for (let i = 0; i < 5; i++) answered += Number(await isAnswered());
  await isEnough();
  flood.kill('SIGKILL');
  assert.ok(answered >= 4, `${answered} of 5 were served during the flood`);
}

test('a source that floods without end does not keep others from being served', async (t) => {
  const { port } = await startApi(t);
  let limited = 0;
  const isLimited = async (): Promise<boolean> => {
    const { body } = await rawRequest(port, get('/metrics'));
    limited = Number(/^calltap_api_rate_limited_total ([0-9]+)$/m.exec(body)?.[1]);
    return limited > 900;
  };
  await underFlood(
    t,
    port,
    () => isOpen(port),
    () => until(isLimited, () => `${limited} requests of the flood were refused`),
  );
});

test('nor on the standalone metrics server', async (t) => {
  const page = createMetricsPage({ read: metricsSnapshot, stateCase: 'as-cased', version: '1' });
  const metrics = createMetricsServer(page, { onFault: () => undefined, credentials: null });
  t.after(() => metrics.close());
  const port = Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':').at(-1));
  await underFlood(t, port, async () => (await rawRequest(port, get('/metrics'), SOON_MS)).status === 200);
});

test('a client that resets its connection behind CONNECT ends nothing but itself', async (t) => {
  const { port } = await startApi(t);
  const page = createMetricsPage({ read: metricsSnapshot, stateCase: 'as-cased', version: '1' });
  const metrics = createMetricsServer(page, { onFault: () => undefined, credentials: null });
  t.after(() => metrics.close());
  const metricsPort = Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':').at(-1));
  const reset = async (to: number): Promise<void> => {
    const socket = connect({ port: to, host: '127.0.0.1' }).on('error', () => undefined);
    await new Promise((resolve) => socket.write('CONNECT x:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', resolve));
    socket.resetAndDestroy();
  };
  for (let i = 0; i < 30; i++) await Promise.all([reset(port), reset(metricsPort)]);
  assert.equal((await rawRequest(port, get('/health'))).status, 200);
  assert.equal((await rawRequest(metricsPort, get('/metrics'))).status, 200);
});

test('clients that ask and never read are cut, and little is kept for them', async (t) => {
  const extend: NonNullable<ApiDeps['extend']> = (app) => {
    app.get('/v1/big', async (_request, reply) => reply.type('text/plain').send(Buffer.alloc(400_000, 0x78)));
  };
  const { port } = await startApi(t, { extend, maxConn: 30, times: { stalledMs: 2_000 } });
  const before = process.memoryUsage().rss;
  let highest = before;
  const sockets = Array.from({ length: 20 }, (_, i) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${70 + i}` });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET /v1/big HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(90));
    return socket;
  });
  // A blank line between requests is legal, and must not pass for progress. It also shows this side the end.
  const poke = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
    for (const socket of sockets) if (socket.writable) socket.write('\r\n');
  }, 100);
  t.after(() => {
    clearInterval(poke);
    for (const socket of sockets) socket.destroy();
  });
  await untilGone(sockets);
  // 1,800 answers of 400 KB were asked for: 720 MB.
  const grownMb = (highest - before) / 1024 ** 2;
  assert.ok(grownMb < 400, `${grownMb} MB`);
  const { body } = await rawRequest(port, get('/metrics'));
  assert.match(body, /^calltap_api_connections_stalled_total 20$/m);
  const shed = Number(/^calltap_api_answers_shed_total ([0-9]+)$/m.exec(body)?.[1]);
  assert.ok(shed > 1_000, `${shed} answers were shed`);
});

test('a client that reads slowly but gets on is not cut', async (t) => {
  const { port } = await startApi(t, { times: { stalledMs: 2_000 } });
  const socket = connect({ port, host: '127.0.0.1' });
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  let answers = 0;
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString('latin1').split('HTTP/1.1 200').length - 1;
  });
  for (let i = 0; i < 8; i++) {
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  await until(
    () => answers === 8,
    () => `${answers} of 8 answers`,
  );
});
