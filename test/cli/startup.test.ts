/** The joined start-up script: the program answers from it as it does module by module, and a stale one is not used. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Script } from 'node:vm';
import { DEMO, ROOT, startService } from '../conformance/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-startup-'));
const dist = join(folder, 'dist');
const program = join(dist, 'src/app/main.js');
const script = join(dist, 'startup.js');
const cache = join(dist, 'startup.cache');

function run(args: readonly string[]): string {
  const r = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', cwd: ROOT, env: { NO_COLOR: '1' } });
  assert.equal(`${r.status} ${r.stderr}`, '0 ');
  return r.stdout;
}

/** Each way the program is started, without its start-up script. */
const MODES = [['-I', DEMO], ['-I', DEMO, '--json'], ['--help'], ['--version']];
const expected: string[] = [];

before(() => {
  cpSync(join(ROOT, 'dist/src'), join(dist, 'src'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const name of ['node_modules', 'build']) symlinkSync(join(ROOT, name), join(folder, name));
  for (const mode of MODES) expected.push(run(mode));
  const made = spawnSync(process.execPath, [join(ROOT, 'scripts/steps/startup.mjs'), dist], { encoding: 'utf8' });
  assert.equal(`${made.status} ${made.stderr}`, '0 ');
  assert.ok(existsSync(script) && existsSync(cache));
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('every mode prints the same from the script', () => {
  // What the script alone has: without its modules only it can answer.
  rmSync(join(dist, 'src/app/program.js'));
  rmSync(join(dist, 'src/store'), { recursive: true });
  for (const [i, mode] of MODES.entries()) assert.equal(run(mode), expected[i], mode.join(' '));
});

test('what was compiled ahead is taken by the engine as it starts, whatever flags a run has set', () => {
  const cachedData = readFileSync(cache);
  const taken = new Script(readFileSync(script, 'latin1'), { filename: script, cachedData });
  assert.equal(taken.cachedDataRejected, false);
});

test('the API serves from the script, with the packages it needs', async (t) => {
  const service = await startService(['-I', DEMO], { program });
  t.after(() => service.process.kill());
  assert.equal((await service.ask('/health')).status, 200);
  assert.equal((await service.ask('/v1/dialogs?from=2001')).status, 200);
  assert.equal((await service.ask('/metrics')).status, 200);
});

test('what was compiled ahead by another engine is ignored', () => {
  writeFileSync(cache, Buffer.alloc(4096, 7));
  assert.equal(run(MODES[0] ?? []), expected[0]);
  rmSync(cache);
  assert.equal(run(MODES[0] ?? []), expected[0]);
});

test('a script older than the program is not used', () => {
  cpSync(join(ROOT, 'dist/src'), join(dist, 'src'), { recursive: true });
  writeFileSync(script, 'throw new Error("old");');
  utimesSync(script, 1, 1);
  assert.equal(run(MODES[0] ?? []), expected[0]);
});
