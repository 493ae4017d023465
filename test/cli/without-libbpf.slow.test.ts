/** libbpf is loaded by what needs it: reading files, HEP and capture with the classic filter go without. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { loadNative } from '../../src/sources/native.ts';
import { until } from '../helpers/patience.ts';
import { boundSkip, runBound, startBound } from './bound-files.ts';
import { assertRefused, DEMO, finished } from './run-program.ts';

const info = loadNative().info();
const isBuilt = info.hasEbpf ? false : 'the addon is built without eBPF';

/** Libraries of eBPF that a process has mapped, before and after something needs them. */
function mapped(): { before: string[]; after: string[] } {
  const native = new URL('../../src/sources/native.js', import.meta.url);
  const script = `
    import { readFileSync } from 'node:fs';
    import { loadNative } from ${JSON.stringify(native.href)};
    const libraries = () => [...new Set(readFileSync('/proc/self/maps', 'latin1').match(/\\/\\S*lib(bpf|elf)[-.]\\S*/g))];
    const native = loadNative();
    const before = libraries();
    native.libbpfRefusal();
    process.stdout.write(JSON.stringify({ before, after: libraries() }));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

test('the addon is loaded without libbpf and libelf', { skip: isBuilt }, () => {
  const { before, after } = mapped();
  assert.deepEqual(before, []);
  assert.ok(after.some((path) => path.includes('libbpf')) && after.some((path) => path.includes('libelf')), `${after}`);
});

test('without libbpf all works but probes, and capture filters less', { skip: isBuilt || boundSkip() }, async () => {
  const hidden = mapped().after.map((path) => ['/dev/null', path] as const);
  const missing = /libbpf\.so\.1.*; install it \(Debian, Ubuntu: apt-get install libbpf1; /;

  const table = await runBound(hidden, ['-I', DEMO]);
  assert.deepEqual([table.code, table.stderr], [0, '']);
  assert.match(table.stdout, /21 dialogs/);
  assert.equal((await runBound(hidden, ['--help'])).code, 0);
  const version = await runBound(hidden, ['--version']);
  assert.match(version.stdout, /\nno --uprobe here, and -d filters less: .*\n$/);
  assert.match(version.stdout, missing);

  assert.match(assertRefused(await runBound(hidden, ['--uprobe']), 1), missing);
  const list = await runBound(hidden, ['--uprobe-list']);
  assert.equal(list.code, 1);
  assert.match(list.stdout, /^probes do not work here: .*\n/);
  assert.match(list.stdout, missing);

  const child = startBound(hidden, ['-d', 'lo', '-L', '127.0.0.1:0', '-E']);
  const done = finished(child);
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const line = await until(
    () => /^capturing on lo, filter: .*$/m.exec(said)?.[0],
    () => said,
  );
  child.kill('SIGTERM');
  assert.match(line, /filter: classic \(/);
  assert.match(line, missing);
  assert.match(said, /^hep listening on udp/m);
  assert.equal((await done).code, 0);
});
