/** What --uprobe-list knows of a process. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { surveyHost } from '../../../../src/sources/tls/survey.ts';
import { elfFile } from './elf-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'calltap-survey-'));
after(() => rmSync(dir, { recursive: true }));

const RETURNS = [0x55, 0xc3];
const UNKNOWN = [0x06, 0xc3];
const ANYWHERE = [0xff, 0xe0];

/** A /proc with one process that maps a library of these functions. */
function procWith(name: string, codes: Readonly<Record<string, readonly number[]>>): string {
  const lib = join(dir, `lib${name}.so`);
  writeFileSync(lib, elfFile({ functions: Object.entries(codes).map(([n, code]) => ({ name: n, code })) }));
  const proc = join(dir, `proc-${name}`);
  mkdirSync(join(proc, '77'), { recursive: true });
  symlinkSync('/', join(proc, '77/root'));
  writeFileSync(join(proc, '77/comm'), 'sipd\n');
  writeFileSync(join(proc, '77/maps'), `1000-2000 r-xp 00000000 fe:00 ${statSync(lib).ino} ${lib}\n`);
  return proc;
}

test('a library that is read whole, and the functions of which only the entry is read', () => {
  const proc = procWith('whole', { SSL_read: RETURNS, SSL_write: RETURNS, SSL_free: ANYWHERE });
  const [row] = surveyHost(proc).rows;
  assert.deepEqual([row?.isObservable, row?.note], [true, 'yes, at its entry, which is fast, and at its exits']);
  assert.deepEqual(row?.entryOnly, [
    { name: 'SSL_free', why: 'it leaves by a jump to where a register or memory says' },
  ]);
  assert.deepEqual(row?.unread, []);
});

test('what is not read is named with its reason; a library of which nothing is read is not observable', () => {
  const why = 'an instruction that is not known (06c3)';
  const half = surveyHost(procWith('half', { SSL_read: UNKNOWN, SSL_write: RETURNS })).rows[0];
  assert.equal(half?.isObservable, true);
  assert.match(half?.note ?? '', /^yes, .*; not read: SSL_read \(an instruction that is not known \(06c3\)\)$/);
  assert.deepEqual(half?.unread, [{ name: 'SSL_read', why }]);
  const proc = procWith('blind', { SSL_read: UNKNOWN, SSL_write: ANYWHERE });
  const blind = surveyHost(proc).rows[0];
  assert.equal(blind?.isObservable, false);
  assert.match(blind?.note ?? '', /^its calls cannot be read; not read: SSL_read \(.*\), SSL_write \(.*\)$/);
});
