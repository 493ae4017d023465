/** How the files of the console are served: to whom, compressed how, kept how long, and that nothing else is. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { packageRoot } from '../../src/core/package.ts';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import type { ConsoleFile } from '../../src/serve/console/files.ts';
import { encodingFor } from '../../src/serve/console/negotiate.ts';
import { get, rawRequest, startApi } from '../api/running-api.ts';
import { ask } from '../conformance/service.ts';

const FOLDER = join(packageRoot(), 'dist/console');
const BUDGET_BYTES = 100_000;
const NAMES = readdirSync(FOLDER).filter((name) => !/\.(br|gz)$/.test(name));

const log = (): void => undefined;

async function serve(t: TestContext, key?: string) {
  const credentials = createApiCredentials({ apiKey: key ?? null, signingKeys: [], isRevoked: () => false });
  return startApi(t, { ask: { log }, hasConsole: true, ...(credentials === null ? {} : { credentials }) });
}

test('the page and its files come compressed as asked, and are the same bytes', async (t) => {
  const { port } = await serve(t);
  for (const name of ['', ...NAMES]) {
    const path = `/console/${name}`;
    const plain = await ask(port, path);
    assert.equal(plain.status, 200, path);
    assert.equal(plain.headers['content-encoding'], undefined);
    const br = await ask(port, path, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    assert.equal(br.headers['content-encoding'], 'br');
    assert.equal(br.headers.vary, 'Accept-Encoding');
    assert.deepEqual(brotliDecompressSync(br.bytes), plain.bytes);
    const gzip = await ask(port, path, { headers: { 'accept-encoding': 'gzip;q=0.5, br;q=0' } });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
    const etags = new Set([plain, br, gzip].map(({ headers }) => headers.etag));
    assert.equal(etags.size, 3);
    for (const etag of etags) {
      const headers = { 'if-none-match': String(etag), 'accept-encoding': String(etag).includes('-br') ? 'br' : '' };
      const again = await ask(port, path, { headers });
      if (etag === plain.headers.etag || etag === br.headers.etag) assert.equal(again.status, 304);
      assert.ok(again.status === 304 ? again.bytes.length === 0 : true);
    }
    const head = await ask(port, path, { method: 'HEAD' });
    assert.deepEqual(
      [head.status, head.bytes.length, head.headers['content-length']],
      [200, 0, String(plain.bytes.length)],
    );
  }
});

test('what has a hash in its name is kept for ever, and the page is asked for again', async (t) => {
  const { port } = await serve(t);
  const kept = async (name: string): Promise<string> =>
    (await ask(port, `/console/${name}`)).headers['cache-control'] ?? '';
  assert.equal(await kept(''), 'no-cache');
  assert.equal(await kept('keys.json'), 'no-cache');
  const page = (await ask(port, '/console/')).text;
  const hashed = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => name ?? '');
  assert.equal(hashed.length, 3);
  for (const name of hashed) assert.match(await kept(name), /max-age=31536000, immutable/);
});

test('the policy lets in files of this service alone', async (t) => {
  const { port } = await serve(t);
  const { headers } = await ask(port, '/console/');
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  );
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  assert.equal(headers['cross-origin-embedder-policy'], 'require-corp');
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  assert.match(String(headers['content-type']), /^text\/html/);
});

test('only names of files are served, to reading methods', async (t) => {
  const { port } = await serve(t);
  for (const name of [
    '..%2Fpackage.json',
    '%2e%2e%2fpackage.json',
    '.%00',
    'index.html.br',
    'none.js',
    '__proto__',
    'constructor',
  ])
    assert.equal((await ask(port, `/console/${name}`)).status, 404, name);
  for (const path of ['/console/../package.json', '/console/a/b'])
    assert.equal((await rawRequest(port, get(path))).status, 404, path);
  const post = await ask(port, '/console/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD']);
  const bare = await ask(port, '/console');
  assert.deepEqual([bare.status, bare.headers.location], [308, 'console/']);
});

test('with a key the page is open and no data is; without one foreign hosts get nothing', async (t) => {
  const guarded = await serve(t, 'k3y');
  for (const name of ['', ...NAMES, 'keys.json'])
    assert.equal((await ask(guarded.port, `/console/${name}`)).status, 200);
  const foreign = 'GET /console/ HTTP/1.1\r\nHost: voice.example\r\nConnection: close\r\n\r\n';
  assert.equal((await rawRequest(guarded.port, foreign)).status, 200);
  for (const path of ['/ask/calls', '/ask/health', '/ask/changes', '/v1/stats', '/consoles/', '/metrics'])
    assert.equal((await ask(guarded.port, path)).status, 401, path);
  const open = await serve(t);
  assert.equal((await rawRequest(open.port, foreign)).status, 403);
  assert.equal((await rawRequest(open.port, get('/console/', 'Via: 1.1 proxy\r\n'))).status, 403);
});

test('without --console nothing of it is there', async (t) => {
  const { port } = await startApi(t, { ask: { log } });
  for (const path of ['/console', '/console/', '/console/keys.json']) assert.equal((await ask(port, path)).status, 404);
});

test('encodings: the smallest that is admitted', () => {
  const all: Pick<ConsoleFile, 'bytes'> = {
    bytes: new Map((['br', 'gzip', 'identity'] as const).map((e) => [e, Buffer.alloc(0)])),
  };
  const cases = {
    '': 'identity',
    '*': 'br',
    'br;q=0, *;q=0.1': 'gzip',
    GZIP: 'gzip',
    'br;q=x': 'identity',
    deflate: 'identity',
  };
  for (const [header, encoding] of Object.entries(cases)) assert.equal(encodingFor(header, all), encoding, header);
});

test(`all files together have less than ${BUDGET_BYTES} bytes compressed`, () => {
  const sizes = NAMES.map((name) => readFileSync(join(FOLDER, `${name}.gz`)).length);
  const sum = sizes.reduce((a, b) => a + b, 0);
  assert.ok(sum > 10_000 && sum < BUDGET_BYTES, String(sum));
});

test('the licences of what is inside lie beside it', () => {
  const text = readFileSync(join(FOLDER, 'NOTICE.txt'), 'utf8');
  assert.match(text, /preact[\s\S]*MIT[\s\S]*uplot[\s\S]*MIT/i);
});
