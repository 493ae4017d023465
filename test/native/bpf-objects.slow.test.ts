/** The eBPF objects that the addon embeds, and those of the other machine: made of today's sources, and loadable. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

const root = packageRoot();
const EM_BPF = 247;
const names = readdirSync(join(root, 'bpf'))
  .filter((name) => name.endsWith('.bpf.c'))
  .map((name) => name.replace('.bpf.c', ''));
const skip = spawnSync('clang', ['--version']).status !== 0 && 'no clang: the set-up builds without eBPF';

test('objects for x86_64 and arm64 are what the sources compile to', { skip }, (t) => {
  const out = temporaryFolder(t);
  const program = "import('./scripts/build-bpf.mjs').then((m) => process.stdout.write(m.buildBpf(process.argv[1])))";
  const built = spawnSync(process.execPath, ['-e', program, out], { cwd: root, encoding: 'utf8' });
  assert.equal(`${built.stdout}${built.stderr}`, '');
  for (const name of names)
    for (const machine of ['x86_64', 'arm64']) {
      const file = `${name}.${machine}.bpf.o`;
      const fresh = readFileSync(join(out, file));
      assert.equal(fresh.readUInt16LE(18), EM_BPF, file);
      assert.ok(fresh.equals(readFileSync(join(root, 'build/bpf', file))), `${file} is of other sources`);
    }
  assert.ok(names.includes('tls') && existsSync(join(out, 'tls.skel.h')));
});
