/** Every layer that can refuse, fired over a real socket: each answer is a problem document. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { ProblemKind } from '../../src/contract/index.ts';
import { PROBLEMS } from '../../src/contract/index.ts';
import { createLoadShedder } from '../../src/serve/api/plugins/load-shedder.ts';
import type { ApiDeps } from '../../src/serve/api/server.ts';
import { PATIENCE_MS, SOON_MS, until } from '../helpers/patience.ts';
import type { RawAnswer } from './running-api.ts';
import { get, oneAnswer, rawRequest, startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

function assertProblem({ status, head, body }: RawAnswer, kind: ProblemKind): void {
  assert.equal(status, PROBLEMS[kind].status, `${kind}: ${head}`);
  assert.match(head, /^content-type: application\/problem\+json/im);
  assert.match(head, new RegExp(`^content-length: ${Buffer.byteLength(body)}$`, 'im'));
  const document: unknown = JSON.parse(body);
  assertDocument('Problem', document);
  assert.ok(typeof document === 'object' && document !== null && 'type' in document);
  assert.equal(document.type, `urn:calltap:problem:${kind}`);
}

/** A route with a body, as the later ones will have it. */
const extend: NonNullable<ApiDeps['extend']> = (app) => {
  app.post(
    '/v1/gate',
    { schema: { body: Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false }) } },
    async ({ body }) => body,
  );
};

test('malformed HTTP, bad escapes and oversized parts', async (t) => {
  const { port, faults } = await startApi(t);
  const cases: readonly (readonly [string, string, ProblemKind])[] = [
    ['garbage', 'NOT HTTP AT ALL\r\n\r\n', 'bad-request'],
    ['binary', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'bad-request'],
    ['bad header', 'GET /health HTTP/1.1\r\nHost x\r\n\r\n', 'bad-request'],
    ['two lengths', get('/health', 'Content-Length: 1\r\nContent-Length: 2\r\n'), 'bad-request'],
    ['no host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 'bad-request'],
    ['two hosts', get('/health', 'Host: 127.0.0.1\r\n'), 'bad-request'],
    ['a host that is none', get('/health').replace('Host: 127.0.0.1', 'Host: a/b c'), 'bad-request'],
    ['two hosts, HTTP/1.0', get('/health', 'Host: y\r\n').replace('HTTP/1.1', 'HTTP/1.0'), 'bad-request'],
    ['%zz', get('/v1/dialogs/%zz'), 'bad-request'],
    ['half escape', get('/v1/dialogs/a%2'), 'bad-request'],
    ['not UTF-8', get('/v1/dialogs/%ff%fe'), 'bad-request'],
    ['%zz elsewhere', get('/%zz'), 'bad-request'],
    ['long parameter', get(`/v1/dialogs/${'a'.repeat(12_289)}`), 'uri-too-long'],
    ['header overflow', get('/health', `X: ${'a'.repeat(20_000)}\r\n`), 'headers-too-large'],
    ['expectation', get('/health', 'Expect: a-miracle\r\n'), 'expectation-failed'],
    ['connect', 'CONNECT example.net:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 'method-not-allowed'],
    ['odd method', get('/v1/dialogs').replace('GET', 'PROPFIND'), 'method-not-allowed'],
    ['odd method, odd path', get('/nowhere').replace('GET', 'PROPFIND'), 'not-found'],
    ['absolute form', get('http://127.0.0.1/v1/nowhere?a'), 'not-found'],
  ];
  for (const [name, text, kind] of cases) {
    await t.test(name, async () => assertProblem(await rawRequest(port, text), kind));
  }
  assert.deepEqual(faults, []);
});

test('the document names every refusal that a request may get whatever its route', async (t) => {
  const { api, port } = await startApi(t, { requestsPerSecond: 1_000 });
  const { paths } = JSON.parse(api.openApi()) as { paths: Record<string, Record<string, { responses: object }>> };
  const spoilt: readonly ((path: string) => string)[] = [
    (path) => get(path).replace('Host: 127.0.0.1\r\n', ''),
    (path) => get(path, 'Content-Length: 1048577\r\n'),
    (path) => get(path, 'Content-Encoding: gzip\r\nContent-Length: 1\r\n'),
    (path) => get(path, 'Expect: a-miracle\r\n'),
    (path) => get(path, `X: ${'a'.repeat(20_000)}\r\n`),
    (path) => get(path).replace('127.0.0.1', 'calls.example'),
    (path) => get(path, 'Via: 1.1 proxy\r\n'),
    (path) => get(path).replace('GET', 'POST').replace('Connection', 'Origin: null\r\nConnection'),
  ];
  for (const [path, methods] of Object.entries(paths)) {
    if (path.includes('{')) continue;
    for (const spoil of spoilt) {
      const text = spoil(path);
      const method = text.slice(0, 4).trim().toLowerCase();
      const responses = methods[method]?.responses;
      if (responses === undefined) continue;
      const { status } = await rawRequest(port, text);
      assert.ok(status in responses, `${method} ${path} ${status}`);
      assert.ok(status >= 400 || path === '/health', `${method} ${path} ${status}`);
    }
  }
});

test('the server goes on after all of that', async (t) => {
  const { port } = await startApi(t);
  assertProblem(await rawRequest(port, '\0\0\0'), 'bad-request');
  const answer = await rawRequest(port, get('/health'));
  assert.equal(answer.status, 200);
  assert.equal(answer.body, 'ok');
  const http10 = await rawRequest(port, 'GET /health HTTP/1.0\r\n\r\n');
  assert.equal(http10.status, 200);
});

test('a Host may be empty, a name, an address, and have a port', async (t) => {
  const { port } = await startApi(t);
  for (const host of ['', 'voice_1.example.net', 'voice.example.net:8080', '[2001:db8::1]:80', '192.0.2.1:']) {
    const answer = await rawRequest(port, get('/health').replace('Host: 127.0.0.1', `Host: ${host}`));
    assert.equal(answer.status, 200, host);
  }
});

test('a refusal says whether the connection goes on (RFC 9112 s9.6)', async (t) => {
  const { port } = await startApi(t);
  for (const path of ['/nowhere', '/v1/dialogs?limit=x', '/v1/streams/zz', '/health']) {
    assert.match((await rawRequest(port, get(path))).head, /^connection: close$/im, path);
    const kept = await oneAnswer(port, get(path).replace('Connection: close', 'Connection: keep-alive'));
    assert.match(kept.head, /^connection: keep-alive$/im, path);
  }
});

test('413: a body over 1 MiB, on any route, before any handler', async (t) => {
  const { port } = await startApi(t, { extend });
  const head = (path: string, length: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  const body = Buffer.alloc(2 * 1024 * 1024, 0x20);
  for (const path of ['/v1/gate', '/v1/dialogs', '/nowhere']) {
    const answer = await rawRequest(port, [Buffer.from(head(path, `Content-Length: ${body.length}`)), body]);
    assertProblem(answer, 'body-too-large');
  }
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
  const chunked = await rawRequest(port, [Buffer.from(head('/v1/gate', 'Transfer-Encoding: chunked')), chunk]);
  assertProblem(chunked, 'body-too-large');
  const unread = (method: string): Buffer =>
    Buffer.from(
      `${method} /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
  assertProblem(await rawRequest(port, [unread('GET'), chunk]), 'body-too-large');
  assert.equal((await rawRequest(port, [unread('HEAD'), chunk])).status, 413);
  const most = Buffer.concat([Buffer.from('100000\r\n'), body.subarray(0, 0x100000), Buffer.from('\r\n0\r\n\r\n')]);
  assert.equal((await rawRequest(port, [unread('GET'), most])).status, 200, 'a body of exactly 1 MiB is read over');
  const exact = JSON.stringify({ enabled: true }).padEnd(1024 * 1024, ' ');
  const fitting = head('/v1/gate', `Content-Length: ${exact.length}`);
  const fits = await rawRequest(port, fitting + exact);
  assert.equal(fits.status, 200);
});

test('413: a client that sends its whole body before it reads gets the refusal, and may go on', async (t) => {
  const { port } = await startApi(t, { extend });
  const body = Buffer.alloc(8 * 1024 * 1024, 0x20);
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A reset or broken pipe is what such a client must not see.
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.write(`POST /v1/gate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body, () => socket.write(get('/health')));
  });
  assert.match(text, /^HTTP\/1\.1 413 /);
  assert.match(text, /HTTP\/1\.1 200 OK[\s\S]*ok$/);
});

test('a body that a GET never ends: 408 in time, and a client that goes away in the middle holds nothing', async (t) => {
  const { api, port } = await startApi(t, { times: { requestMs: 500, headerMs: 500 } });
  const head = 'GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n';
  assertProblem(await rawRequest(port, head), 'request-timeout');
  const gone = connect({ port, host: '127.0.0.1' });
  gone.write(head, () => gone.resetAndDestroy());
  await once(gone, 'close');
  const begun = performance.now();
  await api.close();
  assert.ok(performance.now() - begun < SOON_MS);
});

test('413: a client that stops in the middle of a refused body is cut', async (t) => {
  const { port } = await startApi(t, { extend });
  const started = performance.now();
  const head = 'POST /v1/gate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999\r\n\r\n';
  assertProblem(await rawRequest(port, head, 60_000), 'body-too-large');
  assert.ok(performance.now() - started < 30_000 + SOON_MS);
});

test('HEAD: a refusal has the length of the answer to GET and no body', async (t) => {
  const { port } = await startApi(t, { extend });
  for (const path of ['/v1/dialogs/unknown', '/nowhere', '/v1/dialogs?limit=x']) {
    const full = await rawRequest(port, get(path));
    const bare = await rawRequest(port, get(path).replace('GET', 'HEAD'));
    assert.equal(bare.status, full.status, path);
    assert.equal(bare.body, '');
    const length = /content-length: (\d+)/i.exec(bare.head)?.[1];
    assert.equal(Number(length), Buffer.byteLength(full.body), path);
  }
});

test('bodies are strict: no coercion, no dropped keys, JSON only', async (t) => {
  const { base } = await startApi(t, { extend });
  const send = (body: string, type = 'application/json'): Promise<Response> =>
    fetch(`${base}/v1/gate`, { method: 'POST', body, headers: { 'content-type': type } });
  const good = await send('{"enabled":true}');
  assert.deepEqual(await good.json(), { enabled: true });
  const wrong = ['{"enabled":"true"}', '{"enabled":1}', '{"enabled":true,"x":1}', '{}', '[]', 'null', '"x"'];
  for (const body of [...wrong, '{', '', '{"__proto__":{}}']) {
    const response = await send(body);
    const document: unknown = await response.json();
    assert.equal(response.status, 400, body);
    assertDocument('Problem', document);
    assert.ok(typeof document === 'object' && document !== null && 'type' in document);
    assert.equal(document.type, 'urn:calltap:problem:invalid-body', body);
  }
  const { port } = new URL(base);
  for (const body of [
    '{"enabled":false,"enabled":true}',
    '{"enabled":true,"enabled":true}',
    '{"enabled":true,"\\u0065nabled":true}',
    '{"enabled":true,"x":{"a":1,"a":2}}',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ]) {
    const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const head = Buffer.from(get('/v1/gate', type).replace('GET', 'POST'));
    assertProblem(await rawRequest(Number(port), [head, Buffer.from(body)]), 'invalid-body');
  }
  assert.equal((await send(' {"enabled" : true}\n', 'application/json;charset=UTF-8')).status, 200);
  const missing = await fetch(`${base}/v1/gate`, { method: 'POST' });
  assert.equal(missing.status, 400);
  assertDocument('Problem', await missing.json());
  for (const type of ['text/plain', 'application/xml', 'nonsense']) {
    const response = await send('{"enabled":true}', type);
    assert.equal(response.status, 415, type);
    assertDocument('Problem', await response.json());
  }
  for (const [coding, status] of [
    ['gzip', 415],
    ['identity', 200],
  ] as const) {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    const response = await fetch(`${base}/v1/gate`, { method: 'POST', body: '{"enabled":true}', headers });
    assert.equal(response.status, status, coding);
  }
});

test('408: a request that does not arrive', async (t) => {
  const { port } = await startApi(t, { times: { headerMs: 200, requestMs: 400 } });
  assertProblem(await rawRequest(port, 'GET /health HTTP/1.1\r\nHos'), 'request-timeout');
  assertProblem(await rawRequest(port, 'POST /v1/dialogs HTTP/1.1\r\nContent-Le'), 'request-timeout');
});

/** A second's budget of requests in one piece, the last of which closes. */
const SPEND = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(99) + get('/health');

/** The answer to a request once the budget of this second is spent; the second may turn over between them. */
async function afterTheBudget(port: number, text: string): Promise<RawAnswer> {
  return until(
    async () => {
      await rawRequest(port, SPEND);
      const answer = await rawRequest(port, text);
      return answer.status === 503 && answer;
    },
    () => `never limited: ${text.slice(0, 40)}`,
  );
}

test('503: the rate limit comes before everything, on every address', async (t) => {
  const { base, port } = await startApi(t, { extend, maxConn: 300 });
  const answers = await Promise.all(Array.from({ length: 130 }, () => fetch(`${base}/health`)));
  const admitted = answers.filter((answer) => answer.status === 200);
  assert.ok(admitted.length >= 100, `${admitted.length} of 130 were admitted`);
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const forwarded = get('/v1/stats', 'X-Forwarded-For: 203.0.113.9\r\nForwarded: for=203.0.113.9\r\n');
  const paths = ['/health', '/nowhere', '/v1/dialogs/%zz', '/v1/dialogs?limit=x'];
  for (const text of [...paths.map((path) => get(path)), forwarded, get('/v1/gate').replace('GET', 'PUT')])
    assertProblem(await afterTheBudget(port, text), 'rate-limited');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.equal((await rawRequest(port, get('/health'))).status, 200);
});

test('503: what fails below the router takes from the same budget', async (t) => {
  const cases: Readonly<Record<string, readonly [string, ProblemKind]>> = {
    'malformed HTTP': ['NOT HTTP AT ALL\r\n\r\n', 'bad-request'],
    'a header overflow': [get('/health', `X: ${'a'.repeat(20_000)}\r\n`), 'headers-too-large'],
    'an expectation': [get('/health', 'Expect: a-miracle\r\n'), 'expectation-failed'],
    CONNECT: ['CONNECT example.net:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 'method-not-allowed'],
    'a broken escape': [get('/%zz'), 'bad-request'],
  };
  for (const [text, kind] of Object.values(cases)) {
    // The request before takes one of the hundred, unless the second turns over between them.
    const port = await until(
      async () => {
        const { port: own } = await startApi(t);
        assertProblem(await rawRequest(own, text), kind);
        const { body } = await rawRequest(own, SPEND);
        return body.includes('HTTP/1.1 503 ') && own;
      },
      () => 'it takes nothing of the budget',
    );
    assertProblem(await afterTheBudget(port, text), 'rate-limited');
  }
});

test('503: a flood of malformed connections uses up the budget of its source', async (t) => {
  const { port } = await startApi(t, { maxConn: 300 });
  await until(
    async () => {
      const answers = await Promise.all(Array.from({ length: 250 }, () => rawRequest(port, 'NOT HTTP\r\n\r\n')));
      for (const answer of answers) assertProblem(answer, answer.status === 503 ? 'rate-limited' : 'bad-request');
      return answers.some(({ status }) => status === 503);
    },
    () => 'none of 250 is ever limited',
  );
});

test('another source address has its own budget', async (t) => {
  const { port } = await startApi(t, { maxConn: 300 });
  assertProblem(await afterTheBudget(port, get('/health')), 'rate-limited');
  const status = await new Promise<string>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.77' }, () => socket.write(get('/health')));
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1', 9, 12)));
  });
  assert.equal(status, '200');
});

test('503: connections beyond the cap are answered, not dropped', async (t) => {
  const { port } = await startApi(t, { maxConn: 3 });
  const held = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    }),
  );
  // The server learns of connections in its own turn of the loop.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const refused = await rawRequest(port, get('/v1/dialogs'));
  assertProblem(refused, 'connection-limit');
  assert.match(refused.head, /^connection: close$/im);
  assertProblem(await rawRequest(port, ''), 'connection-limit');
  for (const socket of held) socket.destroy();
  await until(
    async () => (await rawRequest(port, get('/health'))).status === 200,
    () => 'no place is given back',
  );
});

test('503: an event loop that stays late sheds load', async (t) => {
  const { port } = await startApi(t, { times: { loopDelayMs: 150, loopSampleMs: 300 } });
  assert.equal((await rawRequest(port, get('/health'))).status, 200);
  const blocker = setInterval(() => {
    const until = Date.now() + 500;
    while (Date.now() < until);
  }, 1);
  t.after(() => clearInterval(blocker));
  const deadline = Date.now() + PATIENCE_MS;
  let answer = await rawRequest(port, get('/health'));
  while (answer.status === 200 && Date.now() < deadline) answer = await rawRequest(port, get('/health'));
  clearInterval(blocker);
  assertProblem(answer, 'overloaded');
  assert.match(answer.head, /^retry-after: 1$/im);
});

test('one long turn of the loop sheds nothing, and neither does the start, however long its turns', async () => {
  const shedder = createLoadShedder();
  for (let i = 0; i < 10; i++) {
    shedder.sample(true);
    await shedder.onPressure();
  }
  shedder.sample(true);
  await shedder.onPressure();
  shedder.sample(false);
  shedder.sample(true);
  await shedder.onPressure();
  shedder.sample(true);
  await assert.rejects(shedder.onPressure());
  shedder.sample(false);
  await shedder.onPressure();
});
