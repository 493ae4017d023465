/** The standalone metrics server: one page, as-cased states, loopback only, a bounded end. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import { createBasicCredentials } from '../../../../src/serve/auth/authorization.ts';
import type { MetricsPage } from '../../../../src/serve/metrics/registry.ts';
import { createMetricsPage } from '../../../../src/serve/metrics/registry.ts';
import type { MetricsServer, MetricsServerDeps } from '../../../../src/serve/metrics/standalone.ts';
import { createMetricsServer } from '../../../../src/serve/metrics/standalone.ts';
import type { MetricsSnapshot } from '../../../../src/view/metrics/snapshot.ts';
import { metricsSnapshot } from '../../../api/fake-readers.ts';
import { get, rawRequest } from '../../../api/running-api.ts';
import { assertDocument } from '../../../api/strict-contract.ts';
import { SOON_MS, untilHolds } from '../../../helpers/patience.ts';

function server(
  read: () => MetricsSnapshot = metricsSnapshot,
  faults: unknown[] = [],
  credentials: MetricsServerDeps['credentials'] = null,
): MetricsServer {
  const page = createMetricsPage({ read, stateCase: 'as-cased', version: '1' });
  return createMetricsServer(page, { onFault: (error) => faults.push(error), credentials });
}

const basic = (text: string): string => `Authorization: Basic ${Buffer.from(text).toString('base64')}\r\n`;
const guarded = (): MetricsServer => server(metricsSnapshot, [], createBasicCredentials('prom:se:cret'));
const portOf = (bound: string): number => Number(bound.split(':').at(-1));

test('it serves /metrics and refuses the rest with problems', async (t) => {
  const metrics = server();
  t.after(() => metrics.close());
  const base = `http://${await metrics.listen({ host: '127.0.0.1', port: 0 })}`;
  const found = await fetch(`${base}/metrics?x=1`);
  assert.equal(found.status, 200);
  assert.match(await found.text(), /service_dialogs_total\{state="InCall"\} 1/);
  assert.equal((await fetch(`${base}/metrics`, { method: 'HEAD' })).status, 200);
  for (const [path, method, status] of [
    ['/', 'GET', 404],
    ['/v1/dialogs', 'GET', 404],
    ['/metrics', 'POST', 405],
  ] as const) {
    const response = await fetch(base + path, { method });
    assert.equal(response.status, status);
    assertDocument('Problem', await response.json());
  }
});

test('what is no plain request for the page is a problem here as on the API', async (t) => {
  const metrics = guarded();
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '127.0.0.1', port: 0 }));
  const right = basic('prom:se:cret');
  const cases: readonly (readonly [string, number])[] = [
    [get('/metrics', `${right}Expect: a-miracle\r\n`), 417],
    [get('/metrics', 'Expect: a-miracle\r\n'), 401],
    [`CONNECT x:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n${right}\r\n`, 405],
    ['CONNECT x:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 401],
    [`GET /metrics HTTP/1.1\r\nConnection: close\r\n${right}\r\n`, 400],
    [get('/metrics', `${right}Host: y\r\n`), 400],
    [get('/metrics', `${right}Content-Encoding: gzip\r\nContent-Length: 1\r\n`), 415],
  ];
  for (const [request, status] of cases) {
    const answer = await rawRequest(port, request);
    assert.equal(answer.status, status, request);
    assert.match(answer.head, /^content-type: application\/problem\+json/im);
    assertDocument('Problem', JSON.parse(answer.body));
  }
  const absolute = await rawRequest(port, get('http://x/metrics', right));
  assert.equal(absolute.status, 200);
  const head = await rawRequest(port, get('/nowhere', right).replace('GET', 'HEAD'));
  assert.equal(head.status, 404);
  assert.equal(head.body, '');
});

test('a fault while reading is a 500', async (t) => {
  const faults: unknown[] = [];
  const metrics = server(() => {
    throw new Error('secret');
  }, faults);
  t.after(() => metrics.close());
  const response = await fetch(`http://${await metrics.listen({ host: '127.0.0.1', port: 0 })}/metrics`);
  assert.equal(response.status, 500);
  const body = await response.text();
  assertDocument('Problem', JSON.parse(body));
  assert.ok(!body.includes('secret'));
  assert.equal(faults.length, 1);
});

test('it binds loopback only, and a taken port is one line', async (t) => {
  const first = server();
  t.after(() => first.close());
  const port = Number((await first.listen({ host: '127.0.0.1', port: 0 })).split(':')[1]);
  const second = server();
  t.after(() => second.close());
  await assert.rejects(second.listen({ host: '0.0.0.0', port: 0 }), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'METRICS_BIND_NOT_LOOPBACK');
    assert.match(error.message, /0\.0\.0\.0.*--metrics-auth/);
    return true;
  });
  await assert.rejects(second.listen({ host: '127.0.0.1', port }), /cannot listen \(EADDRINUSE\)/);
});

test('close ends within two seconds with a silent connection', async () => {
  const metrics = server();
  const port = Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':')[1]);
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const started = performance.now();
  await metrics.close();
  assert.ok(performance.now() - started < SOON_MS);
});

test('HTTP Basic: user and password, everything else is a 401 with a challenge', async (t) => {
  const metrics = guarded();
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '127.0.0.1', port: 0 }));
  const right = await rawRequest(port, get('/metrics', basic('prom:se:cret')));
  assert.equal(right.status, 200);
  assert.match(right.body, /service_dialogs_total\{state="InCall"\} 1/);
  const wrong = ['', basic('prom:se'), basic('prom:secret'), basic(':se:cret'), 'Authorization: Bearer se:cret\r\n'];
  for (const headers of [...wrong, basic('prom:se:cret') + basic('prom:se:cret')]) {
    for (const path of ['/metrics', '/nowhere', '/']) {
      const answer = await rawRequest(port, get(path, headers));
      assert.equal(answer.status, 401, headers);
      assert.match(answer.head, /^www-authenticate: Basic realm="metrics", charset="UTF-8"$/im);
      assert.match(answer.head, /^content-type: application\/problem\+json/im);
      assertDocument('Problem', JSON.parse(answer.body));
      assert.ok(!answer.body.includes('cret'));
    }
  }
  assert.equal((await rawRequest(port, get('/nowhere', basic('prom:se:cret')))).status, 404);
});

test('with credentials a bind beyond loopback is accepted, and still guarded', async (t) => {
  const metrics = guarded();
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '0.0.0.0', port: 0 }));
  assert.equal((await rawRequest(port, get('/metrics'))).status, 401);
  assert.equal((await rawRequest(port, get('/metrics', basic('prom:se:cret')))).status, 200);
});

test('100 requests a second from one source, checked before credentials', async (t) => {
  const metrics = guarded();
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '127.0.0.1', port: 0 }));
  const one = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const over = get('/metrics', basic('prom:se:cret'));
  const { head, body } = await rawRequest(port, one.repeat(100) + over);
  const statuses = [...(head + body).matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map((found) => found[1]);
  assert.deepEqual(statuses, [...Array.from({ length: 100 }, () => '401'), '503']);
  const malformed = await rawRequest(port, 'NOT HTTP\r\n\r\n');
  assert.equal(malformed.status, 503);
  assertDocument('Problem', JSON.parse(malformed.body));
});

test('bodies over 1 MiB and oversized headers are refused here too', async (t) => {
  const metrics = server();
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '127.0.0.1', port: 0 }));
  const large = await rawRequest(port, 'POST /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1048577\r\n\r\n');
  assert.equal(large.status, 413);
  assertDocument('Problem', JSON.parse(large.body));
  const chunk = `40000\r\n${' '.repeat(0x40000)}\r\n`;
  const chunked = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  assert.equal((await rawRequest(port, `${chunked}${chunk.repeat(4)}1\r\n \r\n0\r\n\r\n`)).status, 413);
  assert.equal((await rawRequest(port, `${chunked}${chunk.repeat(4)}0\r\n\r\n`)).status, 200);
  const headers = await rawRequest(port, get('/metrics', `X-Long: ${'x'.repeat(20_000)}\r\n`));
  assert.equal(headers.status, 431);
  assertDocument('Problem', JSON.parse(headers.body));
});

test('a source that holds many connections is told 503 and leaves some to others', async (t) => {
  const metrics = server();
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '127.0.0.1', port: 0 }));
  const held = Array.from({ length: 120 }, () =>
    connect({ port, host: '127.0.0.1', localAddress: '127.0.0.77' }).on('error', () => undefined),
  );
  t.after(() => {
    for (const socket of held) socket.destroy();
  });
  const last = held.at(-1);
  assert.ok(last !== undefined);
  const told = await new Promise<string>((resolve) => last.once('data', (chunk: Buffer) => resolve(String(chunk))));
  assert.match(told, /^HTTP\/1\.1 503 .*connection-limit/s);
  assert.equal((await rawRequest(port, get('/metrics'))).status, 200);
});

test('malformed HTTP is a problem here too', async (t) => {
  const metrics = server();
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '127.0.0.1', port: 0 }));
  for (const text of ['NOT HTTP\r\n\r\n', 'GET /metrics HTTP/1.1\r\nHost x\r\n\r\n']) {
    const answer = await rawRequest(port, text);
    assert.equal(answer.status, 400);
    assertDocument('Problem', JSON.parse(answer.body));
  }
  assert.equal((await rawRequest(port, get('/metrics'))).status, 200);
});

test('pages that nobody reads are counted here too', async (t) => {
  const samples = Array.from({ length: 150 }, (_, i) => ({ labels: [`${i}${'h'.repeat(2_000)}`], value: i }));
  const family = { name: 'calltap_hub_heartbeat_age_seconds', samples } as const;
  let rendered = 0;
  const page = createMetricsPage({
    read: () => metricsSnapshot({ families: [family] }),
    stateCase: 'as-cased',
    version: '1',
  });
  const counted: MetricsPage = {
    async render(accept) {
      const made = await page.render(accept);
      rendered++;
      return made;
    },
  };
  const metrics = createMetricsServer(counted, { onFault: (error) => assert.fail(String(error)), credentials: null });
  t.after(() => metrics.close());
  const port = portOf(await metrics.listen({ host: '127.0.0.1', port: 0 }));
  // Two hundred pages of 300 KB, of which the first are read when the last have been made.
  let refusals = 0;
  const sockets = [71, 72].map((n) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${n}` }).on('error', () => undefined);
    t.after(() => socket.destroy());
    socket.pause();
    socket.write('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(99));
    return socket;
  });
  await untilHolds(() => rendered === 198);
  assert.equal((await rawRequest(port, get('/nowhere'))).status, 404);
  for (const socket of sockets) {
    socket.on('data', (chunk: Buffer) => {
      refusals += chunk.toString('latin1').split('clients that do not read').length - 1;
    });
    socket.resume();
  }
  await untilHolds(() => refusals > 0);
});
