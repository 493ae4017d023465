/** Who moves TLS records is in the list, with the reason why its TLS cannot be read, or as one that can. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withMovers } from '../../../../src/sources/tls/movers.ts';
import type { SurveyRow } from '../../../../src/sources/tls/survey.ts';
import { surveyHost } from '../../../../src/sources/tls/survey.ts';
import { elfFile } from './elf-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'calltap-movers-'));
after(() => rmSync(dir, { recursive: true }));

let pid = 100;
const RETURNS = [0x55, 0xc3];
const CODE = [{ name: 'main', code: RETURNS }];

/** A /proc with one process that runs the first of these files and maps them all; what the list says of it. */
function listed(files: Readonly<Record<string, Uint8Array>>, records = { sent: 2, received: 3 }): SurveyRow[] {
  const proc = join(dir, `proc-${++pid}`);
  const own = join(proc, String(pid));
  mkdirSync(own, { recursive: true });
  symlinkSync('/', join(own, 'root'));
  writeFileSync(join(own, 'comm'), 'sipd\n');
  const maps = Object.entries(files).map(([name, bytes], i) => {
    const path = join(dir, `${pid}-${name}`);
    writeFileSync(path, bytes);
    if (i === 0) symlinkSync(path, join(own, 'exe'));
    return `${i + 1}000-${i + 1}800 r-xp 00000000 fe:00 ${statSync(path).ino} ${path}\n`;
  });
  writeFileSync(join(own, 'maps'), maps.join(''));
  return [...withMovers(surveyHost(proc), [{ pid, comm: 'sipd', ...records }], proc).rows];
}

/** A program with a text in it. */
function program(text: string): Uint8Array {
  return elfFile({ functions: [...CODE, { name: 'text', code: [...Buffer.from(text, 'latin1')] }] });
}

const facts = (rows: readonly SurveyRow[]): unknown[] => rows.map((r) => [r.library, r.isObservable, r.records]);

test('a library that can be observed says how many records its process moved', () => {
  const functions = ['SSL_read', 'SSL_write'].map((name) => ({ name, code: RETURNS }));
  const files = { sipd: program(''), 'libssl.so': elfFile({ functions }) };
  assert.deepEqual(facts(listed(files)), [['OpenSSL', true, 5]]);
  assert.deepEqual(facts(listed({ ...files, sipd: program('built for OpenSSL 3.0') })), [['OpenSSL', true, 5]]);
});

test('a program that brings another TLS beside such a library has a row for it too', () => {
  const functions = ['gnutls_record_recv', 'gnutls_record_send'].map((name) => ({ name, code: RETURNS }));
  const files = { sipd: program('BoringSSL'), 'libgnutls.so': elfFile({ functions }) };
  assert.deepEqual(facts(listed(files)), [
    ['GnuTLS', true, 5],
    ['BoringSSL', false, 5],
  ]);
});

test('the kind of a TLS that cannot be read is named by what the process maps, with what to do', () => {
  const program32 = Buffer.concat([Buffer.from('\x7fELF\x01\x01\x01', 'latin1'), Buffer.alloc(64)]);
  const of = (files: Readonly<Record<string, Uint8Array>>): string => {
    const [row, ...others] = listed(files);
    assert.deepEqual([others.length, row?.isObservable, row?.records], [0, false, 5]);
    assert.match(row?.note ?? '', /; (mirror its SIP by HEP|install its debug symbols)/);
    return row?.library ?? '';
  };
  assert.equal(of({ sipd: program(''), 'libnss3.so': program('') }), 'TLS');
  assert.equal(of({ sipd: program32 }), '32-bit');
  assert.equal(of({ sipd: program('') }), 'TLS');
  assert.equal(of({ sipd: program(''), 'plugin.so': program('BoringSSL') }), 'BoringSSL');
  assert.equal(of({ sipd: program('/cargo/rustls-0.21.1/src') }), 'rustls');
});

test('who has ended meanwhile keeps a row', () => {
  const proc = join(dir, 'proc-empty');
  mkdirSync(proc, { recursive: true });
  const { rows } = withMovers(surveyHost(proc), [{ pid: 7, comm: 'gone', sent: 1, received: 0 }], proc);
  assert.deepEqual(
    rows.map((r) => [r.pid, r.comm, r.note.split(';')[0], r.records]),
    [[7, 'gone', 'it has ended', 1]],
  );
});
