/** Every route and status of this build, with each body validated strictly against the contract. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBLEMS } from '../../src/contract/index.ts';
import { Away, Cannot } from '../../src/explore/refusal.ts';
import { call, overHttp } from '../mcp/agent-kit.ts';
import { DIALOG_LIST, FULL_DIALOG, FULL_STREAM, PLAIN_DIALOG, PLAIN_STREAM, STATS, STREAM_LIST } from './documents.ts';
import { fakeReaders } from './fake-readers.ts';
import { startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

async function problem(response: Response, kind: keyof typeof PROBLEMS): Promise<string> {
  const { status, title } = PROBLEMS[kind];
  const body: unknown = await response.json();
  assert.equal(response.status, status);
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assertDocument('Problem', body);
  assert.ok(typeof body === 'object' && body !== null && 'type' in body && 'title' in body && 'status' in body);
  assert.equal(body.type, `urn:calltap:problem:${kind}`);
  assert.equal(body.title, title);
  assert.equal(body.status, status);
  return 'detail' in body ? String(body.detail) : '';
}

test('200: documents arrive whole and valid', async (t) => {
  const { base, faults } = await startApi(t);
  const cases: readonly (readonly [string, string, unknown])[] = [
    ['/v1/dialogs', 'DialogList', DIALOG_LIST],
    ['/v1/dialogs/full@example.net', 'Dialog', FULL_DIALOG],
    ['/v1/dialogs/plain', 'Dialog', PLAIN_DIALOG],
    ['/v1/streams', 'StreamList', STREAM_LIST],
    ['/v1/streams/0000abcd', 'RtpStream', FULL_STREAM],
    ['/v1/streams/0xffffffff', 'RtpStream', PLAIN_STREAM],
    ['/v1/stats', 'Stats', STATS],
  ];
  for (const [path, schema, expected] of cases) {
    const response = await fetch(base + path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    const body: unknown = await response.json();
    assertDocument(schema, body);
    // Equality also proves that nothing was dropped or rounded on the way.
    assert.deepEqual(body, expected, path);
  }
  assert.deepEqual(faults, []);
});

test('health is the text ok, also for HEAD', async (t) => {
  const { base } = await startApi(t);
  const response = await fetch(`${base}/health`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  assert.equal(await response.text(), 'ok');
  const head = await fetch(`${base}/health`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), '2');
});

test('HEAD answers like GET without a body, refusals too', async (t) => {
  const { base } = await startApi(t);
  const found = await fetch(`${base}/v1/dialogs/plain`, { method: 'HEAD' });
  assert.equal(found.status, 200);
  const missing = await fetch(`${base}/v1/dialogs/none`, { method: 'HEAD' });
  assert.equal(missing.status, 404);
  assert.match(missing.headers.get('content-type') ?? '', /problem\+json/);
  assert.equal(await missing.text(), '');
});

test('Call-IDs are taken escaped and raw', async (t) => {
  const readers = fakeReaders();
  const { base } = await startApi(t, { readers });
  const cases: readonly (readonly [string, string])[] = [
    ['full@example.net', 'full@example.net'],
    ['full%40example.net', 'full@example.net'],
    ['a%2Fb%3Fc%23d', 'a/b?c#d'],
    ['100%25', '100%'],
    ['%2540', '%40'],
    ['a+b%20c', 'a+b c'],
    ['%C3%A4', 'ä'],
    ['..%2F..', '../..'],
    ['x;y=1', 'x;y=1'],
    ['x'.repeat(2000), 'x'.repeat(2000)],
  ];
  for (const [path, callId] of cases) {
    const response = await fetch(`${base}/v1/dialogs/${path}`);
    assert.equal(readers.callIds.at(-1), callId);
    assert.equal(response.status, callId === 'full@example.net' ? 200 : 404);
    await response.arrayBuffer();
  }
});

test('404: unknown dialog, stream, address', async (t) => {
  const { base } = await startApi(t);
  await problem(await fetch(`${base}/v1/dialogs/nobody`), 'not-found');
  await problem(await fetch(`${base}/v1/streams/1`), 'not-found');
  await problem(await fetch(`${base}/v1/nothing`), 'not-found');
  await problem(await fetch(`${base}/v1/dialogs/`), 'not-found');
  await problem(await fetch(`${base}/V1/dialogs`), 'not-found');
  for (const path of ['report', 'correlated', 'tree', 'lint', 'vcon', 'audio']) {
    await problem(await fetch(`${base}/v1/dialogs/nobody/${path}`), 'not-found');
  }
});

test('405 names what is allowed', async (t) => {
  const { base } = await startApi(t);
  for (const path of ['/health', '/metrics', '/v1/dialogs', '/v1/dialogs/a%2Fb', '/v1/streams/1', '/v1/stats?x=1']) {
    const response = await fetch(base + path, { method: 'POST', body: 'x', headers: { 'content-type': 'text/xml' } });
    assert.equal(response.headers.get('allow'), 'GET, HEAD');
    await problem(response, 'method-not-allowed');
  }
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    await problem(await fetch(`${base}/v1/dialogs`, { method }), 'method-not-allowed');
  }
  const persistence = await fetch(`${base}/v1/persistence`, { method: 'PUT' });
  assert.equal(persistence.headers.get('allow'), 'GET, HEAD, POST');
});

test('SSRC: 1 to 8 hex digits, with or without 0x', async (t) => {
  const { base } = await startApi(t);
  for (const ssrc of ['abcd', 'ABCD', '0xabcd', '0XABCD', '0000abcd', '0x0000abcd']) {
    const response = await fetch(`${base}/v1/streams/${ssrc}`);
    assert.equal(response.status, 200, ssrc);
    await response.arrayBuffer();
  }
  const wrong = ['0x', 'xyz', '123456789', '0x123456789', '-1', '1.5', '%20abcd', 'abcd%20', 'abcd%0A', '0x0xab'];
  for (const ssrc of wrong) {
    const detail = await problem(await fetch(`${base}/v1/streams/${ssrc}`), 'invalid-parameter');
    assert.match(detail, /^ssrc /);
  }
});

test('a fault of a reader is a 500 that tells the client nothing', async (t) => {
  const secret = new Error('secret detail');
  const readers = fakeReaders({
    stats: () => {
      throw secret;
    },
  });
  const { base, faults } = await startApi(t, { readers });
  const detail = await problem(await fetch(`${base}/v1/stats`), 'internal');
  assert.equal(detail, '');
  assert.deepEqual(faults, [secret]);
});

test('what other hosts do not answer is a problem that says why, and no fault', async (t) => {
  type Kind = 'too-wide' | 'agent-away' | 'store-away';
  const said = 'sbc1 does not answer in time.';
  const why = (kind: Kind): Error => (kind === 'too-wide' ? new Cannot(kind, said) : new Away(kind, said));
  for (const kind of ['too-wide', 'agent-away', 'store-away'] as const) {
    const readers = fakeReaders({
      stats: () => Promise.reject(why(kind)),
      changes: () => Promise.reject(why(kind)),
    });
    const log = (): void => undefined;
    const { base, faults } = await startApi(t, { readers, ask: { log }, mcp: { credentials: null, log } });
    const detail = await problem(await fetch(`${base}/v1/stats`), kind);
    assert.equal(detail, 'sbc1 does not answer in time.');
    const told = await call(await overHttp(t, base, '2026-07-28'), 'capture_stats');
    assert.deepEqual([told.isRefusal, told.texts], [true, ['sbc1 does not answer in time.']]);
    // Who reads changes goes on: the store may be there again.
    const changes = await fetch(`${base}/ask/changes`);
    assert.equal(changes.status, 200);
    await changes.body?.cancel();
    assert.deepEqual(faults, []);
  }
});

test('metrics are the exposition format and count the answers of the API', async (t) => {
  const { base } = await startApi(t);
  await (await fetch(`${base}/v1/dialogs/nobody`)).arrayBuffer();
  const response = await fetch(`${base}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  assert.match(text, /^service_dialogs_total\{state="incall"\} 1$/m);
  assert.match(text, /^calltap_api_responses_total\{code="404"\} 1$/m);
  assert.match(text, /^calltap_build_info\{version="0\.0\.0-test",features="[a-z ]+"\} 1$/m);
});
