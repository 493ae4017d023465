/** What pages of other sites get: one refusal for all that they may ask, and headers on every answer that keep browsers apart. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { createBasicCredentials } from '../../src/serve/auth/authorization.ts';
import { SECURITY_HEADERS } from '../../src/serve/http/security-headers.ts';
import { createMetricsPage } from '../../src/serve/metrics/registry.ts';
import { createMetricsServer } from '../../src/serve/metrics/standalone.ts';
import { asJson } from '../helpers/json.ts';
import { FULL_DIALOG } from './documents.ts';
import { fakeReaders, metricsSnapshot } from './fake-readers.ts';
import type { RawAnswer, RunningApi } from './running-api.ts';
import { get, rawRequest, startApi } from './running-api.ts';

const log = (): void => undefined;
const KNOWN = encodeURIComponent(FULL_DIALOG.call_id);

function serve(t: TestContext, key: string | null = null): Promise<RunningApi> {
  const credentials = createApiCredentials({ apiKey: key, signingKeys: [], isRevoked: () => false });
  return startApi(t, {
    ask: { log },
    hasConsole: true,
    mcp: { credentials, log },
    requestsPerSecond: 10_000,
    ...(credentials === null ? {} : { credentials }),
  });
}

async function serveMetrics(t: TestContext, basic: string | null): Promise<number> {
  const page = createMetricsPage({ read: metricsSnapshot, stateCase: 'as-cased', version: '1' });
  const credentials = basic === null ? null : createBasicCredentials(basic);
  const metrics = createMetricsServer(page, { onFault: (error) => assert.fail(String(error)), credentials });
  t.after(() => metrics.close());
  return Number((await metrics.listen({ host: '127.0.0.1', port: 0 })).split(':').at(-1));
}

/** Every path that is served, of a call that is here and of one that is not, and some that are not served. */
function pathsOf({ api }: RunningApi): string[] {
  const documents = [api.openApi(), api.askOpenApi()].map((text) => asJson(JSON.parse(text)));
  const patterns = documents.flatMap(({ paths }) => Object.keys(asJson(paths)));
  const filled = [KNOWN, 'nobody', '%zz', 'x'.repeat(12_289)].flatMap((id) =>
    patterns.map((p) => p.replace(/\{\w+\}/, id)),
  );
  const rest = ['/nowhere', '/mcp', '/v1/dialogs?limit=x', '/ask/calls?q=frm:1', '/console/none.js', '/console/a/b'];
  return [...new Set([...filled, ...rest])];
}

function assertApart({ head, status }: RawAnswer, note: string): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    const [, said = 'none'] = new RegExp(`^${name}: (.*)$`, 'im').exec(head) ?? [];
    const isPolicy = name === 'content-security-policy';
    if (!isPolicy) assert.equal(said, value, `${note} ${status}: ${name}`);
    else assert.match(said, /^default-src 'none';.*; frame-ancestors 'none'/, `${note} ${status}: ${said}`);
  }
}

const CROSS = 'Sec-Fetch-Site: cross-site\r\n';
/** How a browser asks for what a page names, by what names it. */
const WAYS: Readonly<Record<string, string>> = {
  img: `${CROSS}Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n`,
  fetch: `${CROSS}Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\nOrigin: https://evil.example\r\n`,
  frame: `${CROSS}Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n`,
  object: `${CROSS}Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: object\r\n`,
  link: `${CROSS}Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-User: ?1\r\n`,
  twice: 'Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n',
  odd: 'Sec-Fetch-Site: Same-Origin\r\n',
  empty: 'Sec-Fetch-Site:\r\n',
};
const WITHOUT_DATE = (head: string): string => head.replace(/^date: .*$/im, '');

for (const key of [null, 'k3y'])
  test(`a page of another site gets one answer from every route${key === null ? '' : ', with a key too'}`, async (t) => {
    const readers = fakeReaders();
    const server = await serve(t, key);
    const { port } = server;
    const bearer = key === null ? '' : `Authorization: Bearer ${key}\r\n`;
    for (const credentials of new Set(['', bearer]))
      for (const [way, headers] of Object.entries(WAYS)) {
        const answers = new Set<string>();
        for (const path of pathsOf(server).filter((p) => p !== '/health' && !p.startsWith('/console/none'))) {
          const { head, body, status } = await rawRequest(port, get(path, headers + credentials));
          assert.equal(status, 403, `${way} ${path}`);
          answers.add(WITHOUT_DATE(head) + body);
        }
        assert.equal(answers.size, 1, [...answers].join('\n'));
        assert.match([...answers][0] ?? '', /urn:calltap:problem:foreign-origin/);
      }
    assert.deepEqual([readers.callIds, readers.dialogFilters, server.faults], [[], [], []]);
    for (const method of ['POST', 'HEAD', 'OPTIONS', 'DELETE', 'PUT'])
      for (const path of [`/v1/dialogs/${KNOWN}`, '/v1/dialogs/nobody', '/v1/persistence', '/mcp']) {
        const text = get(path, WAYS['fetch']).replace('GET', method);
        assert.equal((await rawRequest(port, text)).status, 403, `${method} ${path}`);
      }
  });

test('the console is served to a link from elsewhere, and to nothing else of another site', async (t) => {
  for (const key of [null, 'k3y']) {
    const { port } = await serve(t, key);
    for (const path of ['/', '/console', '/console/', '/console/keys.json'])
      for (const [way, headers] of Object.entries(WAYS)) {
        const { status } = await rawRequest(port, get(path, headers));
        const served = { '/': 307, '/console': 308 }[path] ?? 200;
        assert.equal(status, way === 'link' ? served : 403, `${way} ${path}`);
      }
    assert.equal((await rawRequest(port, get('/consoles/', WAYS['link']))).status, 403);
  }
});

test('health says ok to everybody, and pages of this site and the user may read', async (t) => {
  const { port } = await serve(t);
  for (const headers of Object.values(WAYS)) assert.equal((await rawRequest(port, get('/health', headers))).body, 'ok');
  for (const site of ['same-origin', 'same-site', 'none'])
    assert.equal((await rawRequest(port, get('/v1/stats', `Sec-Fetch-Site: ${site}\r\n`))).status, 200, site);
});

test('a WebSocket, which says its origin alone, is refused where no key is asked for', async (t) => {
  const { port } = await serve(t);
  const upgrade = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
  for (const call of [KNOWN, 'nobody']) {
    const asked = get(`/v1/dialogs/${call}`, `${upgrade}Origin: https://evil.example\r\n`);
    assert.equal((await rawRequest(port, asked)).status, 403, call);
  }
});

test('the metrics server refuses such a page before it looks at credentials', async (t) => {
  const basic = `Authorization: Basic ${Buffer.from('prom:secret').toString('base64')}\r\n`;
  for (const configured of [null, 'prom:secret']) {
    const port = await serveMetrics(t, configured);
    for (const path of ['/metrics', '/nowhere'])
      for (const credentials of ['', basic])
        assert.equal((await rawRequest(port, get(path, CROSS + credentials))).status, 403, path);
  }
});

test('every answer of every server keeps browsers apart', async (t) => {
  for (const key of [null, 'k3y']) {
    const server = await serve(t, key);
    const { port } = server;
    const bearer = key === null ? '' : `Authorization: Bearer ${key}\r\n`;
    const statuses = new Set<number>();
    const look = async (text: string, note = text.split('\r\n', 1)[0] ?? ''): Promise<void> => {
      const answer = await rawRequest(port, text, undefined, (seen) => /\n0\r\n\r\n$|^event: |^retry: /m.test(seen));
      statuses.add(answer.status);
      assertApart(answer, note);
    };
    for (const headers of ['', bearer, CROSS, 'Content-Encoding: gzip\r\n', 'Expect: x\r\n'])
      for (const path of [...pathsOf(server), '/console', '/console/']) await look(get(path, headers));
    for (const method of ['HEAD', 'POST', 'DELETE', 'OPTIONS', 'TRACE'])
      for (const path of ['/v1/stats', '/v1/persistence', '/mcp', '/console/'])
        await look(get(path, bearer).replace('GET', method));
    await look('GET /v1/stats HTTP/1.1\r\nConnection: close\r\n\r\n');
    await look('no request\r\n\r\n');
    await look(get('/v1/stats', `X: ${'y'.repeat(20_000)}\r\n`), 'a long header');
    await look('CONNECT x:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    for (const status of [200, 308, 400, 403, 404, 405, 414, 415, 417, 431])
      assert.ok(statuses.has(status), String(status));
    const metrics = await serveMetrics(t, key === null ? null : 'a:b');
    for (const text of [get('/metrics'), get('/'), get('/metrics').replace('GET', 'POST'), 'no request\r\n\r\n'])
      assertApart(await rawRequest(metrics, text), text);
  }
});

test('so do the refusals of too many requests and of too many connections', async (t) => {
  const few = await startApi(t, { maxConn: 1, requestsPerSecond: 2 });
  const held = rawRequest(few.port, 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ', 2_000).catch(() => null);
  const busy = await rawRequest(few.port, get('/health'));
  await held;
  const texts = await rawRequest(
    few.port,
    `${get('/health').replace('close', 'keep-alive').repeat(4)}${get('/health')}`,
  );
  const limited = (texts.head + texts.body).split(/(?=HTTP\/1\.1 )/).filter((text) => text.startsWith('HTTP/1.1 503'));
  assert.ok(limited.length > 0 && busy.status === 503);
  for (const head of [busy.head, ...limited]) assertApart({ head, status: 503, body: '' }, 'too many');
});
