/** Files and links of another user, which only root can make: no log goes there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, lchownSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openToAppend } from '../../../src/core/create-file.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

const isRoot = process.geteuid?.() === 0;

test('no log goes through a link of another user', {
  skip: isRoot ? false : 'only root makes links of others',
}, (t) => {
  const folder = temporaryFolder(t);
  const link = join(folder, 'link');
  symlinkSync(join(folder, 'target'), link);
  lchownSync(link, 65534, 65534);
  assert.throws(() => openToAppend(link, 0o640), { code: 'EMLINK' });
  assert.ok(!existsSync(join(folder, 'target')));
});

test('no log goes to a file or pipe of another user where everybody may write', {
  skip: isRoot ? false : 'only root makes files of others',
}, (t) => {
  const folder = temporaryFolder(t);
  const [file, pipe, own] = [join(folder, 'file'), join(folder, 'pipe'), join(folder, 'own')];
  writeFileSync(file, '');
  execFileSync('mkfifo', [pipe]);
  for (const path of [file, pipe]) lchownSync(path, 65534, 65534);
  closeSync(openToAppend(file, 0o640));
  chmodSync(folder, 0o1777);
  for (const path of [file, pipe]) assert.throws(() => openToAppend(path, 0o640), { code: 'EALREADY' });
  for (const _ of ['made', 'there']) closeSync(openToAppend(own, 0o640));
});
