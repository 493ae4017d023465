/** On a processor below x86-64-v2 the program says so and ends; it does not die of an illegal instruction. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { DEMO, PROGRAM } from './run-program.ts';

/** Another file in the place of /proc/cpuinfo, for the program alone. */
function runWithCpuinfo(t: TestContext, text: string, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-processor-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'cpuinfo');
  writeFileSync(path, text);
  const inside = 'mount --bind "$0" /proc/cpuinfo && exec "$@"';
  const words = ['-m', 'sh', '-c', inside, path, process.execPath, PROGRAM, ...args];
  return spawnSync('unshare', words, { encoding: 'utf8' });
}

function skip(): string | false {
  if (process.arch !== 'x64') return 'level 2 is of x86-64';
  const r = spawnSync('unshare', ['-m', 'mount', '--bind', '/proc/version', '/proc/cpuinfo']);
  return r.status === 0 ? false : 'needs root: a mount namespace';
}
const skipped = { skip: skip() };

const own = (): string => readFileSync('/proc/cpuinfo', 'latin1');
const REFUSAL = /^calltap: this processor is older than x86-64-v2, it lacks sse4_1: .*\n$/;

test('an old processor is refused in one line, whatever needs the addon', skipped, (t) => {
  const old = own().replaceAll(/ sse4_1\b/g, '');
  for (const args of [['-I', DEMO], ['-I', DEMO, '--json'], ['--uprobe-list'], ['-L', '127.0.0.1:0', '-E']]) {
    const r = runWithCpuinfo(t, old, ...args);
    assert.equal(r.status, 1, r.stderr);
    assert.equal(r.stdout, '');
    assert.match(r.stderr, REFUSAL);
  }
  // What needs no addon works.
  assert.equal(runWithCpuinfo(t, old, '--help').status, 0);
  const version = runWithCpuinfo(t, old, '--version');
  assert.equal(version.status, 0, version.stderr);
  assert.match(version.stdout, /\nthis processor is older than x86-64-v2, .*\n$/);
});

test("without the kernel's word on it the processor is taken to be new enough", skipped, (t) => {
  const r = runWithCpuinfo(t, '', '-I', DEMO);
  assert.deepEqual([r.status, r.stderr], [0, '']);
});
