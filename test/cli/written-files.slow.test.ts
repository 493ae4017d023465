/** Files, pipes and links of another user, which only root can make: what the program writes goes to none of them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  lchownSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { assertRefused, DEMO, printed, run } from './run-program.ts';

const OTHER_USER = 65534;

test('-O follows a link of this user, and none of another one', {
  skip: process.geteuid?.() === 0 ? false : 'only root makes links of others',
}, async (t) => {
  const folder = temporaryFolder(t);
  const link = join(folder, 'link');
  const target = join(folder, 'target');
  symlinkSync(target, link);
  await printed([DEMO, '-O', link]);
  assert.ok(statSync(target).size > 0);
  lchownSync(link, OTHER_USER, OTHER_USER);
  const line = /: it is a link of another user; name the file that it leads to$/;
  assert.match(assertRefused(await run([DEMO, '-O', link]), 1), line);
});

for (const option of ['-O', '--log']) {
  test(`${option} writes to no file and no pipe of another user in a folder that everybody may write to`, {
    skip: process.geteuid?.() === 0 ? false : 'only root makes files of others',
  }, async (t) => {
    const folder = temporaryFolder(t);
    const [file, pipe] = [join(folder, 'planted.pcap'), join(folder, 'planted-pipe')];
    const args = option === '-O' ? [DEMO, '-O'] : ['-i', DEMO, '--log'];
    writeFileSync(file, '', { mode: 0o666 });
    lchownSync(file, OTHER_USER, OTHER_USER);
    if (option === '-O') await printed([...args, file]);
    const before = readFileSync(file);
    execFileSync('mkfifo', [pipe]);
    lchownSync(pipe, OTHER_USER, OTHER_USER);
    execFileSync('chmod', ['1777', folder]);
    // A reader that is there, and stays.
    const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    t.after(() => closeSync(reader));
    for (const path of [file, pipe])
      assert.match(assertRefused(await run([...args, path]), 1), /: another user made it, in a folder that everybody/);
    assert.throws(() => readSync(reader, Buffer.alloc(1)), { code: 'EAGAIN' }, 'nothing is in the pipe');
    assert.deepEqual(readFileSync(file), before);
  });
}
