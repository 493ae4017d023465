/** Precedence of flag, environment, file and default; the TOML file and its mistakes; what --print-config writes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configErrorLine, loadConfig } from '../../../src/config/config.ts';
import { renderConfig, renderHelp } from '../../../src/config/document.ts';
import { OPTIONS, ROWS } from '../../../src/config/options.ts';
import { fail, ok } from '../../../src/core/result.ts';
import { cpuMs } from '../../helpers/patience.ts';

type Files = Readonly<Record<string, string>>;

function attempt(argv: readonly string[], env: Readonly<Record<string, string>>, files: Files) {
  return loadConfig({
    argv,
    env,
    readFile: (path) => {
      const text = files[path];
      return text === undefined ? fail('there is no such file') : ok(text);
    },
  });
}

function load(argv: readonly string[], env: Readonly<Record<string, string>> = {}, files: Files = {}) {
  const result = attempt(argv, env, files);
  assert.ok(result.ok, result.ok ? '' : configErrorLine(result.error));
  return result.value;
}

function mistake(toml: string): string {
  const result = attempt(['-I', 'a', '--config', 'f.toml'], {}, { 'f.toml': toml });
  assert.ok(!result.ok, `accepted: ${toml}`);
  const line = configErrorLine(result.error);
  assert.ok(!line.includes('\n'), line);
  return line;
}

test('flag over environment over file over default', () => {
  const files = { 'f.toml': '[api]\nmax_rows = 10\nmax_conn = 20\n[analysis]\nquality_interval = 2\n' };
  const env = { CALLTAP_API_MAX_ROWS: '30', CALLTAP_API_MAX_CONN: '40', CALLTAP_CONFIG: 'f.toml' };
  const { config, effective } = load(['-I', 'a', '--api-max-rows', '50'], env, files);
  assert.equal(config.apiMaxRows, 50);
  assert.equal(config.apiMaxConn, 40);
  assert.equal(config.qualityInterval, 2);
  assert.equal(config.maxDialogs, 100_000);
  const origin = (flag: string) => effective.get(flag)?.origin;
  assert.deepEqual(['api-max-rows', 'api-max-conn', 'quality-interval', 'max-dialogs'].map(origin), [
    'flag',
    'environment',
    'file',
    'default',
  ]);
});

test('[agents] has a table for each host, whose name may have dots', () => {
  const toml =
    '[agents.sbc1]\nurl = "https://sbc1"\nkey_file = "k"\n[agents."b.example.net"]\nurl = "https://b"\nca = "c"\n';
  const { config } = load(['-I', 'a', '--config', 'f'], {}, { f: toml });
  assert.deepEqual(config.agent, ['sbc1=https://sbc1', 'b.example.net=https://b']);
  assert.deepEqual([config.agentKeyFile, config.agentCa], [['sbc1=k'], ['b.example.net=c']]);
  const hint = 'there is no such key; write [agents.NAME] with url, key_file and ca';
  assert.equal(mistake('[agents.sbc1]\nuri = "x"'), `calltap: agents.sbc1.uri in f.toml: ${hint}`);
  assert.equal(mistake('[agents]\nsbc1 = "https://x"'), `calltap: agents.sbc1 in f.toml: ${hint}`);
  assert.equal(mistake('[agents]\nurl = "https://x"'), `calltap: agents.url in f.toml: ${hint}`);
  assert.match(
    mistake('[agents.sbc1]\nurl = 5'),
    /^calltap: agents\.sbc1\.url in f\.toml: the value has the wrong type/,
  );
});

test('--config over CALLTAP_CONFIG', () => {
  const files = { a: '[api]\nmax_rows = 1', b: '[api]\nmax_rows = 2' };
  assert.equal(load(['-I', 'x', '--config', 'b'], { CALLTAP_CONFIG: 'a' }, files).config.apiMaxRows, 2);
});

test('the environment: empty is unset, a bad value names the variable', () => {
  assert.equal(load(['-I', 'a'], { CALLTAP_API_MAX_ROWS: '', CALLTAP_API: '' }).config.apiMaxRows, 1000);
  assert.equal(load(['-I', 'a'], { CALLTAP_HEP_DECODE: 'yes' }).config.hepDecode, true);
  assert.equal(load(['-I', 'a'], { CALLTAP_HEP_DECODE: '0' }).config.hepDecode, false);
  for (const [name, value] of [
    ['CALLTAP_API', 'nonsense'],
    ['CALLTAP_HEP_DECODE', 'perhaps'],
    ['SERVICE_API_KEY', 'secret-value with blanks'],
    ['CALLTAP_METRICS_AUTH', 'secret-value'],
  ] as const) {
    const result = attempt(['-I', 'a'], { [name]: value }, {});
    assert.ok(!result.ok, name);
    const line = configErrorLine(result.error);
    assert.ok(line.startsWith(`calltap: ${name}: `), line);
    assert.ok(!line.includes('secret-value'), 'a credential is never repeated');
  }
});

test('the file: every type, lists and single values', () => {
  const toml = `
    [capture]
    input = ["a.pcap", "b.pcap"]
    portrange = [5060, "5070-5080"]
    ws_portrange = 443
    decode_esp_null = true
    [limits]
    max_streams = 5
    message_log_bytes = "1M"
  `;
  const { config } = load(['--config', 'f'], {}, { f: toml });
  assert.deepEqual(config.input, ['a.pcap', 'b.pcap']);
  assert.deepEqual(config.portrange, [
    { from: 5060, to: 5060 },
    { from: 5070, to: 5080 },
  ]);
  assert.deepEqual(config.wsPortrange, [{ from: 443, to: 443 }]);
  assert.equal(config.decodeEspNull, true);
  assert.equal(config.maxStreams, 5);
  assert.equal(config.messageLogBytes, 1_048_576);
});

test('the file: mistakes are one line that names the key', () => {
  assert.match(mistake('[api]\nmax_row = 1'), /^calltap: api\.max_row in f\.toml: .*; did you mean api\.max_rows\?$/);
  assert.match(mistake('max_rows = 1'), /^calltap: max_rows in f\.toml: there is no such key/);
  assert.match(mistake('[api]\nmax_rows = "x"'), /^calltap: api\.max_rows in f\.toml: "x" is not a whole number/);
  assert.match(mistake('[api]\nmax_rows = true'), /a boolean does not fit/);
  assert.match(mistake('[api]\nmax_rows = [1]'), /it takes one value/);
  assert.match(mistake('[api]\nmax_rows = 1979-05-27'), /wrong type/);
  assert.match(mistake('[api.max_rows]\nx = 1'), /^calltap: api\.max_rows\.x in f\.toml: /);
  assert.match(mistake('[capture]\ndecode_esp_null = "true"'), /it is not a boolean/);
  assert.match(mistake('[api]\ntls_key = "/x"'), /^calltap: api\.tls_key in f\.toml: .*reverse proxy/);
  assert.match(mistake('[api\nx'), /^calltap: --config f\.toml: .*\(line 1\); correct the file$/);
  assert.match(mistake('["\\u001b[31m"]\nx = 1'), /there is no such key/);
  mistake('__proto__ = 1');
});

test('the file: one that cannot be read', () => {
  const gone = attempt(['-I', 'a', '--config', 'nowhere.toml'], {}, {});
  assert.ok(!gone.ok);
  assert.equal(
    configErrorLine(gone.error),
    'calltap: --config nowhere.toml: there is no such file; name a readable TOML file',
  );
  const folder = loadConfig({ argv: ['-I', 'a', '--config', '.'], env: {} });
  assert.ok(!folder.ok);
  assert.match(configErrorLine(folder.error), /it is a folder;/);
});

test('--print-config gives a file that gives the same configuration', () => {
  const sources = ['-I', 'a "b".pcap', '-I', 'c', '-E', '--portrange', '5060-5061,5080'];
  const { config, effective } = load([...sources, '--api', '[::1]:8080', '--max-streams=7']);
  const text = renderConfig(effective);
  assert.match(text, /^max_streams = 7 {2}# flag$/m);
  const again = load(['--config', 'f'], {}, { f: text }).config;
  assert.deepEqual({ ...again, config: null }, config);
});

test('the help names every option that a person needs, and no line is wider than a terminal should need', () => {
  const help = renderHelp(['--help']);
  for (const { flag, isHidden } of OPTIONS)
    assert.equal(new RegExp(`--${flag}(?![a-z-])`).test(help), isHidden !== true, flag);
  for (const line of help.split('\n')) assert.ok(line.length <= 110, line);
});

test('the option table is consistent', () => {
  const unique = (values: readonly (string | undefined)[]): void => {
    const given = values.filter((value) => value !== undefined);
    assert.equal(new Set(given).size, given.length);
  };
  unique(ROWS.map((option) => option.flag));
  unique(ROWS.map((option) => option.short));
  unique(ROWS.map((option) => option.env));
  unique(ROWS.map((option) => option.toml));
  for (const option of ROWS) {
    assert.match(option.flag, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.match(option.help, /^[A-Z].*\.$/);
    assert.equal(option.arg === undefined, option.type.kind === 'bool', option.flag);
    if (option.toml !== undefined) assert.match(option.toml, /^[a-z]+\.[a-z0-9_]+$/);
  }
});

test('a file that is deep, or long, is read or refused in one line', () => {
  for (const deep of [
    `${'a.'.repeat(20_000)}b = 1`,
    `[${'a.'.repeat(20_000)}b]\nc = 1`,
    `a = ${'['.repeat(200_000)}`,
    `a = ${'{a='.repeat(200_000)}`,
    `[names]\n${'a.'.repeat(17)}b = "192.0.2.1"`,
  ]) {
    const line = mistake(deep);
    assert.match(line, /^calltap: --config f\.toml: .*; correct the file$/);
    assert.ok(line.length < 300, line);
  }
  const many = Array.from({ length: 30_000 }, (_, i) => `"n${i}" = "10.0.${i >> 8}.${i & 255}"`);
  const tookMs = cpuMs(() => {
    const { config } = load(['-I', 'a', '--config', 'f.toml'], {}, { 'f.toml': `[names]\n${many.join('\n')}\n` });
    assert.equal(config.name.length, many.length);
  });
  // Each name copied all before it: 14 s.
  assert.ok(tookMs < 5_000);
});
