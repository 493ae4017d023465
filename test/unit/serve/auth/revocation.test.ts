/** The file of revoked ids: what a line means, and that a change counts from the next question on. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, renameSync, statSync, truncateSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { RevocationList } from '../../../../src/serve/auth/revocation.ts';
import { createRevocationList, parseRevoked, REVOKED_FILE_BYTES } from '../../../../src/serve/auth/revocation.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

type Fixture = { readonly path: string; readonly list: RevocationList; readonly warnings: string[] };

function start(t: TestContext, text: string): Fixture {
  const folder = temporaryFolder(t);
  const path = join(folder, 'revoked');
  writeFileSync(path, text);
  const warnings: string[] = [];
  const list = createRevocationList(path, { warn: (reason) => warnings.push(reason) });
  assert.ok(list.ok, list.ok ? '' : list.reason);
  return { path, list: list.value, warnings };
}

test('one id a line; blank lines, comments, blanks around an id and line ends of every kind', () => {
  const ids = parseRevoked('a\n\n  b  \r\n# comment\n   # another\n\tc\t\n\n#d\ne\r\r\nf');
  assert.deepEqual([...ids].sort(), ['a', 'b', 'c', 'e', 'f']);
  assert.deepEqual([...parseRevoked('')], []);
  assert.deepEqual([...parseRevoked('\n\n# only this\n')], []);
});

test('a comment behind an id revokes the id, and so does an id that holds a #', () => {
  assert.ok(parseRevoked('job-1 # left the company').has('job-1'));
  assert.ok(parseRevoked('job-1\t# left').has('job-1'));
  assert.ok(parseRevoked('job #1').has('job #1'));
  assert.ok(parseRevoked('job#1').has('job#1'));
  assert.ok(!parseRevoked('job#1').has('job'));
});

test('an id is the whole line, not a part of it', (t) => {
  const { list } = start(t, 'job-10\n');
  assert.ok(list.has('job-10'));
  for (const id of ['job-1', 'job-100', 'JOB-10', ' job-10', '', 'toString', '__proto__']) assert.ok(!list.has(id), id);
});

test('a line that is added counts for the next question', (t) => {
  const { path, list } = start(t, 'a\n');
  assert.ok(!list.has('b'));
  appendFileSync(path, 'b\n');
  assert.ok(list.has('b'));
});

test('many changes in quick succession, all of the same size', (t) => {
  const { path, list } = start(t, 'id-000\n');
  for (let i = 1; i < 300; i++) {
    const id = `id-${String(i).padStart(3, '0')}`;
    writeFileSync(path, `${id}\n`);
    assert.ok(list.has(id), id);
    assert.ok(!list.has(`id-${String(i - 1).padStart(3, '0')}`));
  }
});

test('a change that keeps size and mtime is seen by the inode and its change time', async (t) => {
  const { path, list } = start(t, 'aaaa\n');
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(path, old, old);
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.ok(list.has('aaaa'));
  writeFileSync(path, 'bbbb\n');
  utimesSync(path, old, old);
  assert.ok(list.has('bbbb'), 'written in place');
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.ok(list.has('bbbb'));
  writeFileSync(`${path}.new`, 'cccc\n');
  utimesSync(`${path}.new`, old, old);
  renameSync(`${path}.new`, path);
  // A file system may keep the time a little short of a whole millisecond.
  assert.ok(Math.abs(statSync(path).mtimeMs - old.getTime()) < 1);
  assert.ok(list.has('cccc'), 'replaced');
});

test('a file that rests is not read again', async (t) => {
  const { path } = start(t, 'a\n');
  await new Promise((resolve) => setTimeout(resolve, 150));
  let reads = 0;
  // The clock is looked at when the file is read, and at no other time.
  const nowMs = (): number => {
    reads++;
    return Date.now();
  };
  const list = createRevocationList(path, { warn: () => undefined, nowMs });
  assert.ok(list.ok);
  for (let i = 0; i < 50; i++) assert.ok(list.value.has('a'));
  assert.equal(reads, 1);
  appendFileSync(path, 'b\n');
  assert.ok(list.value.has('b'));
  await new Promise((resolve) => setTimeout(resolve, 150));
  list.value.has('b');
  const settled = reads;
  for (let i = 0; i < 50; i++) list.value.has('b');
  assert.equal(reads, settled);
});

test('a file that goes away keeps its last list and is reported once, each time it goes', (t) => {
  const { path, list, warnings } = start(t, 'a\nb\n');
  unlinkSync(path);
  for (let i = 0; i < 5; i++) assert.ok(list.has('a'));
  assert.deepEqual(warnings, ['there is no such file; the ids read from it before (2) stay revoked']);
  writeFileSync(path, 'c\n');
  assert.ok(list.has('c'));
  assert.ok(!list.has('a'));
  unlinkSync(path);
  assert.ok(list.has('c'));
  assert.ok(list.has('c'));
  assert.equal(warnings.length, 2);
});

test('a file that turns into something else keeps its last list', (t) => {
  const { path, list, warnings } = start(t, 'a\n');
  writeFileSync(path, Buffer.from([0x61, 0xff, 0xfe]));
  assert.ok(list.has('a'));
  assert.match(warnings[0] ?? '', /not UTF-8 text/);
  truncateSync(path, REVOKED_FILE_BYTES + 1);
  assert.ok(list.has('a'));
  unlinkSync(path);
  execFileSync('mkfifo', [path]);
  assert.ok(list.has('a'), 'a pipe without a writer must not be waited for');
  assert.equal(warnings.length, 1, 'lost all the time, reported once');
});

test('a start needs the file', (t) => {
  const { path } = start(t, '');
  const reason = (name: string): string => {
    const list = createRevocationList(name, { warn: () => assert.fail('no warning at the start') });
    return list.ok ? 'accepted' : list.reason;
  };
  assert.equal(reason(`${path}-gone`), 'there is no such file');
  assert.equal(reason(tmpdir()), 'it is not a regular file');
  assert.equal(reason('/dev/zero'), 'it is not a regular file');
  assert.equal(reason(`${path}/x`), 'cannot read it (ENOTDIR)');
  truncateSync(path, REVOKED_FILE_BYTES + 1);
  assert.match(reason(path), /larger than/);
});
