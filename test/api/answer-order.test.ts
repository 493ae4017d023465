/** Answers come in the order of their requests (RFC 9112 §9.3.2), and a refusal below HTTP waits for those before it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { createBasicCredentials } from '../../src/serve/auth/authorization.ts';
import { createMetricsPage } from '../../src/serve/metrics/registry.ts';
import { createMetricsServer } from '../../src/serve/metrics/standalone.ts';
import { untilHolds } from '../helpers/patience.ts';
import { metricsSnapshot } from './fake-readers.ts';
import { get, rawRequest, startApi } from './running-api.ts';

const GARBAGE = 'x\r\n\r\n';

function ask(path: string, method = 'GET', headers = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;
}

/** Of all answers that came over one connection. */
function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map((found) => Number(found[1]));
}

/** The statuses of what is answered to `text` until the server closes. */
async function answersTo(port: number, text: string): Promise<number[]> {
  const { head, body } = await rawRequest(port, text);
  return statuses(`${head}\r\n\r\n${body}`);
}

async function startMetrics(t: TestContext, isGuarded = false): Promise<number> {
  const page = createMetricsPage({ read: metricsSnapshot, stateCase: 'as-cased', version: '1' });
  const credentials = isGuarded ? createBasicCredentials('prom:secret') : null;
  const metrics = createMetricsServer(page, { onFault: () => undefined, credentials });
  t.after(() => metrics.close());
  return Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':').at(-1));
}

test('what is no HTTP behind a valid request is refused after its answer', async (t) => {
  const { port } = await startApi(t);
  const body = '{"enabled": false}';
  const post = `${ask('/v1/persistence', 'POST', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`)}${body}`;
  for (const first of [ask('/v1/dialogs'), ask('/v1/dialogs', 'HEAD'), post]) {
    assert.deepEqual(await answersTo(port, first + GARBAGE), [200, 400], first);
  }
  assert.deepEqual(await answersTo(port, `${ask('/nowhere')}${ask('/v1/stats')}${GARBAGE}`), [404, 200, 400]);
  const broken = ask('/v1/persistence', 'POST', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n');
  assert.deepEqual(await answersTo(port, `${ask('/v1/stats')}${broken}zz\r\n`), [200, 400], 'a broken body');
  assert.deepEqual(
    await answersTo(port, `${ask('/v1/stats')}CONNECT x:1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
    [200, 405],
  );
  const metrics = await startMetrics(t);
  assert.deepEqual(await answersTo(metrics, ask('/metrics').repeat(3) + GARBAGE), [200, 200, 200, 400]);
});

test('behind a hundred answers that are being made as well', async (t) => {
  const { port } = await startApi(t, { requestsPerSecond: 1_000 });
  const expected = [...Array.from({ length: 100 }, () => 200), 400];
  assert.deepEqual(await answersTo(port, ask('/v1/dialogs').repeat(100) + GARBAGE), expected);
});

test('an answer that takes its time, or is streamed, is whole before the refusal', async (t) => {
  const slow = new PassThrough();
  const held: Socket[] = [];
  const { port } = await startApi(t, {
    extend: (app) => {
      app.get('/v1/slow', async (request, reply) => {
        held.push(request.raw.socket);
        return reply.type('text/plain').send(slow);
      });
    },
  });
  const client = connect({ port, host: '127.0.0.1' });
  t.after(() => client.destroy());
  let text = '';
  client.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  const sent = ask('/v1/slow') + GARBAGE;
  client.write(sent);
  slow.write('begun');
  await untilHolds(() => text.includes('begun') && held[0]?.bytesRead === sent.length);
  assert.deepEqual(statuses(text), [200]);
  slow.end(' and done');
  await once(client, 'close');
  assert.match(text, /begun[\s\S]* and done[\s\S]*HTTP\/1\.1 400 [\s\S]*connection: close/i);
});

test('a request that was refused is not refused again for how its body goes on', async (t) => {
  const credentials = createApiCredentials({ apiKey: 'key', signingKeys: [], isRevoked: () => false });
  assert.ok(credentials);
  const { port } = await startApi(t, { credentials });
  for (const to of [port, await startMetrics(t, true)]) {
    const client = connect({ port: to, host: '127.0.0.1' });
    t.after(() => client.destroy());
    let text = '';
    client.on('data', (chunk: Buffer) => {
      // The body goes on once it was refused.
      if (text === '') client.write('zz\r\n');
      text += chunk.toString('latin1');
    });
    client.write(ask('/metrics', 'POST', 'Transfer-Encoding: chunked\r\n'));
    await once(client, 'close');
    assert.deepEqual(statuses(text), [401]);
  }
});

test('nothing is taken behind a request that ends the connection', async (t) => {
  const { port } = await startApi(t);
  for (const to of [port, await startMetrics(t)]) {
    assert.deepEqual(await answersTo(to, get('/metrics') + GARBAGE), [200]);
    assert.deepEqual(await answersTo(to, get('/metrics') + ask('/metrics')), [200]);
  }
});
