/** --uprobe-list says what would really happen here: with the rights it has, and as whom it was tried. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { asOtherUser } from '../helpers/other-user.ts';
import { until } from '../helpers/patience.ts';
import { selfSigned } from '../helpers/tls-probes.ts';
import { ADDRESS, Agent, Lab } from './lab.ts';
import { buildNameless } from './nameless.ts';
import { certificateFolder, startPeer } from './tls-kernel-lab.ts';
import { missingForTls, numberAt, stats } from './tls-peer-lab.ts';

const MAIN = join(packageRoot(), 'dist/program/calltap.js');

/** The list as a process with these rights makes it. */
function list(rights: readonly string[], ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const [program = '', ...rest] = [...rights, process.execPath, MAIN, '--uprobe-list', ...args];
  const r = spawnSync(program, rest, { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' } });
  return { status: r.status, stdout: r.stdout, stderr: r.stderr };
}

const WITHOUT = ['setpriv', '--bounding-set=-bpf,-perfmon,-sys_admin'];
const skip = missingForTls('setpriv');

test('with the rights, this process can be observed', { skip }, () => {
  const r = list([]);
  assert.equal(r.status, 0, r.stderr);
  const [first, second] = r.stdout.split('\n');
  assert.match(first ?? '', /^probes work here: /);
  assert.match(second ?? '', /^tried as root; a service with fewer rights may be refused: /);
  assert.match(r.stdout, new RegExp(`^ *${process.pid} .* yes, `, 'm'));
});

test('without them nothing is said to be observable', { skip }, () => {
  const r = list(WITHOUT);
  assert.equal(r.status, 1, r.stderr);
  assert.match(
    r.stdout,
    /^probes do not work here: .*missing CAP_BPF and CAP_PERFMON; run as root, or give the service /,
  );
  assert.match(r.stdout, new RegExp(`^ *${process.pid} .* no: probes do not work here `, 'm'));
  assert.doesNotMatch(r.stdout, / yes, /);
  assert.match(r.stdout, /^0 of \d+ processes can be observed$/m);

  const document = asJson(JSON.parse(list(WITHOUT, '--json').stdout));
  const probes = asJson(document['probes']);
  assert.deepEqual([probes['works'], probes['tried_as']], [false, 'root']);
  const libraries = asRows(document['libraries']);
  assert.ok(libraries.length > 0 && libraries.every((row) => row['observable'] === false));
});

test('the least that the service has is enough where there are links of many probes', { skip }, () => {
  const caps = '-all,+bpf,+perfmon';
  const rights = asOtherUser(
    'setpriv',
    '--reuid',
    '65534',
    '--regid',
    '65534',
    '--clear-groups',
    `--bounding-set=${caps}`,
  );
  const r = list([...rights, `--inh-caps=${caps}`, `--ambient-caps=${caps}`]);
  assert.notEqual(r.stdout, '', r.stderr);
  const [first = '', second] = r.stdout.split('\n');
  // On an older kernel the refusal must say what the service needs.
  assert.match(first, /^probes work here: .* by multi links|CAP_SYS_ADMIN .*old-kernels\.conf/);
  assert.match(second ?? '', /^tried as user /);
});

test('who moves TLS records that no probe sees is named', { skip: missingForTls('tstclnt', 'certutil') }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  selfSigned(lab.folder);
  const server = ['s_server', '-accept', `${ADDRESS.a.v4}:5061`, '-cert', 'c.pem', '-key', 'k.pem', '-rev'];
  await lab.said(lab.start('a', 'openssl', server), /ACCEPT/);
  // NSS has no probes. Its records go both ways for as long as the test asks.
  const client = `certutil -N -d . --empty-password; exec tstclnt -d . -h ${ADDRESS.a.v4} -p 5061 -o -b`;
  const talk = `(while echo hello; do sleep 0.1; done) | (${client})`;
  await lab.said(lab.start('b', 'sh', ['-c', talk]), /olleh/);

  const rows = asRows(asJson(JSON.parse(list([], '--uprobe-comm', '^tstclnt$', '--json').stdout))['libraries']);
  assert.deepEqual(
    rows.map((row) => [row['comm'], row['library'], row['observable'], Number(row['records']) > 0]),
    [['tstclnt', 'NSS', false, true]],
  );
  assert.match(String(rows[0]?.['note']), /mirror its SIP by HEP/);

  const agent = await Agent.start(lab, ['--uprobe-comm', '^tstclnt$'], /uprobe ready/);
  await until(
    () => numberAt(stats(agent), 'caveats', 'uprobe_unseen_processes') === 1,
    () => `nobody is counted: ${agent.running.output()}`,
  );
  await lab.said(agent.running, /^uprobe: tstclnt \(\d+\) speaks TLS that no probe sees; /m);
});

test('a stripped program is named with what says where its functions are, or with what is wrong', {
  skip,
}, async (t) => {
  const folder = certificateFolder(t);
  const peer = buildNameless(folder, `listed-${process.pid}`);
  const { child } = await startPeer(t, [peer.stripped, 'server'], /port (\d+)/, folder);
  const rowWith = (...args: string[]): Record<string, unknown> => {
    const r = list([], '--json', ...args);
    const libraries = asRows(asJson(JSON.parse(r.stdout))['libraries']);
    return libraries.find((row) => row['pid'] === child.pid) ?? assert.fail(r.stdout + r.stderr);
  };
  const nothing = rowWith();
  assert.deepEqual([nothing['observable'], nothing['found_by']], [false, null]);
  assert.match(String(nothing['note']), /^stripped: .* give --uprobe-offsets$/);

  const rowOf = (line: string): Record<string, unknown> => {
    const path = join(folder, 'offsets');
    writeFileSync(path, `${line}\n`);
    return rowWith('--uprobe-offsets', path);
  };
  const read = `SSL_read=${peer.address('SSL_read')}`;
  const write = `SSL_write=${peer.address('SSL_write')}`;
  const given = rowOf(`${peer.buildId} ${read} ${write}`);
  assert.deepEqual([given['observable'], given['found_by'], given['library']], [true, 'build id', 'OpenSSL']);
  assert.match(String(given['note']), /^yes, at its entry.*, by build id$/);

  const wrong = rowOf(`${peer.stripped} ${read} SSL_write=0x10`);
  assert.deepEqual([wrong['observable'], wrong['found_by']], [false, null]);
  assert.match(String(wrong['note']), /^SSL_write=0x10 \(option\) lies outside the code of the file$/);
});
