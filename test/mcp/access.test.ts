/** Who may ask the agent protocol: tokens for it alone, no page of a browser, nobody from elsewhere without credentials. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { createApiCredentials } from '../../src/serve/auth/api-credentials.ts';
import type { TokenAudience, TokenScope } from '../../src/serve/auth/token.ts';
import { mintToken, signingKey } from '../../src/serve/auth/token.ts';
import type { RunningApi } from '../api/running-api.ts';
import { rawRequest, startApi } from '../api/running-api.ts';
import { call, overHttp, REVISIONS } from './agent-kit.ts';

const KEY = 'k'.repeat(40);
const OTHER = 'o'.repeat(40);
const revoked = new Set<string>();

function token(audience: TokenAudience, key = KEY, scope: TokenScope = 'full', inSecs = 600): string {
  const expSecs = Math.floor(Date.now() / 1000) + inSecs;
  return mintToken({ id: `${audience}-${inSecs}`, expSecs, audience, scope }, signingKey(key));
}

function serve(t: TestContext): Promise<RunningApi> {
  const isRevoked = (id: string): boolean => revoked.has(id);
  const credentials = createApiCredentials({ apiKey: 'static-key', signingKeys: [KEY], isRevoked });
  const agents = createApiCredentials({ apiKey: null, signingKeys: [KEY, OTHER], audience: 'mcp', isRevoked });
  assert.ok(credentials !== null && agents !== null);
  return startApi(t, { credentials, mcp: { credentials: agents, log: () => undefined } });
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});

async function post(base: string, headers: Record<string, string>): Promise<number> {
  const accept = 'application/json, text/event-stream';
  const init = {
    method: 'POST',
    body: INITIALIZE,
    headers: { 'content-type': 'application/json', accept, ...headers },
  };
  const response = await fetch(`${base}/mcp`, init);
  await response.text();
  return response.status;
}

test('a token for MCP reaches it, and nothing else does', async (t) => {
  const { base } = await serve(t);
  const statusOf = (bearer: string): Promise<number> => post(base, { authorization: `Bearer ${bearer}` });
  assert.equal(await post(base, {}), 401);
  assert.equal(await statusOf('static-key'), 401);
  assert.equal(await statusOf(token('api')), 401);
  assert.equal(await statusOf(token('mcp', KEY, 'metrics')), 401);
  assert.equal(await statusOf(token('mcp', 'z'.repeat(40))), 401);
  assert.equal(await statusOf(token('mcp', KEY, 'full', -1)), 401);
  assert.equal(await statusOf(token('mcp')), 200);
  assert.equal(await statusOf(token('mcp', OTHER)), 200);
  // And the other way round.
  const headers = { authorization: `Bearer ${token('mcp')}` };
  assert.equal((await fetch(`${base}/v1/stats`, { headers })).status, 401);
  revoked.add('mcp-600');
  assert.equal(await statusOf(token('mcp')), 401);
  revoked.clear();
});

test('who brings the wrong thing hears what MCP takes', async (t) => {
  const { base } = await serve(t);
  const said = async (headers: Record<string, string>): Promise<string> =>
    (await fetch(`${base}/mcp`, { method: 'POST', headers })).text();
  assert.match(await said({}), /with a token for MCP \(calltap --mint-token\)/);
  assert.match(await said({ authorization: 'Bearer static-key' }), /MCP takes tokens of its own .* and no key/);
  assert.match(await (await fetch(`${base}/v1/stats`)).text(), /with a key or a token/);
});

test('requests that share a connection leave nothing on it', async (t) => {
  const { base } = await serve(t);
  const warnings: string[] = [];
  const note = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const client = await overHttp(t, base, '2025-11-25', token('mcp'));
  for (let i = 0; i < 25; i++) await call(client, 'capture_stats');
  assert.deepEqual(warnings, []);
});

test('the lists of tools and resources are said to stay as they are', async (t) => {
  const { base } = await serve(t);
  for (const revision of REVISIONS) {
    const client = await overHttp(t, base, revision, token('mcp'));
    const { tools, resources } = client.getServerCapabilities() ?? {};
    assert.deepEqual([tools, resources], [{ listChanged: false }, { listChanged: false }]);
  }
});

test('the client of the library gets through with a token', async (t) => {
  const { base } = await serve(t);
  const client = await overHttp(t, base, '2026-07-28', token('mcp'));
  assert.equal((await call(client, 'capture_stats')).isRefusal, false);
});

test('a page of another origin is refused, with a token too', async (t) => {
  const { base } = await serve(t);
  const authorization = `Bearer ${token('mcp')}`;
  assert.equal(await post(base, { authorization, origin: 'https://evil.example' }), 403);
  assert.equal(await post(base, { authorization, origin: base }), 200);
});

test('without credentials: this host alone, no proxy, no page', async (t) => {
  const { base, port } = await startApi(t, { mcp: { credentials: null, log: () => undefined } });
  assert.equal(await post(base, {}), 200);
  assert.equal(await post(base, { origin: 'https://evil.example' }), 403);
  assert.equal(await post(base, { 'x-forwarded-for': '192.0.2.1' }), 403);
  const length = Buffer.byteLength(INITIALIZE);
  const head = `POST /mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  assert.equal((await rawRequest(port, head + INITIALIZE)).status, 403);
});

test('what is no request of the protocol is refused in its own words', async (t) => {
  const { base } = await startApi(t, { mcp: { credentials: null, log: () => undefined } });
  const accept = 'application/json, text/event-stream';
  const send = async (method: string, body?: string, type = 'application/json'): Promise<number> => {
    const response = await fetch(`${base}/mcp`, {
      method,
      headers: body === undefined ? { accept } : { accept, 'content-type': type },
      ...(body !== undefined && { body }),
    });
    await response.text();
    return response.status;
  };
  assert.equal(await send('GET'), 405);
  assert.equal(await send('DELETE'), 405);
  assert.equal(await send('PUT', '{}'), 405);
  for (const body of ['{', '{}', '[]', '7', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 'a'.repeat(2_000_000)]) {
    const status = await send('POST', body);
    assert.ok(status >= 200 && status < 500, `${body.slice(0, 20)}: ${status}`);
  }
  // What the library takes apart key by key has an end before it does.
  const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]));
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: keys } });
  assert.equal(await send('POST', ping), 413);
  assert.equal(await send('POST', INITIALIZE, 'text/plain'), 415);
});

test('a connection that is to be closed after the answer is', async (t) => {
  const { port } = await startApi(t, { mcp: { credentials: null, log: () => undefined } });
  const accept = 'Accept: application/json, text/event-stream';
  const ask = (connection: string): string =>
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: ${connection}\r\n${accept}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(INITIALIZE)}\r\n\r\n${INITIALIZE}`;
  const { status, head, body } = await rawRequest(port, ask('close'));
  assert.equal(status, 200);
  assert.match(body, /"serverInfo"/);
  assert.match(head, /^connection: close$/im);
  assert.doesNotMatch(head, /keep-alive|transfer-encoding/i);
  const kept = await rawRequest(port, ask('keep-alive') + ask('close'));
  assert.equal((kept.head + kept.body).split('HTTP/1.1 200').length, 3);
});

test('/mcp is not there without --mcp', async (t) => {
  const { base } = await startApi(t);
  assert.equal(await post(base, {}), 404);
});

function runCli(args: readonly string[]) {
  return spawnSync(process.execPath, ['dist/program/calltap.js', ...args], { encoding: 'utf8' });
}

test('options: what MCP needs, and a token for it', () => {
  const refused = (...args: string[]): string => {
    const { status, stderr } = runCli(args);
    assert.equal(status, 2, stderr);
    return stderr;
  };
  assert.match(refused('-I', 'a', '--mcp'), /--mcp: .*--api/);
  assert.match(
    refused('-I', 'a', '--api', '1', '--api-key', 'k', '--mcp'),
    /MCP takes none of them; give --mcp-signing-key/,
  );
  assert.match(refused('-I', 'a', '--api', '1', '--mcp-signing-key', KEY), /there is no MCP to guard/);
  const { stdout, stderr, status } = runCli(['--mint-token', '--mcp-signing-key', KEY]);
  assert.equal(status, 0);
  assert.match(stdout, /^s2\./);
  assert.match(stderr, /audience mcp/);
});
