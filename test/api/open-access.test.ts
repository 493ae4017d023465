/** Without credentials: who is served on loopback, and that with credentials none of these rules applies. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { createPeerControl } from '../../src/actions/peer/control.ts';
import type { ProblemKind } from '../../src/contract/index.ts';
import { PROBLEMS } from '../../src/contract/index.ts';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { createBasicCredentials } from '../../src/serve/auth/authorization.ts';
import { createMetricsPage } from '../../src/serve/metrics/registry.ts';
import { createMetricsServer } from '../../src/serve/metrics/standalone.ts';
import { fakePeer } from '../helpers/fake-peer.ts';
import { metricsSnapshot } from './fake-readers.ts';
import type { RawAnswer } from './running-api.ts';
import { rawRequest, startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

const OWN = [
  '127.0.0.1',
  '127.0.0.1:1',
  '127.0.0.1:',
  '127.9.9.9:8080',
  '127.255.255.254',
  'localhost',
  'Localhost:65535',
  'LOCALHOST',
  'localhost.',
  '[::1]',
  '[::1]:8080',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7f00:1]:9',
];

const FOREIGN = [
  '',
  ':80',
  'evil.example',
  'evil.example:80',
  'localhost.evil.example',
  'evil.localhost',
  'localhostx',
  'localhost..',
  'xn--localhost-9za',
  '127.0.0.1.evil.example',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '0177.0.0.1',
  '0x7f000001',
  '2130706433',
  '127.0.0.256',
  '127.0.0.01',
  '%6cocalhost',
  '0.0.0.0',
  '0',
  '126.255.255.255',
  '128.0.0.1',
  '192.0.2.1:8080',
  '[::]',
  '[::2]',
  '[::ffff:192.0.2.1]',
  '[64:ff9b::127.0.0.1]',
  '[127.0.0.1]',
  '[localhost]',
];

const MALFORMED = ['user@localhost', 'localhost:80:80', '::1', '[::1', 'local host', 'localhost/', 'localhost,evil'];

function request(path: string, host: string | null, headers = '', method = 'GET', version = '1.1'): string {
  const line = host === null ? '' : `Host: ${host}\r\n`;
  return `${method} ${path} HTTP/${version}\r\n${line}Connection: close\r\n${headers}\r\n`;
}

function assertRefused(answer: RawAnswer, kind: ProblemKind, note: string): void {
  assert.equal(answer.status, PROBLEMS[kind].status, `${note}: ${answer.head}`);
  const document: unknown = JSON.parse(answer.body);
  assertDocument('Problem', document);
  assert.ok(typeof document === 'object' && document !== null && 'type' in document);
  assert.equal(document.type, `urn:calltap:problem:${kind}`, note);
}

async function startMetrics(t: TestContext, credentials: string | null): Promise<number> {
  const page = createMetricsPage({ read: metricsSnapshot, stateCase: 'as-cased', version: '1' });
  const basic = credentials === null ? null : createBasicCredentials(credentials);
  const metrics = createMetricsServer(page, { onFault: () => undefined, credentials: basic });
  t.after(() => metrics.close());
  return Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':').at(-1));
}

test('only a Host that names this host by a loopback address or localhost is served', async (t) => {
  const { port: api } = await startApi(t, { requestsPerSecond: 1_000 });
  const metrics = await startMetrics(t, null);
  for (const [port, path] of [
    [api, '/v1/dialogs'],
    [metrics, '/metrics'],
  ] as const) {
    for (const host of OWN) assert.equal((await rawRequest(port, request(path, host))).status, 200, host);
    for (const host of FOREIGN) assertRefused(await rawRequest(port, request(path, host)), 'foreign-host', host);
    for (const host of MALFORMED) {
      const answer = await rawRequest(port, request(path, host));
      // A blank or a comma in it may pass for a name of no loopback address.
      if (answer.status === 403) assertRefused(answer, 'foreign-host', host);
      else assertRefused(answer, 'bad-request', host);
    }
    assertRefused(await rawRequest(port, request(path, null)), 'bad-request', 'none');
    assertRefused(await rawRequest(port, request(path, null, '', 'GET', '1.0')), 'foreign-host', 'none in HTTP/1.0');
    assert.equal((await rawRequest(port, request(path, '127.0.0.1', '', 'GET', '1.0'))).status, 200);
    const twice = await rawRequest(port, request(path, 'localhost', 'Host: evil.example\r\n'));
    assertRefused(twice, 'bad-request', 'two');
    // Behind more headers than Node hands on by itself.
    const hidden = await rawRequest(
      port,
      request(path, 'localhost', `${'a:b\r\n'.repeat(2_100)}Host: evil.example\r\n`),
    );
    assertRefused(hidden, 'bad-request', 'two, far apart');
  }
  for (const path of [
    '/',
    '/nowhere',
    '/v1/report',
    '/metrics',
    '/openapi.json',
    '/%zz',
    '/health/',
    '/v1/peer/status',
  ]) {
    assertRefused(await rawRequest(api, request(path, 'evil.example')), 'foreign-host', path);
  }
  for (const method of ['HEAD', 'POST', 'OPTIONS', 'DELETE']) {
    assert.equal((await rawRequest(api, request('/v1/stats', 'evil.example', '', method))).status, 403, method);
  }
  const connect = 'CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example\r\n\r\n';
  assertRefused(await rawRequest(api, connect), 'foreign-host', 'CONNECT');
  assertRefused(await rawRequest(api, request('/v1/stats', 'evil.example', 'Expect: x\r\n')), 'foreign-host', 'Expect');
});

test('a Host with a port that is none ends nothing', async (t) => {
  const { port: api } = await startApi(t);
  const metrics = await startMetrics(t, null);
  for (const host of ['localhost:65536', '127.0.0.1:99999999', '[::1]:70000', '127.0.0.1:']) {
    const refused = await rawRequest(metrics, request('/metrics', host, '', 'POST'));
    assertRefused(refused, 'method-not-allowed', host);
    assertRefused(await rawRequest(api, request('/v1/stats', host, '', 'DELETE')), 'method-not-allowed', host);
    const connect = `CONNECT x:80 HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    for (const port of [api, metrics])
      assertRefused(await rawRequest(port, connect), 'method-not-allowed', `CONNECT, ${host}`);
    const foreign = request('/v1/stats', host, `Origin: http://${host}\r\n`, 'DELETE');
    if (host !== '127.0.0.1:') assertRefused(await rawRequest(api, foreign), 'foreign-origin', host);
    assert.equal((await rawRequest(metrics, request('/metrics', host))).status, 200, host);
  }
});

test('the target in absolute form counts as well', async (t) => {
  const { port } = await startApi(t);
  const cases: readonly (readonly [string, string, ProblemKind | null])[] = [
    ['http://localhost:9/v1/stats', '127.0.0.1', null],
    ['HTTP://[::1]/v1/stats', 'localhost', null],
    ['http://evil.example/v1/stats', '127.0.0.1', 'foreign-host'],
    ['https://evil.example/v1/stats', '127.0.0.1', 'foreign-host'],
    ['http://127.0.0.1/v1/stats', 'evil.example', 'foreign-host'],
    ['http://localhost@evil.example/v1/stats', 'localhost', 'bad-request'],
    ['http://evil.example@localhost/v1/stats', 'localhost', 'bad-request'],
  ];
  for (const [target, host, kind] of cases) {
    const answer = await rawRequest(port, request(target, host));
    if (kind === null) assert.equal(answer.status, 200, target);
    else assertRefused(answer, kind, target);
  }
});

test('/health is open whatever the Host', async (t) => {
  const { port } = await startApi(t);
  for (const host of ['evil.example', '', '192.0.2.1:80']) {
    const answer = await rawRequest(port, request('/health', host, 'Via: 1.1 proxy\r\n'));
    assert.equal(answer.body, 'ok', host);
  }
  assert.equal((await rawRequest(port, request('/health', null, '', 'GET', '1.0'))).status, 200);
});

test('what a proxy forwards is refused', async (t) => {
  const { port: api } = await startApi(t);
  const metrics = await startMetrics(t, null);
  const names = ['Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-For', 'x-forwarded-host', 'X-FORWARDED-PROTO'];
  for (const name of [...names, 'X-Forwarded-Anything', 'X-Forwarded-']) {
    for (const value of ['1.1 proxy', '']) {
      const line = `${name}: ${value}\r\n`;
      assertRefused(await rawRequest(api, request('/v1/stats', 'localhost', line)), 'forwarded', line);
      assertRefused(await rawRequest(metrics, request('/metrics', 'localhost', line)), 'forwarded', line);
    }
  }
  const hidden = `${'a:b\r\n'.repeat(2_100)}Via: 1.1 proxy\r\n`;
  assertRefused(await rawRequest(api, request('/v1/stats', 'localhost', hidden)), 'forwarded', 'far behind');
  assert.equal((await rawRequest(api, request('/v1/stats', 'localhost', 'X-Forward: x\r\n'))).status, 200);
});

test('a page of another origin changes nothing', async (t) => {
  const fake = fakePeer(t);
  const peer = createPeerControl({ ctl: fake.path, db: null, searchPath: '' });
  t.after(() => peer.close());
  const { port } = await startApi(t, { peer });
  const body = '{"ip":"192.0.2.1"}';
  const ban = (headers: string, host = `localhost:${port}`): Promise<RawAnswer> => {
    const length = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    return rawRequest(port, request('/v1/peer/ban', host, headers + length, 'POST') + body);
  };
  const foreign = [
    'Origin: http://evil.example\r\n',
    'Origin: null\r\n',
    'Origin:\r\n',
    `Origin: http://127.0.0.1:${port}\r\n`,
    'Origin: http://localhost\r\n',
    `Origin: http://localhost:${port + 1}\r\n`,
    `Origin: https://localhost:${port}\r\n`,
    `Origin: http://localhost:${port}.evil.example\r\n`,
    `Origin: http://localhost:${port}\r\nOrigin: http://evil.example\r\n`,
    'Sec-Fetch-Site: cross-site\r\n',
    'Sec-Fetch-Site: same-site\r\n',
    'Sec-Fetch-Site: Same-Origin\r\n',
    'Sec-Fetch-Site:\r\n',
    'Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n',
    `Origin: http://localhost:${port}\r\nSec-Fetch-Site: cross-site\r\n`,
  ];
  for (const headers of foreign) assertRefused(await ban(headers), 'foreign-origin', headers);
  assert.deepEqual(fake.asked(), []);
  const own = [
    '',
    `Origin: http://localhost:${port}\r\n`,
    `Origin: HTTP://LOCALHOST:${port}\r\nSec-Fetch-Site: same-origin\r\n`,
    'Sec-Fetch-Site: none\r\n',
  ];
  for (const headers of own) assert.equal((await ban(headers)).status, 200, headers);
  assert.equal((await ban('Origin: http://localhost\r\n', 'localhost:80')).status, 200, 'the default port');
  assert.equal(fake.asked().length, own.length + 1);
});

test('with credentials none of this applies', async (t) => {
  const credentials = createApiCredentials({ apiKey: 'key', signingKeys: [], isRevoked: () => false });
  assert.ok(credentials);
  const { port } = await startApi(t, { credentials });
  const proxied = 'Via: 1.1 proxy\r\nX-Forwarded-For: 192.0.2.1\r\nOrigin: http://evil.example\r\n';
  const bearer = `Authorization: Bearer key\r\n${proxied}`;
  assert.equal((await rawRequest(port, request('/v1/stats', 'calls.example', bearer))).status, 200);
  const body = '{"enabled":false}';
  const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const post = request('/v1/persistence', 'calls.example', bearer + json, 'POST') + body;
  assert.equal((await rawRequest(port, post)).status, 200);
  assert.equal((await rawRequest(port, request('/v1/stats', 'calls.example', proxied))).status, 401);
  const metrics = await startMetrics(t, 'prom:secret');
  const basic = `Authorization: Basic ${Buffer.from('prom:secret').toString('base64')}\r\n${proxied}`;
  assert.equal((await rawRequest(metrics, request('/metrics', 'calls.example', basic))).status, 200);
});
