/** Files are made for their owner alone, under names that nothing has; a link leads only where root or this user put it. */
import assert from 'node:assert/strict';
import { closeSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFile, createFileAsync, openToAppend, writeNewFile } from '../../../src/core/create-file.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

test('a new file has mode 0600, and nothing may have its name', async (t) => {
  const folder = temporaryFolder(t);
  closeSync(createFile(join(folder, 'a')));
  await (await createFileAsync(join(folder, 'b'))).close();
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'c'));
  for (const name of ['a', 'b']) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  for (const name of ['a', 'b', 'c']) {
    assert.throws(() => createFile(join(folder, name)), { code: 'EEXIST' });
    await assert.rejects(createFileAsync(join(folder, name)), { code: 'EEXIST' });
  }
});

test('a file that cannot be replaced stays, and nothing lies beside it', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'file');
  writeFileSync(path, 'old');
  assert.throws(() => writeNewFile(path, Buffer.from('new'), false), { code: 'WRITE_FAILED' });
  assert.equal(readFileSync(path, 'latin1'), 'old');
  writeNewFile(path, Buffer.from('new'), true);
  assert.equal(readFileSync(path, 'latin1'), 'new');
  assert.throws(() => writeNewFile(folder, Buffer.from('new'), true), { code: 'WRITE_FAILED' });
  assert.deepEqual(readdirSync(folder), ['file']);
});

test('a log goes on at its end, through a link of this user', (t) => {
  const folder = temporaryFolder(t);
  const [link, target] = [join(folder, 'link'), join(folder, 'target')];
  writeFileSync(target, 'one ');
  symlinkSync(target, link);
  const fd = openToAppend(link, 0o640);
  writeFileSync(fd, 'two');
  closeSync(fd);
  assert.equal(readFileSync(target, 'latin1'), 'one two');
});

test('what cannot be looked at is not replaced, and says why', (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, 'old');
  for (const path of [join(file, 'below'), 'x'.repeat(300)])
    for (const mayReplace of [false, true])
      assert.throws(() => writeNewFile(path, Buffer.from('new'), mayReplace), { code: 'WRITE_FAILED' });
});
