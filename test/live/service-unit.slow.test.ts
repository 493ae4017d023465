/** deploy/calltap.service: systemd takes every line of it, and it asks for no capability that is not documented. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { repositoryRoot } from './native-program.ts';

const unit = readFileSync(join(repositoryRoot(), 'deploy/calltap.service'), 'utf8');
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

test('systemd-analyze verify finds nothing', { skip: hasAnalyze ? false : 'no systemd-analyze (systemd)' }, (t) => {
  const folder = temporaryFolder(t);
  // The program is not installed here; that it must exist is checked too.
  const path = join(folder, 'calltap.service');
  writeFileSync(path, unit.replace('ExecStart=/usr/bin/calltap', 'ExecStart=/bin/true'));
  // The drop-in is read with the unit.
  cpSync(join(repositoryRoot(), 'deploy/calltap.service.d'), `${path}.d`, { recursive: true });
  const r = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
  const lines = `${r.stdout}${r.stderr}`.split('\n').filter((line) => line.includes('calltap.service'));
  assert.deepEqual(lines, []);
  assert.equal(r.status, 0, r.stderr);
  const broken = join(folder, 'broken.service');
  writeFileSync(broken, unit.replace('ExecStart=/usr/bin/calltap', 'ExecStart=/no/such/program'));
  assert.notEqual(spawnSync('systemd-analyze', ['verify', '--man=no', broken]).status, 0, 'it does look');
});

test('a drop-in for probes adds the capabilities they need, and the refusal sends there', () => {
  const inRepository = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');
  for (const [name, more] of [
    ['tls-probes', []],
    ['old-kernels', ['CAP_SYS_ADMIN']],
  ] as const) {
    const text = inRepository(`deploy/calltap.service.d/${name}.conf`);
    const wanted = ['CAP_SYS_PTRACE', 'CAP_DAC_READ_SEARCH', ...more].join(' ');
    assert.equal(/^AmbientCapabilities=(.*)$/m.exec(text)?.[1], wanted);
    assert.equal(/^CapabilityBoundingSet=(.*)$/m.exec(text)?.[1], wanted);
    assert.ok(inRepository('docs/tls.md').includes(`${name}.conf`));
  }
  assert.ok(inRepository('native/tls/tls_why.c').includes('deploy/calltap.service.d/old-kernels.conf'));
});

test('its capabilities are those the documentation has a row for', () => {
  const documented = readFileSync(join(repositoryRoot(), 'docs/service.md'), 'utf8');
  const named = /^AmbientCapabilities=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
  assert.deepEqual(named, ['CAP_NET_RAW', 'CAP_BPF', 'CAP_PERFMON']);
  assert.equal(/^CapabilityBoundingSet=(.*)$/m.exec(unit)?.[1], named.join(' '));
  for (const name of named) assert.match(documented, new RegExp(`^\\| \`${name}\` \\|`, 'm'));
});
