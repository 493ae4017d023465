/** Bodies: asked for when nothing in the head refuses them (RFC 9110 §10.1.1), read over when they are refused. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { createBasicCredentials } from '../../src/serve/auth/authorization.ts';
import { createMetricsPage } from '../../src/serve/metrics/registry.ts';
import { createMetricsServer } from '../../src/serve/metrics/standalone.ts';
import { metricsSnapshot } from './fake-readers.ts';
import { rawRequest, startApi } from './running-api.ts';

const BODY = '{"enabled": false}';
const KEY = 'Authorization: Bearer key\r\n';
const BASIC = `Authorization: Basic ${Buffer.from('prom:secret').toString('base64')}\r\n`;

async function startBoth(t: TestContext): Promise<{ api: number; metrics: number }> {
  const credentials = createApiCredentials({ apiKey: 'key', signingKeys: [], isRevoked: () => false });
  assert.ok(credentials);
  const { port } = await startApi(t, { credentials });
  const page = createMetricsPage({ read: metricsSnapshot, stateCase: 'as-cased', version: '1' });
  const basic = createBasicCredentials('prom:secret');
  const metrics = createMetricsServer(page, { onFault: () => undefined, credentials: basic });
  t.after(() => metrics.close());
  return { api: port, metrics: Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':').at(-1)) };
}

function post(path: string, headers: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;
}

/** Talks like a client that sends its body when it is asked, or behind another answer: all that came back. */
async function conversation(port: number, head: string, body: string | Buffer): Promise<string> {
  const client = connect({ port, host: '127.0.0.1' });
  let text = '';
  client.on('data', (chunk: Buffer) => {
    const isFirst = text === '';
    text += chunk.toString('latin1');
    if (isFirst) client.write(body);
  });
  // A reset is what such a client must not see.
  const failed = new Promise<never>((_, reject) => client.once('error', reject));
  client.write(head);
  await Promise.race([once(client, 'close'), failed]);
  return text;
}

test('100 Continue only when the head decides nothing', async (t) => {
  const { api, metrics } = await startBoth(t);
  const expect = 'Expect: 100-continue\r\n';
  const json = 'Content-Type: application/json\r\n';
  const length = `Content-Length: ${BODY.length}\r\n`;
  const cases: readonly (readonly [number, string, number])[] = [
    [api, post('/v1/persistence', expect + json + length), 401],
    [api, post('/nowhere', KEY + expect + json + length), 404],
    [api, post('/v1/dialogs', KEY + expect + json + length), 405],
    [api, post('/v1/persistence', `${KEY}${expect}${json}Content-Length: 1048577\r\n`), 413],
    [api, post('/v1/persistence', `${KEY}${expect}Content-Type: text/plain\r\n${length}`), 415],
    [api, post('/v1/persistence', `${KEY}${expect}${json}Content-Encoding: gzip\r\n${length}`), 415],
    [api, post('/v1/persistence', `${KEY}Expect: a-miracle\r\n${json}${length}`), 417],
    [api, post('/v1/persistence', `${KEY}${expect}${json}${length}`).replace('Host: 127.0.0.1\r\n', ''), 400],
    [metrics, post('/metrics', expect + length), 401],
    [metrics, post('/metrics', BASIC + expect + length), 405],
    [metrics, post('/nowhere', BASIC + expect + length), 404],
  ];
  for (const [port, head, status] of cases) {
    // The client may send its body or not, so the connection cannot go on.
    const answer = await rawRequest(port, head);
    assert.equal(answer.status, status, head);
    assert.match(answer.head, /^connection: close$/im);
  }
  const closing = 'Connection: close\r\n';
  const taken = await conversation(api, post('/v1/persistence', KEY + expect + json + length + closing), BODY);
  assert.match(taken, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  const chunked = `GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n${expect}${closing}Transfer-Encoding: chunked\r\n`;
  for (const [port, key] of [
    [api, KEY],
    [metrics, BASIC],
  ] as const) {
    const read = await conversation(port, `${chunked}${key}\r\n`, '1\r\nx\r\n0\r\n\r\n');
    assert.match(read, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  }
});

test('a refused POST says Connection: close when its client did, and is read before the body was sent', async (t) => {
  const { api, metrics } = await startBoth(t);
  const body = Buffer.alloc(1_000_000, 0x20);
  const closing = `Connection: close\r\nContent-Length: ${body.length}\r\n`;
  for (const [port, head, status] of [
    [api, post('/v1/persistence', closing), 401],
    [api, post('/v1/persistence', KEY + closing), 415],
    [metrics, post('/metrics', closing), 401],
    [metrics, post('/metrics', BASIC + closing), 405],
  ] as const) {
    const text = await conversation(port, head, body);
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(text, /^connection: close$/im);
  }
});

test('what was sent behind a request whose refusal closes is not taken', async (t) => {
  const { api } = await startBoth(t);
  const refused = post('/v1/persistence', `Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n`);
  const text = await conversation(api, refused, `${BODY}GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
});
