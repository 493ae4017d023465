/** The bundled program: it needs nothing but itself, its packages and the native part, and a crash names our sources. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT, startService } from '../conformance/service.ts';
import { PROGRAM } from './run-program.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const folder = mkdtempSync(join(tmpdir(), 'calltap-program-'));
const installed = join(folder, 'dist/program/calltap.js');
after(() => rmSync(folder, { recursive: true, force: true }));

for (const part of ['dist/program', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
for (const name of ['node_modules', 'build']) symlinkSync(join(ROOT, name), join(folder, name));

function run(program: string, args: readonly string[], nodeOptions: readonly string[] = []) {
  const r = spawnSync(process.execPath, [...nodeOptions, program, ...args], { encoding: 'utf8', cwd: ROOT });
  return { status: r.status, out: r.stdout, err: r.stderr };
}

test('every mode prints the same where there are no other modules', () => {
  for (const mode of [['-I', DEMO], ['-I', DEMO, '--json'], ['--help'], ['--version']]) {
    const there = run(installed, mode);
    assert.deepEqual({ status: there.status, err: there.err }, { status: 0, err: '' });
    assert.ok(there.out.length > 0);
    assert.equal(there.out, run(join(ROOT, 'dist/src/app/main.js'), mode).out, mode.join(' '));
  }
});

test('the API serves there, and its worker decodes audio', async (t) => {
  const service = await startService(['-I', DEMO, '--retain-audio'], { program: installed });
  t.after(() => service.stop());
  assert.equal((await service.ask('/metrics')).status, 200);
  const wav = await service.ask('/v1/dialogs/good-g711%40pbx.example.com/audio');
  assert.equal(wav.status, 200);
  assert.equal(wav.text.slice(0, 4), 'RIFF');
});

test('V8 keeps one byte for each character of it', () => {
  const bundle = join(ROOT, 'dist/program');
  for (const name of readdirSync(bundle).filter((path) => path.endsWith('.js')))
    assert.match(readFileSync(join(bundle, name), 'utf8'), /^[\0-\x7f]*$/, name);
});

test('a run that needs no package loads none', (t) => {
  const bare = mkdtempSync(join(tmpdir(), 'calltap-program-'));
  t.after(() => rmSync(bare, { recursive: true, force: true }));
  for (const part of ['dist/program', 'package.json']) cpSync(join(ROOT, part), join(bare, part), { recursive: true });
  symlinkSync(join(ROOT, 'build'), join(bare, 'build'));
  const { status, err } = run(join(bare, 'dist/program/calltap.js'), ['-I', DEMO]);
  assert.deepEqual({ status, err }, { status: 0, err: '' });
});

test('a crash names file and line of our sources', () => {
  const sabotage = 'process.stdout.write = () => { throw new TypeError("sabotage"); };';
  const { status, err } = run(
    PROGRAM,
    ['-I', DEMO],
    ['--import', `data:text/javascript,${encodeURIComponent(sabotage)}`],
  );
  assert.equal(status, 1);
  assert.match(err, /TypeError: sabotage/);
  const [, file = '', line = ''] = /at [^\n]*?(src\/faces\/cli\/[\w-]+\.ts):(\d+):\d+/.exec(err) ?? [];
  assert.notEqual(file, '', err);
  assert.match(readFileSync(join(ROOT, file), 'utf8').split('\n')[Number(line) - 1] ?? '', /write\(/);
  assert.match(err, /at async printed \(src\/app\/run\.ts:\d+:\d+\)/);
});

test('only what nothing assigns becomes a constant of the bundle', async () => {
  const step: { withConstants: (code: string) => string } = await import(join(ROOT, 'scripts/steps/constants.mjs'));
  const kept = ['a = 1', 'a += 1', 'a ??= 1', 'a >>>= 1', 'a++', '--a', 'for (a of b) f(a)', 'a = a == 1'];
  for (const use of kept)
    assert.match(step.withConstants(`var a = 0;\nfunction f() {\n  ${use};\n}\n`), /^var a = 0;/, use);
  for (const use of [
    'b.a = 1',
    'a == 1',
    'a === 1',
    'a => 1',
    'a <= 1',
    'const a = 1',
    'aa = 1',
    'a.b = 1',
    'a[0] = 1',
  ])
    assert.match(step.withConstants(`var a = 0;\nfunction f() {\n  ${use};\n}\n`), /^const a = 0;/, use);
  assert.throws(() => step.withConstants('var a = 0;\n  [a, b] = c;\n'), /by a pattern/);
});
