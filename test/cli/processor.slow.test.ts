/** On a processor below x86-64-v2 the program says so and ends; it does not die of an illegal instruction. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { boundSkip, runBound } from './bound-files.ts';
import type { Run } from './run-program.ts';
import { assertRefused, DEMO } from './run-program.ts';

const skip = process.arch === 'x64' ? boundSkip() : 'level 2 is of x86-64';

/** Runs the program with this text in /proc/cpuinfo. */
function runWithCpuinfo(t: TestContext, text: string, ...args: string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-processor-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'cpuinfo');
  writeFileSync(path, text);
  return runBound([[path, '/proc/cpuinfo']], args);
}

test('an old processor is refused in one line, whatever needs the addon', { skip }, async (t) => {
  const old = readFileSync('/proc/cpuinfo', 'latin1').replaceAll(/ sse4_1\b/g, '');
  for (const args of [['-I', DEMO], ['-I', DEMO, '--json'], ['--uprobe-list'], ['-L', '127.0.0.1:0', '-E']]) {
    const line = assertRefused(await runWithCpuinfo(t, old, ...args), 1);
    assert.match(line, /^calltap: this processor is older than x86-64-v2, it lacks sse4_1; /);
  }
  // What needs no addon works.
  assert.equal((await runWithCpuinfo(t, old, '--help')).code, 0);
  const version = await runWithCpuinfo(t, old, '--version');
  assert.equal(version.code, 0, version.stderr);
  assert.match(version.stdout, /\nthis processor is older than x86-64-v2, .*\n$/);
});

test('where the kernel says nothing of it the processor is taken to be new enough', { skip }, async (t) => {
  const r = await runWithCpuinfo(t, '', '-I', DEMO);
  assert.deepEqual([r.code, r.stderr], [0, '']);
});
