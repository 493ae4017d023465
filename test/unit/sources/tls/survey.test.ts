/** What --uprobe-list knows of a process. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { surveyHost } from '../../../../src/sources/tls/survey.ts';
import { manyNotes } from '../../../helpers/hostile-elf.ts';
import { elfFile } from './elf-file.ts';
import { CHECKED, goFile } from './go-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'calltap-survey-'));
after(() => rmSync(dir, { recursive: true }));

const RETURNS = [0x55, 0xc3];
const UNKNOWN = [0x06, 0xc3];
const ANYWHERE = [0xff, 0xe0];

/** A /proc with one process that maps a library of these functions. */
function procWith(name: string, codes: Readonly<Record<string, readonly number[]>>): string {
  return procOf(name, elfFile({ functions: Object.entries(codes).map(([n, code]) => ({ name: n, code })) }));
}

/** The same of a file, which is its program as well. */
function procOf(name: string, file: Buffer): string {
  const lib = join(dir, `lib${name}.so`);
  writeFileSync(lib, file);
  const proc = join(dir, `proc-${name}`);
  mkdirSync(join(proc, '77'), { recursive: true });
  symlinkSync('/', join(proc, '77/root'));
  symlinkSync(lib, join(proc, '77/exe'));
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

test('a library that the program loaded as it ran may serve others than its TLS; the answer has a condition', () => {
  /** The program's needs, and those of a library between it and libssl. */
  const noteOf = (name: string, needs: readonly string[], between: readonly string[] = []): string => {
    const proc = join(dir, `proc-${name}`);
    const files = {
      sipd: elfFile({ functions: [{ name: 'main', code: RETURNS }], needs }),
      '_ssl.so': elfFile({ functions: [{ name: 'init', code: RETURNS }], needs: between }),
      'libssl.so.3.0.19': elfFile({
        functions: ['SSL_read', 'SSL_write'].map((n) => ({ name: n, code: RETURNS })),
        soname: 'libssl.so.3',
      }),
    };
    mkdirSync(join(proc, '77'), { recursive: true });
    symlinkSync('/', join(proc, '77/root'));
    symlinkSync(join(proc, 'sipd'), join(proc, '77/exe'));
    writeFileSync(join(proc, '77/comm'), 'sipd\n');
    const lines = Object.entries(files).map(([file, bytes], i) => {
      const path = join(proc, file);
      writeFileSync(path, bytes);
      return `${i + 1}000-${i + 1}800 r-xp 00000000 fe:00 ${statSync(path).ino} ${path}\n`;
    });
    writeFileSync(join(proc, '77/maps'), lines.join(''));
    return surveyHost(proc).rows.find(({ library }) => library === 'OpenSSL')?.note ?? '';
  };
  const condition = /, and at its exits, where it uses this library: it loaded it as it ran$/;
  assert.doesNotMatch(noteOf('linked', ['libc.so.6', 'libssl.so.3']), /where it uses/);
  assert.doesNotMatch(noteOf('by-another', ['_ssl.so'], ['libssl.so.3']), /where it uses/);
  assert.match(noteOf('module', ['libc.so.6'], ['libssl.so.3']), condition);
  assert.match(noteOf('unknown', ['libssl.so.1.1']), condition);
  // Libraries that need each other.
  assert.match(noteOf('circle', ['_ssl.so'], ['_ssl.so', 'sipd']), condition);
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

test('programs of Go: a version that is tried, one that is not, and one without crypto/tls', () => {
  const functions = [
    ['crypto/tls.(*Conn).Read', CHECKED],
    ['crypto/tls.(*Conn).Write', CHECKED],
  ] as const;
  const rowOf = (name: string, form: Partial<Parameters<typeof goFile>[0]>) =>
    surveyHost(procOf(name, goFile({ version: 'go1.25.3', functions, ...form }))).rows[0];
  const seen = rowOf('seen', {});
  assert.deepEqual([seen?.library, seen?.isObservable], ['Go 1.25.3', true]);
  assert.equal(seen?.note, 'yes, at its entry, which is fast, and at its exits');
  const untried = rowOf('untried', { version: 'go1.31.2' });
  assert.deepEqual([untried?.library, untried?.isObservable], ['Go 1.31.2', false]);
  assert.match(
    untried?.note ?? '',
    /crypto\/tls \(go1\.31\.2 was not tried \(tried: 1\.19, .*\); build it with one of/,
  );
  const without = rowOf('without', { functions: [['main.main', [0xc3]]] });
  assert.deepEqual([without?.library, without?.isObservable], ['Go', false]);
  assert.match(without?.note ?? '', /^it has no crypto\/tls/);
});

test('a file that takes too much to read is named, and no row is made of it', () => {
  const { rows, unread } = surveyHost(procOf('hostile', manyNotes(2_200)));
  assert.deepEqual(rows, []);
  assert.deepEqual([unread.paths.length, unread.late], [1, 0]);
});
