/** How the addon comes to its eBPF: `node-gyp rebuild` clears what set-up made, and nothing may go missing silently. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { versionText, WITHOUT_EBPF } from '../../src/faces/cli/version.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

const root = packageRoot();
const skip = spawnSync('clang', ['--version']).status !== 0 && 'no clang: the set-up builds without eBPF';

/** A checkout in which nothing was built. */
function checkout(t: TestContext): string {
  const folder = temporaryFolder(t);
  for (const name of ['scripts', 'bpf', 'native', 'binding.gyp', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.includes('test/out') });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function run(
  folder: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): [number, string, string] {
  const r = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });
  return [r.status ?? -1, r.stdout, r.stderr];
}

const decide = ['scripts/steps/ebpf.mjs'];

/** PATH with these programs alone. */
function onlyThese(t: TestContext, programs: readonly string[]): NodeJS.ProcessEnv {
  const bin = temporaryFolder(t);
  for (const name of programs) {
    const found = (process.env['PATH'] ?? '').split(delimiter).find((folder) => existsSync(join(folder, name)));
    if (found !== undefined) symlinkSync(join(found, name), join(bin, name));
  }
  return { PATH: bin };
}

test('skeletons that were cleared are made again, by whatever configures the addon', { skip }, (t) => {
  const folder = checkout(t);
  assert.deepEqual(run(folder, process.execPath, decide), [0, 'yes\n', '']);
  const skeletons = ['packet', 'tls', 'scan'].map((name) => join(folder, `build/bpf/${name}.skel.h`));
  assert.ok(skeletons.every((path) => existsSync(path)));
  // As node-gyp clean does.
  rmSync(join(folder, 'build'), { recursive: true });
  mkdirSync(join(folder, 'build'));
  const gyp = join(root, 'node_modules/.bin/node-gyp');
  const [status, , said] = run(folder, gyp, ['configure', '--silent', `--nodedir=${join(process.execPath, '../..')}`]);
  assert.equal(status, 0, said);
  assert.ok(skeletons.every((path) => existsSync(path)));
  const make = readFileSync(join(folder, 'build/calltap.target.mk'), 'utf8');
  assert.match(make, /-DCT_HAVE_LIBBPF/);
  assert.match(make, /-DCT_HAVE_TLS_PROBES/);
  // Older than a source: they are not of today.
  const [first = ''] = skeletons;
  utimesSync(first, 1, 1);
  assert.deepEqual(run(folder, process.execPath, decide), [0, 'yes\n', '']);
  assert.notEqual(readFileSync(first, 'utf8').length, 0);
});

test('without clang the build ends in one line with the remedy, unless it was told to do without', (t) => {
  const folder = checkout(t);
  const env = onlyThese(t, ['gcc', 'node', 'pkg-config']);
  const [status, answer, said] = run(folder, process.execPath, decide, env);
  assert.deepEqual([status, answer], [1, '']);
  assert.match(
    said,
    /^ebpf: missing clang.*; install: apt-get install clang.*, or build without eBPF: CALLTAP_WITHOUT_EBPF=1\n$/,
  );
  assert.deepEqual(run(folder, process.execPath, decide, { ...env, CALLTAP_WITHOUT_EBPF: '1' }), [0, 'no\n', '']);
});

test('an addon without eBPF is said in the version', () => {
  assert.match(versionText(WITHOUT_EBPF), /\nnot built: .*\nwithout eBPF: no --uprobe, .*\n$/);
  assert.match(versionText(WITHOUT_EBPF), /\nnot built: (.* )?uprobe/);
  assert.doesNotMatch(versionText(null), /without eBPF|not built:.* uprobe/);
  // What is built and cannot work here is not said to be missing.
  const text = versionText('this processor is too old');
  assert.match(text, /\nthis processor is too old\n$/);
  assert.doesNotMatch(text, /not built:.* uprobe/);
});
