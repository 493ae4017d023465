/** A folder is made with what is missing above it; where it cannot be made, that is said, and nobody waits for ever. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '../../../src/core/make-folder.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

const MODULE = new URL('../../../src/core/make-folder.js', import.meta.url).href;

test('folders that are missing are made, those that are there stay', (t) => {
  const folder = join(temporaryFolder(t), 'a', 'b', 'c');
  makeFolder(folder, 0o700);
  makeFolder(folder, 0o700);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test('below a file no folder can be made', (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  assert.throws(() => makeFolder(join(file, 'folder')), { code: 'ENOTDIR' });
});

test('a place that takes no new names is refused at once', () => {
  const program = `import { makeFolder } from ${JSON.stringify(MODULE)};
    try { makeFolder('/proc/calltap/spool'); } catch (error) { process.stdout.write(error.code); }`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  assert.deepEqual([stdout, signal], ['ENOENT', null]);
});
