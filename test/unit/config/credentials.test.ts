/** The credential options: where secrets may come from, that they are never shown, and the rules of minting. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configErrorLine, loadConfig } from '../../../src/config/config.ts';
import { renderConfig } from '../../../src/config/document.ts';
import { OPTIONS } from '../../../src/config/options.ts';
import { ok } from '../../../src/core/result.ts';

type Env = Readonly<Record<string, string>>;

function load(argv: readonly string[], env: Env = {}, toml = '') {
  const listeners = argv.includes('--mint-token') ? [] : ['--api', '127.0.0.1:0', '--metrics', '127.0.0.1:0'];
  const result = loadConfig({ argv: ['-I', 'a', ...listeners, ...argv], env, readFile: () => ok(toml) });
  assert.ok(result.ok, result.ok ? '' : configErrorLine(result.error));
  return result.value;
}

function mistake(argv: readonly string[], env: Env = {}, toml = ''): string {
  const result = loadConfig({ argv: ['-I', 'a', ...argv], env, readFile: () => ok(toml) });
  assert.ok(!result.ok, `${argv.join(' ')} was accepted`);
  const line = configErrorLine(result.error);
  assert.match(line, /^calltap: .+: .+; .+$/);
  return line;
}

const SECRETS = OPTIONS.filter((spec) => spec.type.kind === 'secret');

test('the secrets are these, each with a variable and none with a key of the file', () => {
  assert.deepEqual(
    SECRETS.map(({ flag, env, toml }) => [flag, env, toml]),
    [
      ['hep-auth', 'CALLTAP_HEP_AUTH', undefined],
      ['hep-send-auth', 'CALLTAP_HEP_SEND_AUTH', undefined],
      ['ship-password', 'CALLTAP_SHIP_PASSWORD', undefined],
      ['api-key', 'SERVICE_API_KEY', undefined],
      ['api-signing-key', 'SERVICE_API_SIGNING_KEY', undefined],
      ['mcp-signing-key', 'SERVICE_MCP_SIGNING_KEY', undefined],
      ['metrics-auth', 'CALLTAP_METRICS_AUTH', undefined],
    ],
  );
});

test('--api-key and SERVICE_API_KEY', () => {
  assert.equal(load(['--api-key', 'k']).config.apiKey, 'k');
  assert.equal(load(['--api-key=k=='], {}).config.apiKey, 'k==');
  assert.equal(load([], { SERVICE_API_KEY: 'k' }).config.apiKey, 'k');
  assert.equal(load([], { SERVICE_API_KEY: '' }).config.apiKey, null, 'an empty variable is unset');
  assert.equal(load(['--api-key', 'flag'], { SERVICE_API_KEY: 'environment' }).config.apiKey, 'flag');
  for (const key of ['', 'two words', 'line\nbreak', 'umläut', '\u0000', 'x'.repeat(5000)])
    mistake([`--api-key=${key}`]);
});

test('--api-signing-key is repeatable and keeps its order; SERVICE_API_SIGNING_KEY is one key', () => {
  const two = ['--api-signing-key', 'new', '--api-signing-key=old one'];
  assert.deepEqual(load(two).config.apiSigningKey, ['new', 'old one']);
  assert.deepEqual(load([], { SERVICE_API_SIGNING_KEY: 'a,b' }).config.apiSigningKey, ['a,b']);
  assert.deepEqual(load(two, { SERVICE_API_SIGNING_KEY: 'x' }).config.apiSigningKey, ['new', 'old one']);
  mistake(['--api-signing-key=']);
});

test('files and the lifetime come from every layer', () => {
  const toml =
    '[api]\nkey_file = "a"\nsigning_key_file = "k"\nrevoked_file = "r"\ntoken_ttl = 60\n[metrics]\nauth_file = "m"\n';
  const { config } = load(['--config', 'f'], {}, toml);
  assert.equal(config.apiKeyFile, 'a');
  assert.equal(config.apiSigningKeyFile, 'k');
  assert.equal(config.apiRevokedFile, 'r');
  assert.equal(config.apiTokenTtl, 60);
  assert.equal(config.metricsAuthFile, 'm');
  assert.equal(load([], { CALLTAP_API_REVOKED_FILE: 'e' }).config.apiRevokedFile, 'e');
  assert.equal(load([]).config.apiTokenTtl, 3600);
  for (const ttl of ['0', '-1', '1.5', 'x', '315360001']) mistake([`--api-token-ttl=${ttl}`]);
});

test('--metrics-auth is user:password; with the file beside it neither is taken', () => {
  assert.equal(load(['--metrics-auth', 'u:p:q r']).config.metricsAuth, 'u:p:q r');
  for (const text of ['u', 'u:', ':p', 'u:p\n', ':']) {
    assert.match(mistake([`--metrics-auth=${text}`]), /^calltap: --metrics-auth: the value is not user:password; /);
  }
  assert.match(
    mistake(['--metrics-auth', 'u:p', '--metrics-auth-file', 'f']),
    /cannot be combined with --metrics-auth;/,
  );
});

test('credentials that guard nothing are refused on the command line, and left for other starts elsewhere', () => {
  const noApi = /^calltap: --api-[a-z-]+: there is no API to guard; add --api ADDR/;
  for (const argv of [
    ['--api-key', 'k'],
    ['--api-key-file', 'f'],
    ['--api-signing-key', 'k'],
    ['--api-signing-key-file', 'f'],
    ['--api-revoked-file', 'f'],
    ['--api-key', 'k', '--metrics', '127.0.0.1:0'],
  ]) {
    assert.match(mistake(argv), noApi);
  }
  for (const argv of [
    ['--metrics-auth', 'u:p'],
    ['--metrics-auth-file', 'f'],
    ['--metrics-auth', 'u:p', '--api', '127.0.0.1:0'],
  ]) {
    assert.match(
      mistake(argv),
      /^calltap: --metrics-auth(-file)?: there is no metrics server to guard .*--metrics ADDR$/,
    );
  }
  const env = { SERVICE_API_KEY: 'k', SERVICE_API_SIGNING_KEY: 's', CALLTAP_METRICS_AUTH: 'u:p' };
  const toml = '[api]\nsigning_key_file = "k"\nrevoked_file = "r"\n[metrics]\nauth_file = "m"\n';
  assert.ok(loadConfig({ argv: ['-I', 'a'], env }).ok);
  assert.ok(loadConfig({ argv: ['-I', 'a', '--config', 'f'], env: {}, readFile: () => ok(toml) }).ok);
  assert.ok(loadConfig({ argv: ['-I', 'a', '--api-key', 'k', '--print-config'], env: {} }).ok);
});

test('--mint-token needs a signing key, from any of the three places', () => {
  assert.match(
    mistake(['--mint-token']),
    /^calltap: --mint-token: there is no signing key; give .*SERVICE_API_SIGNING_KEY/,
  );
  assert.match(mistake(['--mint-token', '--api-key', 'k']), /there is no signing key/);
  for (const argv of [
    ['--api-signing-key', 'k'],
    ['--api-signing-key-file', 'f'],
    ['--mcp-signing-key', 'm'],
  ]) {
    assert.equal(load(['--mint-token', ...argv]).config.mintToken, true);
  }
  load(['--mint-token'], { SERVICE_API_SIGNING_KEY: 'k' });
});

test('--mint-token needs no capture and goes with no other output', () => {
  assert.ok(loadConfig({ argv: ['--mint-token', '--api-signing-key', 'k'], env: {} }).ok);
  assert.match(mistake(['--mint-token', '--api-signing-key', 'k', '--json']), /cannot be combined with --json/);
});

test('metrics scope with an MCP signing key fails', () => {
  const line = mistake(['--mint-token', '--mcp-signing-key', 'm', '--token-scope', 'metrics']);
  assert.match(line, /^calltap: --token-scope metrics: an MCP signing key mints for MCP, which has no metrics; /);
  const both = ['--mint-token', '--mcp-signing-key', 'm', '--api-signing-key', 'a'];
  assert.match(mistake([...both, '--token-scope', 'metrics']), /an MCP signing key/);
  assert.match(mistake(both), /^calltap: --mint-token: a token is for the API or for MCP/);
  load(['--mint-token', '--mcp-signing-key', 'm', '--token-scope', 'full']);
});

test('what belongs to minting or to MCP is refused without it', () => {
  assert.match(mistake(['--token-id', 'x']), /add --mint-token$/);
  assert.match(mistake(['--token-scope', 'metrics']), /add --mint-token$/);
  assert.match(
    mistake(['--mcp-signing-key', 'x']),
    /^calltap: --mcp-signing-key: there is no MCP to guard; add --mcp or --mint-token$/,
  );
});

test('ids that a line of the revocation file could not name are refused', () => {
  const mint = ['--mint-token', '--api-signing-key', 'k'];
  for (const id of ['job-1', 'a', '6f1c2f1e-8f8b-4a55-9b34-2f9c1f0a7d11', 'user@host', 'a#b', 'x'.repeat(128)]) {
    assert.equal(load([...mint, `--token-id=${id}`]).config.tokenId, id);
  }
  for (const id of ['', ' ', ' a', 'a ', 'a b', '#a', 'a\nb', 'ä', 'x'.repeat(129)])
    mistake([...mint, `--token-id=${id}`]);
  for (const scope of ['', 'Full', 'admin', 'full,metrics']) mistake([...mint, `--token-scope=${scope}`]);
});

test('no error repeats a secret', () => {
  const cases: readonly (readonly [readonly string[], Env])[] = [
    [['--api-key', 'hunter2 hunter2'], {}],
    [['--api-key', 'hunter2', 'hunter2'], {}],
    [['--api-signing-key', 'hunter2', 'hunter2', 'more'], {}],
    [['--api-key', 'hunter2', '--api-key', 'hunter2'], {}],
    [['--api-kye=hunter2'], {}],
    [['--api-kye', 'hunter2'], {}],
    [['--metrics-auth', 'hunter2'], {}],
    [['--metrics-auth', 'hunter2:hunter2\n'], {}],
    [['--mcp-signing-key', 'hunter2', '--api', '1'], {}],
    [['--mint-token', '--api-key', 'hunter2'], {}],
    [['--api-key', 'hunter2', '--json', '--stats-json'], {}],
    [[], { SERVICE_API_KEY: 'hunter2\n' }],
    [[], { CALLTAP_METRICS_AUTH: 'hunter2' }],
    [['--mcp'], { SERVICE_MCP_SIGNING_KEY: 'hunter2' }],
  ];
  for (const [argv, env] of cases) assert.ok(!mistake(argv, env).includes('hunter2'), argv.join(' '));
  const toml = '[api]\nkey = "hunter2"\n';
  assert.ok(!mistake(['--config', 'f'], {}, toml).includes('hunter2'));
});

test('--print-config says that a secret is given, and where, but not which', () => {
  const argv = ['--api-key', 'hunter2', '--metrics-auth', 'hunter2:hunter2', '--api-revoked-file', 'ids'];
  const text = renderConfig(load(argv, { SERVICE_API_SIGNING_KEY: 'hunter2' }).effective);
  assert.ok(!text.includes('hunter2'), text);
  assert.match(text, /^# --api-key is given \(flag\) and not shown$/m);
  assert.match(text, /^# --api-signing-key is given \(environment\) and not shown$/m);
  assert.match(text, /^revoked_file = "ids" {2}# flag$/m);
  load(['--config', 'f'], {}, text.replace(/^input.*$/m, ''));
  assert.ok(!renderConfig(load([]).effective).includes('not shown'));
});
