/** The interface's section Authentication, sentence by sentence and over sockets; the numbers are those of its list. */

import assert from 'node:assert/strict';
import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { ProblemKind } from '../../src/contract/index.ts';
import { PROBLEMS } from '../../src/contract/index.ts';
import { createApi } from '../../src/serve/api/server.ts';
import type { ApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import { readApiCredentials } from '../../src/serve/auth/configured.ts';
import { mintToken, signingKey } from '../../src/serve/auth/token.ts';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { forge, forgeClaims } from '../unit/serve/auth/forged-token.ts';
import { fakeReaders } from './fake-readers.ts';
import type { RawAnswer, RunningApi } from './running-api.ts';
import { absentPeer, get, oneAnswer, rawRequest, startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

const KEY = 'static-key-0123456789';
const SIGNING = ['newest signing key', 'older signing key'];
const soon = (): number => Math.floor(Date.now() / 1000) + 60;
const token = (claims: Readonly<Record<string, unknown>> = {}, key = SIGNING[0] ?? ''): string =>
  forgeClaims({ exp: soon(), ...claims }, key);
const bearer = (credentials: string): string => `Authorization: Bearer ${credentials}\r\n`;

function credentials(revoked: readonly string[] = []): ApiCredentials {
  const made = createApiCredentials({
    apiKey: KEY,
    signingKeys: SIGNING,
    isRevoked: (id) => revoked.includes(id),
  });
  assert.ok(made);
  return made;
}

async function start(t: TestContext, revoked: readonly string[] = []): Promise<RunningApi> {
  return startApi(t, { credentials: credentials(revoked) });
}

function assertProblem({ status, head, body }: RawAnswer, kind: ProblemKind, note = ''): void {
  assert.equal(status, PROBLEMS[kind].status, `${note} ${head}`);
  const document: unknown = JSON.parse(body);
  assertDocument('Problem', document);
  assert.ok(typeof document === 'object' && document !== null && 'type' in document);
  assert.equal(document.type, `urn:calltap:problem:${kind}`, note);
  assert.match(head, /^content-type: application\/problem\+json/im, note);
}

function assert401(answer: RawAnswer, note = ''): void {
  assertProblem(answer, 'unauthorized', note);
  assert.match(answer.head, /^www-authenticate: Bearer$/im, note);
}

/** Every route of the interface but /health, addresses nobody serves, and ones the router itself refuses. */
const GUARDED = [
  '/v1/dialogs',
  '/v1/dialogs/plain',
  '/v1/dialogs/nobody',
  '/v1/streams',
  '/v1/streams/abcd',
  '/v1/stats',
  '/metrics',
  '/openapi.json',
  ...['report', 'correlated', 'tree', 'lint', 'vcon', 'audio'].map((each) => `/v1/dialogs/plain/${each}`),
  ...['report', 'persistence', 'peer/status', 'peer/banned', 'peer/dropped', 'peer/labels'].map(
    (each) => `/v1/${each}`,
  ),
  '/nowhere',
  '/',
  '/health/',
  '/health/x',
  '//health',
  '/Health',
  '/v1/health',
  '/v1/dialogs/%zz',
  `/v1/dialogs/${'a'.repeat(3000)}`,
  '/v1/dialogs?limit=x',
];

test('1: credentials are taken from Authorization: Bearer only', async (t) => {
  const { port } = await start(t);
  const basic = Buffer.from(`user:${KEY}`).toString('base64');
  const keyOnly = Buffer.from(`${KEY}:`).toString('base64');
  const wrong: readonly string[] = [
    '',
    `X-API-Key: ${KEY}\r\n`,
    `Api-Key: ${KEY}\r\n`,
    `Cookie: token=${KEY}; Authorization=Bearer ${KEY}\r\n`,
    `Proxy-Authorization: Bearer ${KEY}\r\n`,
    `Authorization: ${KEY}\r\n`,
    `Authorization: Basic ${basic}\r\n`,
    `Authorization: Basic ${keyOnly}\r\n`,
    `Authorization: Token ${KEY}\r\n`,
    `Authorization: Bearer${KEY}\r\n`,
    `Authorization: Bearer: ${KEY}\r\n`,
    `Authorization: Bearer "${KEY}"\r\n`,
    `Authorization: Bearer ${KEY} x\r\n`,
    `Authorization: Bearer ${KEY}, Bearer x\r\n`,
    'Authorization: Bearer\r\n',
    'Authorization:\r\n',
  ];
  for (const headers of wrong) assert401(await rawRequest(port, get('/v1/stats', headers)), headers);
  for (const query of ['api_key', 'apikey', 'key', 'token', 'access_token', 'authorization']) {
    assert401(await rawRequest(port, get(`/v1/stats?${query}=${KEY}`)), query);
  }
});

test('1: the scheme is matched without regard to case, as RFC 9110 has it', async (t) => {
  const { port } = await start(t);
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const answer = await rawRequest(port, get('/v1/stats', `aUtHoRiZaTiOn: ${scheme} ${KEY}\r\n`));
    assert.equal(answer.status, 200, scheme);
  }
});

test('1: two Authorization fields are refused, whichever of them is right', async (t) => {
  const { port } = await start(t);
  for (const fields of [bearer(KEY) + bearer('x'), bearer('x') + bearer(KEY), bearer(KEY) + bearer(KEY)]) {
    assert401(await rawRequest(port, get('/v1/stats', fields)));
  }
});

test('2: the static key is full scope, bound to no audience and does not end', async (t) => {
  const { port } = await start(t);
  for (const path of ['/v1/dialogs', '/v1/streams', '/v1/stats', '/metrics', '/openapi.json']) {
    assert.equal((await rawRequest(port, get(path, bearer(KEY)))).status, 200, path);
  }
  for (const wrong of [KEY.slice(1), KEY.slice(0, -1), `${KEY}0`, KEY.toUpperCase(), 'x', 'x'.repeat(8000)]) {
    assert401(await rawRequest(port, get('/v1/stats', bearer(wrong))), wrong);
  }
});

test('3: a token made by hand after the specification is accepted', async (t) => {
  const { port } = await start(t);
  assert.equal((await rawRequest(port, get('/v1/stats', bearer(token())))).status, 200);
  assert.equal((await rawRequest(port, get('/v1/stats', bearer(token({ scope: 'full' }))))).status, 200);
});

test('4: verification fails closed', async (t) => {
  const { port } = await start(t, ['gone']);
  const valid = token();
  const [, payload = '', mac = ''] = valid.split('.');
  const cases: Readonly<Record<string, string>> = {
    'a key that is not configured': token({}, 'some other key'),
    'the audience mcp': token({ aud: 'mcp' }),
    'exp is now': token({ exp: Math.floor(Date.now() / 1000) }),
    'exp is over': token({ exp: 1 }),
    'the id is revoked': token({ id: 'gone' }),
    'the older s1 form': forge(JSON.stringify({ id: 'a', exp: soon() }), SIGNING[0] ?? '', 's1'),
    'the older s1 form with an audience': forge(
      JSON.stringify({ id: 'a', exp: soon(), aud: 'api' }),
      SIGNING[0] ?? '',
      's1',
    ),
    'no signature': `s2.${payload}`,
    'an empty signature': `s2.${payload}.`,
    padding: `s2.${payload}.${mac}=`,
    'a payload that is no JSON': forge('not json', SIGNING[0] ?? ''),
    'an exp that is text': token({ exp: String(soon()) }),
    'no id': token({ id: undefined }),
    'no audience': token({ aud: undefined }),
    'a JWT': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
  };
  for (const [name, text] of Object.entries(cases)) {
    assert401(await rawRequest(port, get('/v1/stats', bearer(text))), name);
  }
  assert.equal((await rawRequest(port, get('/v1/stats', bearer(valid)))).status, 200);
});

test('4: a token stops verifying while the service runs', async (t) => {
  const { port } = await start(t);
  const [ending, endMs] = await until(
    async () => {
      const exp = Math.floor(Date.now() / 1000) + 2;
      const made = token({ exp });
      const { status } = await rawRequest(port, get('/v1/stats', bearer(made)));
      // A machine that does other things may take the two seconds for the question.
      if (Date.now() >= exp * 1000) return false;
      assert.equal(status, 200);
      return [made, exp * 1000] as const;
    },
    () => 'no answer comes within two seconds',
  );
  await new Promise((resolve) => setTimeout(resolve, endMs - Date.now() + 5));
  assert401(await rawRequest(port, get('/v1/stats', bearer(ending))));
});

test('5: a metrics token reaches GET /metrics only, full reaches everything', async (t) => {
  const { port } = await start(t);
  const metrics = bearer(token({ scope: 'metrics' }));
  assert.equal((await rawRequest(port, get('/metrics', metrics))).status, 200);
  for (const path of GUARDED.filter((each) => each !== '/metrics')) {
    assert401(await rawRequest(port, get(path, metrics)), path);
  }
  for (const path of ['/metrics/', '/metrics/x', '/metricsx', '/v1/metrics']) {
    assert401(await rawRequest(port, get(path, metrics)), path);
  }
  assert401(await rawRequest(port, get('/metrics', metrics).replace('GET', 'POST')));
  const full = bearer(token({ scope: 'full' }));
  assert.equal((await rawRequest(port, get('/metrics', full))).status, 200);
  assert.equal((await rawRequest(port, get('/v1/dialogs', full))).status, 200);
});

test('5: an unknown scope is refused everywhere, also on /metrics', async (t) => {
  const { port } = await start(t);
  for (const scope of ['admin', '', 'Metrics', 'full,metrics']) {
    for (const path of ['/v1/stats', '/metrics']) {
      assert401(await rawRequest(port, get(path, bearer(token({ scope })))), scope);
    }
  }
});

test('6: minting uses the first key, the key of the file goes before it, and all verify', async (t) => {
  const folder = temporaryFolder(t);
  const apiSigningKeyFile = join(folder, 'key');
  writeFileSync(apiSigningKeyFile, '  from a file\n');
  const config = { apiKey: null, apiKeyFile: null, apiSigningKey: SIGNING, apiSigningKeyFile, apiRevokedFile: null };
  const made = readApiCredentials(config, () => undefined);
  assert.ok(made);
  const { port } = await startApi(t, { credentials: made });
  for (const key of ['from a file', ...SIGNING]) {
    const text = mintToken({ id: 'a', expSecs: soon(), audience: 'api', scope: 'full' }, signingKey(key));
    assert.equal((await rawRequest(port, get('/v1/stats', bearer(text)))).status, 200, key);
  }
  assert401(await rawRequest(port, get('/v1/stats', bearer(token({}, '  from a file\n')))));
});

test('6: a revocation counts for the next request, without a restart; a lost file keeps its list', async (t) => {
  const folder = temporaryFolder(t);
  const apiRevokedFile = join(folder, 'revoked');
  writeFileSync(apiRevokedFile, '# nobody yet\n\n');
  const warnings: string[] = [];
  const config = { apiKey: KEY, apiKeyFile: null, apiSigningKey: SIGNING, apiSigningKeyFile: null, apiRevokedFile };
  const made = readApiCredentials(config, (line) => warnings.push(line));
  assert.ok(made);
  const { port } = await startApi(t, { credentials: made });
  const ask = async (id: string): Promise<number> =>
    (await rawRequest(port, get('/v1/stats', bearer(token({ id }))))).status;
  assert.equal(await ask('job-1'), 200);
  writeFileSync(apiRevokedFile, '# nobody yet\n\n  job-1  \n');
  assert.equal(await ask('job-1'), 401);
  assert.equal(await ask('job-2'), 200);
  writeFileSync(apiRevokedFile, '# nobody yet\n\n  job-2  \n');
  assert.equal(await ask('job-1'), 200);
  assert.equal(await ask('job-2'), 401);
  unlinkSync(apiRevokedFile);
  assert.equal(await ask('job-2'), 401);
  assert.equal(await ask('job-3'), 200);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^--api-revoked-file .*: there is no such file; /);
  assert.equal((await rawRequest(port, get('/v1/stats', bearer(KEY)))).status, 200, 'a static key has no id');
});

test('7: tokens of the old and the new key are valid at once, until the old key is dropped', async (t) => {
  const before = await start(t);
  const [newest = '', older = ''] = SIGNING;
  assert.equal((await rawRequest(before.port, get('/v1/stats', bearer(token({}, newest))))).status, 200);
  assert.equal((await rawRequest(before.port, get('/v1/stats', bearer(token({}, older))))).status, 200);
  const dropped = createApiCredentials({ apiKey: null, signingKeys: [newest], isRevoked: () => false });
  assert.ok(dropped);
  const after = await startApi(t, { credentials: dropped });
  assert.equal((await rawRequest(after.port, get('/v1/stats', bearer(token({}, newest))))).status, 200);
  assert401(await rawRequest(after.port, get('/v1/stats', bearer(token({}, older)))));
});

test('8: without credentials every endpoint is open, whatever a client presents', async (t) => {
  const { port } = await startApi(t);
  for (const headers of ['', bearer('anything'), 'Authorization: Basic x\r\n']) {
    for (const path of ['/health', '/v1/stats', '/metrics', '/openapi.json']) {
      assert.equal((await rawRequest(port, get(path, headers))).status, 200, path);
    }
  }
});

test('8: with credentials a bind beyond loopback is accepted, and still guarded', async (t) => {
  const api = await createApi({
    peer: absentPeer(),
    readers: fakeReaders(),
    maxRows: 10,
    maxConn: 10,
    version: '0',
    credentials: credentials(),
    onFault: () => undefined,
  });
  t.after(() => api.close());
  const bound = await api.listen({ host: '0.0.0.0', port: 0 });
  const port = Number(bound.split(':').at(-1));
  assert.match(bound, /^0\.0\.0\.0:[1-9]/);
  assert401(await rawRequest(port, get('/v1/stats')));
  assert.equal((await rawRequest(port, get('/v1/stats', bearer(KEY)))).status, 200);
});

test('9: every endpoint except /health requires credentials', async (t) => {
  const { port } = await start(t);
  for (const path of GUARDED) assert401(await rawRequest(port, get(path)), path);
  for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND']) {
    const answer = await rawRequest(port, get('/v1/stats').replace('GET', method));
    assert.equal(answer.status, 401, method);
  }
});

test('9: /health is open to everybody, also with credentials that are wrong', async (t) => {
  const { port } = await start(t);
  for (const headers of ['', bearer('wrong'), bearer(token({ exp: 1 })), bearer(token({ scope: 'metrics' }))]) {
    const answer = await rawRequest(port, get('/health?x=1', headers));
    assert.equal(answer.status, 200);
    assert.equal(answer.body, 'ok');
  }
  assert.equal((await rawRequest(port, get('/health').replace('GET', 'HEAD'))).status, 200);
  const post = await rawRequest(port, get('/health').replace('GET', 'POST'));
  assert.equal(post.status, 405, 'the address is open, whatever it is asked');
  assert.match(post.head, /^allow: GET, HEAD$/im);
  assert.equal((await rawRequest(port, get('/health', 'Expect: a-miracle\r\n'))).status, 417);
  assert.equal((await rawRequest(port, get('http://x/health'))).status, 200);
  for (const path of ['/health/', '//health', '/healthy', '/v1/health', 'http://x']) {
    assert401(await rawRequest(port, get(path)), path);
  }
});

test('9: nothing of a request is judged before its credentials', async (t) => {
  const { port } = await start(t);
  const post = (path: string, headers: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n${body}`;
  assert401(
    await rawRequest(port, post('/v1/persistence', 'Content-Type: application/json\r\nContent-Length: 1\r\n', '{')),
  );
  assert401(await rawRequest(port, post('/v1/stats', 'Content-Length: 9999999\r\n', '')));
  assert401(await rawRequest(port, post('/v1/peer/ban', 'Content-Type: text/xml\r\nContent-Length: 1\r\n', 'x')));
  assert401(await rawRequest(port, 'GET /v1/stats HTTP/1.1\r\nConnection: close\r\n\r\n'), 'no Host');
  assert401(await rawRequest(port, get('/v1/stats', 'Expect: a-miracle\r\n')), 'an unknown expectation');
  assert401(await rawRequest(port, 'CONNECT example.net:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'), 'CONNECT');
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  assert401(await oneAnswer(port, `GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\n${upgrade}\r\n`), 'Upgrade');
});

test('9: with credentials the same requests get the answers they have without authentication', async (t) => {
  const { port } = await start(t);
  const ask = (text: string): Promise<RawAnswer> => rawRequest(port, text);
  assertProblem(await ask(get('/nowhere', bearer(KEY))), 'not-found');
  assertProblem(await ask(get('/v1/dialogs/%zz', bearer(KEY))), 'bad-request');
  assertProblem(await ask(get('/v1/stats', bearer(KEY)).replace('GET', 'PUT')), 'method-not-allowed');
  assertProblem(await ask(get('/v1/stats', `Expect: a-miracle\r\n${bearer(KEY)}`)), 'expectation-failed');
  const connect = `CONNECT example.net:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n${bearer(KEY)}\r\n`;
  assertProblem(await ask(connect), 'method-not-allowed');
});

test('9: credentials hold for one request, not for the connection', async (t) => {
  const { port } = await start(t);
  const first = `GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\n${bearer(KEY)}\r\n`;
  const { status, body } = await rawRequest(port, first + get('/v1/stats'));
  assert.equal(status, 200);
  assert.match(body, /HTTP\/1\.1 401 /);
});

test('10: an over-budget client receives 503 even with invalid credentials', async (t) => {
  const { port } = await start(t);
  const ask = (headers: string, path = '/v1/stats'): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;
  const over = [ask(''), ask(bearer('wrong')), ask(bearer(KEY)), ask('', '/health'), get('/nowhere', bearer('wrong'))];
  // On one connection, so that all of them fall into one second.
  const { head, body } = await rawRequest(port, ask(bearer('wrong')).repeat(100) + over.join(''));
  const statuses = [...(head + body).matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map((found) => Number(found[1]));
  assert.deepEqual(statuses, [...Array.from({ length: 100 }, () => 401), ...over.map(() => 503)]);
  assert.equal((body.match(/urn:calltap:problem:rate-limited/g) ?? []).length, over.length);
});

test('11: /metrics on the API uses the same Bearer credential, never Basic', async (t) => {
  const { port } = await start(t);
  assert401(await rawRequest(port, get('/metrics')));
  const basic = Buffer.from(`prom:${KEY}`).toString('base64');
  assert401(await rawRequest(port, get('/metrics', `Authorization: Basic ${basic}\r\n`)));
  assert.equal((await rawRequest(port, get('/metrics', bearer(KEY)))).status, 200);
});

test('14: persistence and peer routes sit behind the same authentication', async (t) => {
  const { port } = await start(t);
  for (const path of ['persistence', 'peer/ban', 'peer/unban']) {
    assert401(await rawRequest(port, get(`/v1/${path}`).replace('GET', 'POST')), path);
    const answer = await rawRequest(port, get(`/v1/${path}`, bearer(KEY)).replace('GET', 'POST'));
    assert.notEqual(answer.status, 401, path);
  }
});

test('no answer repeats what was presented, and the refusals are counted by reason', async (t) => {
  const { port, faults } = await start(t);
  const secrets = ['presented-secret', token({ id: 'presented-id', exp: 5 }), token({ scope: 'presented-scope' })];
  for (const secret of secrets) {
    const answer = await rawRequest(port, get('/v1/stats', bearer(secret)));
    assert401(answer);
    for (const part of ['presented', KEY, ...SIGNING, secret]) assert.ok(!(answer.head + answer.body).includes(part));
  }
  await rawRequest(port, get('/v1/stats'));
  const page = await rawRequest(port, get('/metrics', bearer(KEY)));
  for (const reason of ['unknown', 'expired', 'unknown-scope', 'missing']) {
    assert.match(page.body, new RegExp(`^calltap_api_unauthorized_total\\{reason="${reason}"\\} 1$`, 'm'));
  }
  assert.ok(!page.body.includes(KEY) && !page.body.includes('presented'));
  assert.deepEqual(faults, []);
});
