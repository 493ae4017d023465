/** The command line: every form of an option, and one line for every mistake. */

import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import type { Config } from '../../../src/config/config.ts';
import { configErrorLine, loadConfig } from '../../../src/config/config.ts';
import { keptFiles } from '../../../src/config/option-value.ts';
import { OPTIONS } from '../../../src/config/options.ts';
import { filterOf } from '../../../src/config/run-kind.ts';
import { ok } from '../../../src/core/result.ts';

function load(...argv: string[]): Config {
  const result = loadConfig({ argv, env: {} });
  assert.ok(result.ok, result.ok ? '' : configErrorLine(result.error));
  return result.value.config;
}

function mistake(...argv: string[]): string {
  const result = loadConfig({ argv, env: {} });
  assert.ok(!result.ok, `${argv.join(' ')} was accepted`);
  const line = configErrorLine(result.error);
  assert.match(line, /^calltap: .+: .+; .+$/);
  assert.ok(!/[\p{Cc}]/u.test(line), `a control byte in ${JSON.stringify(line)}`);
  assert.ok(line.length < 300, `${line.length} characters`);
  return line;
}

test('--split: a size, a time, or both; or a file for each call', () => {
  const split = (text: string): unknown => load('-I', 'a', '-O', tmpdir(), '--split', text).split;
  assert.deepEqual(split('100M'), { bytes: 100 * 1024 ** 2, seconds: 0, isByCall: false });
  assert.deepEqual(split('1h'), { bytes: 0, seconds: 3600, isByCall: false });
  assert.deepEqual(split('15min, 64k'), { bytes: 65_536, seconds: 900, isByCall: false });
  assert.deepEqual(split('call'), { bytes: 0, seconds: 0, isByCall: true });
  for (const text of ['call,1h', 'calls', 'CALL'])
    assert.match(mistake('-I', 'a', '-O', 'b', '--split', text), /neither a size nor a time; .*; or the word call$/);
});

test('--keep: so many files, or those of a time that the files of --split divide', () => {
  const kept = (split: string, keep: string): number => {
    const config = load('-I', 'a', '-O', 'b', '--split', split, '--keep', keep);
    return config.keep === null || config.split === null ? 0 : keptFiles(config.keep, config.split);
  };
  assert.deepEqual([kept('1h', '50'), kept('100M', '50'), kept('1h', '24h'), kept('15min', '1d')], [50, 50, 24, 96]);
  for (const keep of ['0', '1', '-3', 'x', '100001', '24H', '1.5h'])
    assert.match(mistake('-I', 'a', '-O', 'b', '--split', '1h', `--keep=${keep}`), /from 2 to 100000$/);
  for (const [split, keep, line] of [
    ['100M', '24h', /--keep 86400s: --split begins files by their size, not by time; write --split 1h, or --keep N/],
    ['100M,1h', '24h', /--split may end a file before its time; leave its size out, or write --keep N files$/],
    ['5h', '24h', /it is not 2 to 100000 files of --split 18000s; write a multiple of 18000s$/],
    ['1h', '1h', /it is not 2 to 100000 files/],
    ['2h', '1h', /it is not 2 to 100000 files/],
    ['1s', '300d', /it is not 2 to 100000 files/],
  ] as const)
    assert.match(mistake('-I', 'a', '-O', 'b', '--split', split, '--keep', keep), line);
});

test('--for: a time, for what does not end by itself', () => {
  const seconds = (text: string): number | null => load('-d', 'lo', '--for', text).for;
  assert.deepEqual(['60', '60s', '5m', '5min', '2h', '1d'].map(seconds), [60, 60, 300, 300, 7200, 86_400]);
  for (const text of ['', '0', '-5', '1.5h', '10 minutes', '25d', 'soon'])
    assert.match(
      mistake('-d', 'lo', `--for=${text}`),
      /give a time of up to 24 days in s, min, h or d, such as 60s or 2h$/,
    );
  assert.match(mistake('a', '--for', '60s'), /--for: a capture file ends by itself; leave it out, or add -d IFACE$/);
});

test('--calls is a term of the filter', () => {
  const filter = (...argv: string[]): string | null => filterOf(load('a', ...argv));
  assert.deepEqual([filter(), filter('--filter', 'a or b')], [null, 'a or b']);
  assert.deepEqual([filter('-c'), filter('--calls')], ['method:INVITE', 'method:INVITE']);
  assert.equal(filter('--calls', '--filter', 'a or b'), '(a or b) method:INVITE');
});

test('every form of writing an option', () => {
  assert.deepEqual(load('-I', 'a', '-Ib', '--input', 'c', '--input=d', '-I', '-').input, ['a', 'b', 'c', 'd', '-']);
  assert.equal(load('-EI', 'a').hepDecode, true);
  assert.equal(load('-I', 'a', '--hep-decode').hepDecode, true);
  assert.equal(load('-I', 'a', '--call-report=x=y@z').callReport, 'x=y@z');
  assert.equal(load('-I', 'a', '--call-report=-odd-').callReport, '-odd-');
  assert.equal(load('--show-frame', 'a.pcap#1@0123456789abcdef').showFrame, 'a.pcap#1@0123456789abcdef');
  assert.deepEqual(
    [load('--help').help, load('-h').help, load('--help', 'filter').help, load('--help', 'findings').help],
    ['options', 'options', 'filter', 'findings'],
  );
  assert.equal(load('-V').version, true);
  assert.equal(load('--print-config').printConfig, true);
});

test('addresses', () => {
  const address = (text: string): unknown => load('-I', 'a', '--api', text).api;
  assert.deepEqual(address('127.0.0.1:8080'), { host: '127.0.0.1', port: 8080 });
  assert.deepEqual(address('[::1]:0'), { host: '::1', port: 0 });
  assert.deepEqual(address('localhost:9'), { host: 'localhost', port: 9 });
  assert.deepEqual(address(':9'), { host: '127.0.0.1', port: 9 });
  assert.deepEqual(address('9'), { host: '127.0.0.1', port: 9 });
  assert.deepEqual(address('http://127.0.0.1:9/'), { host: '127.0.0.1', port: 9 });
  const numeric = ['', '1:65536', '1.2.3:4', '1.2.3.4.5:6', '::1:80', '[::g]:1', '[]:1'];
  const names = ['x', 'a:b', 'a b:1', 'u@h:1', '-h:1', 'h/x:1'];
  for (const text of [...numeric, ...names])
    assert.match(mistake('-I', 'a', `--api=${text}`), /^calltap: --api: /, text);
  assert.match(mistake('-I', 'a', '--api', 'https://127.0.0.1:1'), /reverse proxy/);
});

test('port ranges are sorted and joined', () => {
  const ranges = (text: string): string =>
    (load('-I', 'a', '--portrange', text).portrange ?? assert.fail()).map(({ from, to }) => `${from}-${to}`).join();
  assert.equal(ranges('5060'), '5060-5060');
  assert.equal(ranges('5060-5061,5080'), '5060-5061,5080-5080');
  assert.equal(ranges('5080, 5060-5061'), '5060-5061,5080-5080');
  assert.equal(ranges('10-20,15-30,31,5'), '5-5,10-31');
  assert.equal(ranges('1-65535'), '1-65535');
  for (const text of [
    '',
    ',',
    '5060-',
    '-5060',
    '0',
    '0-5',
    '65536',
    '1-65536',
    '9-1',
    'a',
    '1-2-3',
    '5060;5061',
    '1e3',
  ]) {
    mistake('-I', 'a', `--portrange=${text}`);
  }
});

test('numbers and sizes', () => {
  assert.equal(load('-I', 'a', '--message-log-bytes', '64M').messageLogBytes, 67_108_864);
  assert.equal(load('-I', 'a', '--message-log-bytes', '100k').messageLogBytes, 102_400);
  assert.equal(load('-I', 'a', '--message-log-bytes', '2GiB').messageLogBytes, 2_147_483_648);
  for (const text of ['0', '-1', '64X', '64M5', 'M', '1.5M', '65535', '999999999999G']) {
    mistake('-I', 'a', `--message-log-bytes=${text}`);
  }
  for (const text of ['0', '-1', '1.5', '1e3', '0x10', ' 5', '100001', 'x', '9'.repeat(400)]) {
    assert.match(mistake('-I', 'a', `--api-max-rows=${text}`), /give a whole number from 1 to 100000$/);
  }
  assert.match(mistake('-I', 'a', '--api-max-rows', '-5'), /is not a whole number/);
});

test('a mistake names the option, the reason and the remedy', () => {
  assert.equal(mistake('--inptu', 'x'), 'calltap: --inptu: there is no such option; did you mean --input?');
  assert.match(mistake('--call-reprot', 'x'), /did you mean --call-report\?$/);
  assert.match(mistake('--portrnage=1'), /did you mean --portrange\?$/);
  assert.match(mistake('--ap'), /did you mean --api\?$/);
  assert.match(mistake('--zzzzzzzzzzz'), /see --help/);
  assert.match(mistake('-Q'), /^calltap: -Q: there is no such option/);
  assert.equal(mistake('-I'), 'calltap: -I: the value is missing; write -I FILE');
  assert.equal(mistake('-I', '--api'), 'calltap: -I: the value is missing; write -I FILE');
  assert.equal(mistake('-I', 'a', '--json=1'), 'calltap: --json: it takes no value; write --json alone');
  assert.match(mistake('-I', 'a', '--api', '1', '--api', '2'), /^calltap: --api: it appears more than once/);
  assert.match(mistake(), /there is nothing to read/);
  assert.match(mistake('-I', '-', '-I', '-'), /only one -I/);
  assert.match(mistake('-I', 'a', '--markdown'), /add --call-report/);
  assert.match(mistake('-I', 'a', '--json', '--stats-json'), /cannot be combined with --json/);
});

test('a word without an option is a capture', () => {
  assert.deepEqual(load('a.pcap', '-Ib', 'ring/', '--json', '-').input, ['a.pcap', 'b', 'ring/', '-']);
  assert.deepEqual(load('--', '--api', '-x', '--uprobe').input, ['--api', '-x', '--uprobe']);
  assert.deepEqual(load('-N', 'a').input, ['a']);
  assert.equal(load('a', '--no-interface').noInterface, true);
  assert.match(mistake('-', '-I', '-'), /only one -I can read standard input/);
  assert.match(mistake('a', '-d', 'lo'), /leave out the files, or -d, -L and --uprobe$/);
  assert.match(mistake(''), /^calltap: argument 1: the value is empty/);
});

test('hub and mcp are commands as the first word alone', () => {
  const line = 'calltap: hub: it names no store; add --store URL, or write ./hub for a file of this name';
  assert.equal(mistake('hub'), line);
  assert.match(mistake('--utc', 'hub', 'a'), /: it cannot be combined with hub;/);
  assert.equal(load('hub', '--migrate', '--store', 'x').hub, true);
  assert.equal(load('mcp', 'a').mcpStdio, true);
  assert.deepEqual(load('--utc', 'mcp', 'a', 'b').input, ['a', 'b']);
  assert.match(mistake('mcp', '-'), /standard input carries the protocol/);
  assert.match(mistake('mcp', 'a', '--json'), /--json/);
  for (const word of ['hub', 'mcp']) {
    for (const argv of [[`./${word}`], ['a', word], ['--', word], ['-I', word]])
      assert.ok(load(...argv).input.includes(argv.at(-1) ?? ''), argv.join(' '));
  }
});

test('hub takes a store and what goes with it, and nothing of a capture', () => {
  const all = ['--store-user', 'u', '--store-password-file', 'p', '--store-ca', 'c', '--cluster', 'n'];
  const { store, storeUser, storePasswordFile, storeCa, cluster, migrate } = load(
    ...['hub', '--migrate', '--store', 'http://h/d', ...all],
  );
  assert.deepEqual([store, storeUser, storePasswordFile, storeCa, cluster], ['http://h/d', 'u', 'p', 'c', 'n']);
  assert.equal(migrate, true);
  assert.equal(mistake('hub', '--migrate'), 'calltap: hub --migrate: it names no store; add --store URL');
  for (const argv of [['a.pcap'], ['-d', 'lo'], ['--json'], ['--api', '1'], ['--connect', 'x']])
    assert.match(mistake('hub', '--migrate', '--store', 'x', ...argv), /it cannot be combined with/, argv.join(' '));
  const strangers = ['store', 'store-user', 'store-ca', 'cluster', 'agent', 'agent-key-file', 'agent-ca'];
  for (const argv of [['--migrate'], ...strangers.map((flag) => [`--${flag}`, 'x'])])
    assert.match(mistake('-I', 'a', ...argv), /: it goes with the command hub; write calltap hub --store URL/, argv[0]);
  // In the environment it may be meant for other starts.
  const other = loadConfig({ argv: ['-I', 'a'], env: { CALLTAP_STORE: 'http://h' } });
  assert.ok(other.ok && other.value.config.store === 'http://h');
});

test('a hub that answers takes what servers take, and nothing of a capture', () => {
  const serving = ['hub', '--store', 'http://h/d', '--api', '8080'];
  const every = [
    ...['--console', '--mcp', '--api-max-rows', '9', '--api-max-conn', '9', '--metrics', '9090', '--names', 'f'],
    ...['--name', '192.0.2.1=pbx', '--api-key', 'k', '--api-key-file', 'f', '--api-signing-key', 'x'.repeat(32)],
    ...['--api-signing-key-file', 'f', '--api-revoked-file', 'f', '--mcp-signing-key', 'x'.repeat(32), '--ask'],
    ...['--metrics-auth-file', 'f', '--store-user', 'u', '--store-password-file', 'p', '--store-ca', 'c'],
    ...['--agent', 'a=https://a', '--agent', 'b=https://b', '--agent-key-file', 'a=k', '--agent-ca', 'a=c'],
  ];
  const { hub, ask, agent, agentKeyFile, agentCa } = load(...serving, ...every);
  assert.deepEqual(
    [hub, ask, agent, agentKeyFile, agentCa],
    [true, true, ['a=https://a', 'b=https://b'], ['a=k'], ['a=c']],
  );
  assert.equal(load('hub', '--store', 'x', '--metrics', '9090').hub, true);
  assert.equal(mistake('hub', '--store', 'x'), 'calltap: hub: it serves nothing; add --api ADDR');
  assert.match(
    mistake(...serving, '--cluster', 'c'),
    /^calltap: --cluster: only --migrate makes tables; add --migrate/,
  );
  assert.match(mistake('hub', '--migrate', '--store', 'x', '--agent', 'a=b'), /cannot be combined with hub --migrate;/);
  const capture = ['-d', '-L', '-I', '-O', '-H', '--uprobe', '--ship', '--bpf', '--json', '--filter'];
  const more = ['--peer-ctl', '--retain-audio', '--kill-scanner', '--max-dialogs', '--trunk', '--on-trunk-exec', '-i'];
  for (const option of [...capture, ...more]) {
    const argv = ['--uprobe', '--json', '--retain-audio', '--kill-scanner', '-i'].includes(option)
      ? [option]
      : [option, '9'];
    assert.match(mistake(...serving, ...argv), /: it cannot be combined with hub; leave one of them out$/, option);
  }
  // The configuration file of this host's agent may be that of its hub.
  const file = '[capture]\ndevice = ["any"]\n[ship]\nurl = "http://h"\n';
  const both = loadConfig({ argv: [...serving, '--config', 'f'], env: {}, readFile: () => ok(file) });
  assert.ok(both.ok && both.value.config.hub);
});

test('what goes with --ship needs it, and a user has a password', () => {
  const ship = ['-I', 'a', '--ship', 'http://127.0.0.1:8123'];
  const all = ['--ship-user', 'u', '--ship-password-file', 'p', '--ship-host', 'h', '--ship-messages', 'full'];
  const { shipUser, shipHost, shipMessages, shipSpoolBytes } = load(...ship, ...all);
  assert.deepEqual([shipUser, shipHost, shipMessages, shipSpoolBytes], ['u', 'h', 'full', 2 * 1024 ** 3]);
  for (const argv of [
    ['--ship-host', 'h'],
    ['--ship-user', 'u'],
    ['--ship-ca', 'c'],
    ['--ship-spool', 's'],
  ])
    assert.match(mistake('-I', 'a', ...argv), /: it requires --ship; add --ship URL/, argv[0]);
  for (const [argv, reason] of [
    [['--ship-user', 'u'], 'there is no password'],
    [['--ship-password-file', 'p'], 'nobody says whose password it is'],
    [['--ship-user', 'a:b', '--ship-password-file', 'p'], 'what follows the colon'],
    [['--ship-password', 'x', '--ship-password-file', 'p', '--ship-user', 'u'], 'it cannot be combined with'],
  ] as const)
    assert.ok(mistake(...ship, ...argv).includes(reason), argv.join(' '));
  assert.deepEqual(load('-I', 'a', '--ship', 'http://h', '--export-uprobe').exportUprobe, true);
});

test('a secret that lacks its quotes is not shown', () => {
  for (const flag of ['--api-key', '--api-signing-key', '--metrics-auth', '--hep-auth', '--hep-send-auth']) {
    const value = flag === '--metrics-auth' ? 'a:open' : 'open';
    const line = mistake('-I', 'a', flag, value, 'se*same');
    assert.match(line, /^calltap: argument 5: no option takes this word, and no file has this name; quote a key/);
    assert.doesNotMatch(line, /same/);
  }
  // A file that is there may follow a key.
  assert.deepEqual(load('--api', '1', '--api-key', 'k', '.').input, ['.']);
});

test('hostile arguments stay one short line', () => {
  for (const argv of [
    ['--__proto__'],
    ['--constructor=1'],
    ['--toString'],
    ['--=x'],
    [`--${'a'.repeat(100_000)}`],
    ['--x\n\u001b[31mred'],
    ['-I', 'a', '--api', 'x\ny\u001b[0m'],
    ['-I', 'a', '--api', '\u2028:1'],
    ['-\n'],
  ]) {
    mistake(...argv);
  }
});

test('--uprobe alone, with a value, by name and beside other sources', () => {
  assert.deepEqual(load('--uprobe').uprobe, ['all']);
  assert.deepEqual(load('--uprobe=12', '--uprobe=/usr/lib/libssl.so.3').uprobe, ['12', '/usr/lib/libssl.so.3']);
  // The option that follows is none of its values.
  assert.deepEqual(load('--uprobe', '--api', '127.0.0.1:0').uprobe, ['all']);
  assert.deepEqual(load('-d', 'lo', '-L', '127.0.0.1:9060', '-E', '--uprobe').device, ['lo']);
  const named = load('--uprobe-comm', '^kamailio$');
  assert.deepEqual([named.uprobe, named.uprobeComm], [['all'], '^kamailio$']);
  assert.equal(load('--uprobe-list').uprobeList, true);
  assert.match(mistake('-I', 'a', '--uprobe'), /-I: .*live sources/);
  assert.match(mistake('--uprobe-comm', ''), /--uprobe-comm/);
});

test('--uprobe-offsets is for probes alone', () => {
  assert.equal(load('--uprobe-list', '--uprobe-offsets', '/etc/offsets').uprobeOffsets, '/etc/offsets');
  assert.match(mistake('-I', 'a', '--uprobe-offsets', 'f'), /--uprobe-offsets: it requires --uprobe or/);
});

test('--uprobe-ring-bytes is a size, for probes alone', () => {
  assert.equal(load('--uprobe').uprobeRingBytes, null);
  assert.equal(load('--uprobe', '--uprobe-ring-bytes', '20M').uprobeRingBytes, 20 * 1024 ** 2);
  assert.equal(load('--uprobe-list', '--uprobe-ring-bytes', '64k').uprobeRingBytes, 65_536);
  assert.match(mistake('--uprobe', '--uprobe-ring-bytes', '4096'), /--uprobe-ring-bytes/);
  assert.match(mistake('--uprobe', '--uprobe-ring-bytes', '2G'), /--uprobe-ring-bytes/);
  assert.match(mistake('-I', 'a', '--uprobe-ring-bytes', '1M'), /--uprobe-ring-bytes: .*add --uprobe/);
});

test('--kill-response alone answers 200; a code may stand behind it, with = or without', () => {
  const code = (...args: string[]): number | null => load('-I', 'a', '--kill-scanner', ...args).killResponse;
  assert.equal(code('--kill-response'), 200);
  assert.equal(code('--kill-response', '--fraud'), 200);
  assert.equal(code('--kill-response', '403'), 403);
  assert.equal(code('--kill-response=603', '--fraud'), 603);
  assert.equal(code(), null);
  assert.match(mistake('-I', 'a', '--kill-scanner', '--kill-response', '99'), /--kill-response: /);
  assert.match(mistake('-I', 'a', '--kill-scanner', '--kill-response=x'), /--kill-response: /);
  assert.match(mistake('-I', 'a', '--kill-response'), /it requires --kill-scanner;/);
});

test('what is not built says so in one line', () => {
  for (const spec of OPTIONS.filter((each) => each.refusal !== undefined)) {
    const value = spec.arg === undefined || spec.valueIfBare !== undefined ? [] : ['value'];
    const line = mistake('-I', 'a', `--${spec.flag}`, ...value);
    assert.ok(line.startsWith(`calltap: --${spec.flag}: `), line);
    if (spec.short !== undefined) mistake('-I', 'a', `-${spec.short}`, ...value);
  }
  for (const flag of ['--api-tls-cert', '--api-tls-key']) {
    assert.match(mistake('-I', 'a', '--api', '1', flag, 'x'), /reverse proxy/);
  }
});

test('--log goes with -i alone, and takes the lines of --fail2ban', () => {
  assert.equal(load('-i', '-d', 'eth0', '--fail2ban', '--log', 'l').log, 'l');
  assert.match(mistake('a', '--log', 'l'), /--log: it requires -i; add -i/);
});

test('-i goes with sources and a filter, and with nothing that prints or serves', () => {
  assert.equal(load('-i', 'a', '--filter', 'from:1', '--show-secrets').interactive, true);
  assert.equal(load('-i', '-d', 'eth0', '-O', 'f').interactive, true);
  for (const [more, why] of [
    [['a', '--json'], /--json/],
    [['-d', 'eth0', '--fail2ban'], /standard output is the screen; add --log FILE/],
    [['-d', 'eth0', '--fail2ban', '--log', 'l', '--json'], /--json/],
    [['-d', 'eth0', '--api', '127.0.0.1:0'], /a service has no screen/],
    [['-'], /standard input is the keyboard/],
    [['a', '--filter', 'from:1', '-O', 'f'], /leave -O out/],
    [['a', '-N'], /cannot be combined with -i/],
  ] as const)
    assert.match(mistake('-i', ...more), why);
});

test('--connect goes with a filter and credentials, and with nothing that captures, prints or serves', () => {
  assert.equal(load('--connect').connect, 'local');
  assert.equal(load('--connect', '--utc').connect, 'local');
  const { connect, filter, ca } = load(
    '--connect',
    'https://pbx',
    '--filter',
    'code:5xx',
    '--sort',
    'mos',
    '--ca',
    'f',
  );
  assert.deepEqual([connect, filter, ca], ['https://pbx', 'code:5xx', 'f']);
  assert.equal(load('--connect=http://[::1]:1', '--api-key-file', 'k').apiKeyFile, 'k');
  for (const [more, why] of [
    [
      ['demo.pcap'],
      /^calltap: -I: it cannot be combined with --connect, which shows what a service captures; leave one/,
    ],
    [['-d', 'eth0'], /-d: it cannot be combined with --connect/],
    [['-i'], /-i: it cannot be combined with --connect/],
    [['-O', 'f'], /-O: it cannot/],
    [['--json'], /--json: it cannot/],
    [['--names', 'f'], /--names: it cannot/],
    [['--api', '127.0.0.1:0'], /--api: it cannot/],
    [['--quality-interval', '3'], /--quality-interval: it cannot/],
    [
      ['--show-secrets'],
      /--show-secrets: a service sends no credentials and keys; leave it out, or look with -i there/,
    ],
  ] as const)
    assert.match(mistake('--connect', 'http://127.0.0.1:1', ...more), why);
  assert.match(mistake('a', '--ca', 'f'), /--ca: it requires --connect; add --connect/);
  // What the environment or a file says may be meant for other starts.
  const env = { CALLTAP_DEVICE: 'any', CALLTAP_API: '127.0.0.1:9', SERVICE_API_KEY: 'k' };
  const loaded = loadConfig({ argv: ['--connect'], env });
  assert.ok(loaded.ok, loaded.ok ? '' : configErrorLine(loaded.error));
});
