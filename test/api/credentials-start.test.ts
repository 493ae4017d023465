/** The built program with credentials: what it mints, what it refuses to start with, and what it never prints. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { base64url, forgeClaims } from '../unit/serve/auth/forged-token.ts';
import { get, rawRequest } from './running-api.ts';

const MAIN = fileURLToPath(new URL('../../program/calltap.js', import.meta.url));

type Env = Readonly<Record<string, string>>;
type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

function start(argv: readonly string[], env: Env = {}): ChildProcess {
  // The variables of whoever runs the tests must not decide what they find.
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [MAIN, ...argv], { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

function run(argv: readonly string[], env: Env = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = start(argv, env);
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk;
      });
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...text });
    });
  });
}

/** Serves an empty capture; the port of the API, then that of the metrics. */
async function serve(t: TestContext, argv: readonly string[], env: Env = {}, listeners = 1) {
  const child = start(['-I', capture(t), ...argv], env);
  t.after(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  const ports = await new Promise<number[]>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      output.stderr += chunk.toString();
      const lines = [...output.stderr.matchAll(/^(\w+) listening on http:\/\/\S+:([0-9]+)\n/gm)];
      const found = lines.sort((a, b) => (a[0] < b[0] ? -1 : 1)).map((match) => Number(match[2]));
      if (found.length === listeners) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`exit ${code}: ${output.stderr}`)));
  });
  return { child, ports, output };
}

/** A pcap file header (little endian, version 2.4, Ethernet) and no packet. */
function capture(t: TestContext): string {
  const path = join(temporaryFolder(t), 'empty.pcap');
  writeFileSync(path, Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex'));
  return path;
}

function assertRefused({ code, stdout, stderr }: Ended, pattern: RegExp): void {
  assert.equal(code, 2, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /^calltap: [^\n]+\n$/, 'one line');
  assert.match(stderr, pattern);
}

function payloadOf(token: string): Readonly<Record<string, unknown>> {
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  assert.ok(typeof payload === 'object' && payload !== null);
  return { ...payload };
}

function assertSigned(token: string, key: string): void {
  const [prefix, payload, mac] = token.split('.');
  assert.equal(prefix, 's2');
  assert.equal(mac, base64url(createHmac('sha256', key).update(`s2.${payload}`).digest()));
}

test('--mint-token prints a token alone on standard output, starts nothing and exits 0', async () => {
  const before = Math.floor(Date.now() / 1000);
  const { code, stdout, stderr } = await run(['--mint-token', '--api-signing-key', 'k1', '--api-signing-key', 'k2']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^s2\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}\n$/);
  const token = stdout.trim();
  assertSigned(token, 'k1');
  const { id, exp, aud, scope } = payloadOf(token);
  assert.equal(aud, 'api');
  assert.equal(scope, 'full');
  assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f-]{27}$/, 'a generated id');
  assert.ok(typeof exp === 'number' && exp >= before + 3600 && exp <= before + 3630, 'default lifetime 3600');
  assert.ok(stderr.includes(String(id)), 'the id is named, so that it can be revoked');
  assert.ok(!stderr.includes('k1') && !stderr.includes(token));
});

test('--token-id, --token-scope and --api-token-ttl; the key from the environment or a file that goes first', async (t) => {
  const file = join(temporaryFolder(t), 'key');
  writeFileSync(file, '\n file-key \n');
  const env = { SERVICE_API_SIGNING_KEY: 'env-key' };
  const options = ['--token-id', 'job-1', '--token-scope', 'metrics', '--api-token-ttl', '5'];
  const fromEnv = (await run(['--mint-token', ...options], env)).stdout.trim();
  assertSigned(fromEnv, 'env-key');
  const { id, exp, scope } = payloadOf(fromEnv);
  assert.deepEqual([id, scope], ['job-1', 'metrics']);
  assert.ok(Math.abs(Number(exp) - Date.now() / 1000 - 5) < 30);
  assertSigned((await run(['--mint-token', '--api-signing-key-file', file], env)).stdout.trim(), 'file-key');
});

test('an MCP signing key mints for mcp, and not with metrics scope', async () => {
  const minted = await run(['--mint-token', '--mcp-signing-key', 'm']);
  assertSigned(minted.stdout.trim(), 'm');
  assert.equal(payloadOf(minted.stdout)['aud'], 'mcp');
  const refused = await run(['--mint-token', '--mcp-signing-key', 'm', '--token-scope', 'metrics']);
  assertRefused(refused, /an MCP signing key mints for MCP/);
});

test('--mint-token without a signing key, and with a file that is not there', async () => {
  assertRefused(await run(['--mint-token']), /^calltap: --mint-token: there is no signing key; /);
  assertRefused(await run(['--mint-token'], { SERVICE_API_KEY: 'static' }), /there is no signing key/);
  const gone = await run(['--mint-token', '--api-signing-key-file', '/nonexistent/key']);
  assertRefused(gone, /^calltap: --api-signing-key-file \/nonexistent\/key: there is no such file; /);
});

test('a minted token opens the service, until its id is revoked or another key signs', async (t) => {
  const revoked = join(temporaryFolder(t), 'revoked');
  writeFileSync(revoked, '');
  const env = { SERVICE_API_SIGNING_KEY: 'env-key', SERVICE_API_KEY: 'static' };
  const minted = (await run(['--mint-token', '--token-id', 'job-1'], env)).stdout.trim();
  const { ports, output } = await serve(t, ['--api', '127.0.0.1:0', '--api-revoked-file', revoked], env);
  const ask = async (credentials: string): Promise<number> =>
    (await rawRequest(ports[0] ?? 0, get('/v1/stats', `Authorization: Bearer ${credentials}\r\n`))).status;
  assert.equal(await ask(minted), 200);
  assert.equal(await ask('static'), 200);
  assert.equal(await ask('env-key'), 401);
  const byHand = { exp: Math.floor(Date.now() / 1000) + 60, id: 'job-2' };
  assert.equal(await ask(forgeClaims(byHand, 'env-key')), 200);
  assert.equal(await ask(forgeClaims(byHand, 'other')), 401);
  writeFileSync(revoked, '# left\njob-1\n');
  assert.equal(await ask(minted), 401);
  unlinkSync(revoked);
  assert.equal(await ask(minted), 401);
  assert.equal(await ask('static'), 200);
  const lost = output.stderr.split('\n').filter((line) => line.includes('--api-revoked-file'));
  assert.equal(lost.length, 1, output.stderr);
  assert.match(
    lost[0] ?? '',
    /^calltap: --api-revoked-file \S+: there is no such file; the ids read from it before \(1\)/,
  );
});

test('a bind beyond loopback without credentials is refused, with the address and the missing options', async (t) => {
  const refused = await run(['-I', capture(t), '--api', '0.0.0.0:0']);
  assertRefused(refused, /^calltap: --api 0\.0\.0\.0:0: .*--api-key.*--api-signing-key.*--api-signing-key-file/);
  const minting = await run(['-I', capture(t), '--api', '[::]:0', '--api-revoked-file', '/dev/null']);
  assertRefused(minting, /\/dev\/null: it is not a regular file; /);
  const metrics = await run(['-I', capture(t), '--metrics', '0.0.0.0:0']);
  assertRefused(metrics, /^calltap: --metrics 0\.0\.0\.0:0: .*--metrics-auth .*--metrics-auth-file/);
});

test('a bind beyond loopback with credentials is accepted, also over the address of an interface', async (t) => {
  const argv = ['--api', '0.0.0.0:0', '--metrics', '0.0.0.0:0'];
  const { ports } = await serve(t, argv, { SERVICE_API_KEY: 'k', CALLTAP_METRICS_AUTH: 'u:p' }, 2);
  const [api = 0, metrics = 0] = ports;
  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find((each) => each.family === 'IPv4' && !each.internal)?.address;
  for (const host of ['127.0.0.1', ...(outside === undefined ? [] : [outside])]) {
    const status = async (port: number, path: string, authorization: string): Promise<number> =>
      (await fetch(`http://${host}:${port}${path}`, authorization === '' ? {} : { headers: { authorization } })).status;
    assert.equal(await status(api, '/v1/stats', ''), 401);
    assert.equal(await status(api, '/v1/stats', 'Bearer k'), 200);
    assert.equal(await status(api, '/health', ''), 200);
    assert.equal(await status(metrics, '/metrics', ''), 401);
    assert.equal(await status(metrics, '/metrics', 'Bearer k'), 401);
    assert.equal(await status(metrics, '/metrics', `Basic ${Buffer.from('u:p').toString('base64')}`), 200);
  }
});

test('files that are missing at the start are one clear line', async (t) => {
  const path = capture(t);
  const api = ['-I', path, '--api', '127.0.0.1:0'];
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [
      [...api, '--api-key', 'k', '--api-revoked-file', '/nonexistent/ids'],
      /^calltap: --api-revoked-file \/nonexistent\/ids: /,
    ],
    [[...api, '--api-signing-key-file', '/nonexistent/key'], /^calltap: --api-signing-key-file \/nonexistent\/key: /],
    [
      ['-I', path, '--metrics', '127.0.0.1:0', '--metrics-auth-file', '/nonexistent/u'],
      /^calltap: --metrics-auth-file /,
    ],
    // The API could start, but must not while the metrics server cannot.
    [[...api, '--metrics', '127.0.0.1:0', '--metrics-auth-file', '/nonexistent/u'], /^calltap: --metrics-auth-file /],
  ];
  for (const [argv, pattern] of cases) assertRefused(await run(argv), pattern);
});

test('secrets appear in no output, and not in the environment of programs it would start', async (t) => {
  const env = { SERVICE_API_KEY: 'hunter2', SERVICE_API_SIGNING_KEY: 'hunter2s', CALLTAP_METRICS_AUTH: 'u:hunter2' };
  const printed = await run(['-I', 'a', '--print-config'], env);
  assert.equal(printed.code, 0);
  assert.ok(!(printed.stdout + printed.stderr).includes('hunter2'), printed.stdout);
  const { ports, output } = await serve(t, ['--api', '127.0.0.1:0', '--metrics', '127.0.0.1:0'], env, 2);
  for (const port of ports) {
    for (const path of ['/metrics', '/openapi.json', '/v1/stats', '/nowhere']) {
      for (const headers of ['', 'Authorization: Bearer hunter2x\r\n']) {
        const { head, body } = await rawRequest(port, get(path, headers));
        assert.ok(!(head + body).includes('hunter2'), path);
      }
    }
  }
  assert.ok(!(output.stdout + output.stderr).includes('hunter2'), output.stderr);
});

test('TLS options are refused with the reverse proxy as the remedy, also beside credentials', async (t) => {
  for (const flag of ['--api-tls-cert', '--api-tls-key']) {
    const ended = await run(['-I', capture(t), '--api', '127.0.0.1:0', '--api-key', 'k', flag, 'x.pem']);
    assertRefused(ended, /reverse proxy/);
  }
});

test('the pages that are generated name every credential option', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const section = page.split('## Credentials\n')[1]?.split('\n## ')[0] ?? '';
  for (const flag of [
    'api-key',
    'api-key-file',
    'api-signing-key',
    'api-signing-key-file',
    'api-token-ttl',
    'api-revoked-file',
  ]) {
    assert.match(section, new RegExp(`--${flag}[ \`]`));
  }
  assert.ok(!section.includes('Not built'));
});
