/** A path that somebody else chose: a regular file of its own file systems is opened, and nothing else is touched. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, readSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { OpenRules } from '../../../../src/sources/tls/regular-file.ts';
import { openRegular, readHead } from '../../../../src/sources/tls/regular-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-open-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

function opened(path: string, rules: OpenRules = { follow: true }): string {
  const file = openRegular(path, rules);
  if ('reason' in file) return file.reason;
  const bytes = Buffer.alloc(8);
  const n = readSync(file.fd, bytes, 0, 8, 0);
  closeSync(file.fd);
  return bytes.toString('latin1', 0, n);
}

test('a file is opened, by a link where links may be followed', () => {
  writeFileSync(at('file'), 'content');
  symlinkSync('file', at('link'));
  assert.equal(opened(at('file')), 'content');
  assert.equal(opened(at('link')), 'content');
  assert.equal(opened(at('link'), { follow: false }), 'no regular file');
  assert.equal(opened(at('nowhere')), 'cannot be opened (ENOENT)');
});

test('what is no file is refused, and so is a file of the kernel and one without content', () => {
  mkdirSync(at('folder'));
  writeFileSync(at('hole'), '');
  truncateSync(at('hole'), 1024 ** 4);
  symlinkSync('/proc/self/root/proc/kmsg', at('kmsg'));
  for (const path of [
    at('folder'),
    at('hole'),
    at('kmsg'),
    '/dev/null',
    '/dev/zero',
    '/proc/self/maps',
    '/sys/kernel/notes',
  ])
    assert.match(opened(path), /^no regular file$|ENOENT/, path);
});

test('the writer of a pipe is not released', async (t) => {
  assert.equal(spawnSync('mkfifo', [at('pipe')]).status, 0);
  const writer = spawn('sh', ['-c', 'echo eaten > "$0"', at('pipe')], { stdio: 'ignore' });
  t.after(() => writer.kill('SIGKILL'));
  for (let i = 0; i < 100; i++) {
    assert.equal(opened(at('pipe')), 'no regular file');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.equal(writer.exitCode, null);
});

test('a file that a process does not see is refused', () => {
  const proc = at('proc');
  mkdirSync(proc);
  writeFileSync(join(proc, 'mountinfo'), '1 0 0:0 / / rw - tmpfs none rw\n');
  assert.equal(opened(at('file'), { follow: true, seenBy: proc }), 'the path leads out of its file systems');
  assert.equal(opened(at('file'), { follow: true, seenBy: '/proc/self' }), 'content');
});

test('of a long text the first bytes are read', () => {
  writeFileSync(at('long'), 'ab'.repeat(100_000));
  assert.equal(readHead(at('long'), 5), 'ababa');
  assert.equal(readHead(at('long'), 1_000_000).length, 200_000);
});
