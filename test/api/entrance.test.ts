/** Who asks for the service itself: `/` leads to the console or says how to switch it on, `/ask` lists its questions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { asJson } from '../helpers/json.ts';
import { get, rawRequest, startApi } from './running-api.ts';

const ask = { log: () => undefined };
const made = createApiCredentials({ apiKey: 'sesame', signingKeys: [], isRevoked: () => false });
assert.ok(made !== null);
const guarded = { credentials: made };

test('/ leads to the console, and asks for no credentials: it holds no data', async (t) => {
  for (const guard of [{}, guarded]) {
    const { base } = await startApi(t, { ask, hasConsole: true, ...guard });
    const first = await fetch(`${base}/`, { redirect: 'manual' });
    assert.deepEqual([first.status, first.headers.get('location')], [307, 'console/']);
    const page = await fetch(`${base}/`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<!doctype html>/i);
  }
});

test('/ without a console is a sentence that says how to switch it on', async (t) => {
  const { base, port } = await startApi(t);
  const answer = await fetch(`${base}/`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(await answer.text(), /start calltap with --console beside --api, and it is at \/console\//);
  assert.equal((await fetch(`${base}/`, { method: 'POST' })).status, 405);
  // A page of another site learns nothing.
  const cross = 'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n';
  assert.equal((await rawRequest(port, get('/', cross))).status, 403);
  const { base: closed } = await startApi(t, guarded);
  assert.equal((await fetch(`${closed}/`)).status, 401);
  assert.equal((await fetch(`${closed}/`, { headers: { authorization: 'Bearer sesame' } })).status, 200);
});

test('/ask lists its questions, with credentials like each of them', async (t) => {
  const { base } = await startApi(t, { ask });
  const index = asJson(await (await fetch(`${base}/ask`)).json());
  const questions = index['questions'] as { readonly path: string; readonly summary: string }[];
  const paths = asJson(asJson(await (await fetch(`${base}/ask/openapi.json`)).json())['paths']);
  assert.equal(index['openapi'], '/ask/openapi.json');
  for (const { path, summary } of questions) {
    assert.equal(asJson(asJson(paths[path])['get'])['summary'], summary, path);
  }
  assert.equal(questions.length, Object.keys(paths).length - 1);
  const closed = await startApi(t, { ask, ...guarded });
  assert.equal((await fetch(`${closed.base}/ask`)).status, 401);
});

test('what is not switched on says by which option', async (t) => {
  const { base } = await startApi(t);
  for (const [path, option] of [
    ['/ask', '--ask'],
    ['/ask/calls', '--ask'],
    ['/console/', '--console'],
    ['/mcp', '--mcp'],
  ] as const) {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 404);
    assert.equal(asJson(await answer.json())['detail'], `Start calltap with ${option} for this.`);
  }
  const served = await startApi(t, { ask });
  for (const path of ['/ask/nothing', '/nowhere', '/asking'])
    assert.equal(
      asJson(await (await fetch(served.base + path)).json())['detail'],
      'Nothing is served at this address.',
    );
});
