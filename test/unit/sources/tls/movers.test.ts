/** Who moves TLS records is in the list, with the reason why its TLS cannot be read, or as one that can. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withMovers } from '../../../../src/sources/tls/movers.ts';
import type { SurveyRow } from '../../../../src/sources/tls/survey.ts';
import { surveyHost } from '../../../../src/sources/tls/survey.ts';
import { elfFile, SLOT } from './elf-file.ts';

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
    const path = join(own, name);
    writeFileSync(path, bytes);
    if (i === 0) symlinkSync(path, join(own, 'exe'));
    return `${i + 1}000-${i + 1}800 r-xp 00000000 fe:00 ${statSync(path).ino} ${path}\n`;
  });
  writeFileSync(join(own, 'maps'), maps.join(''));
  return [...withMovers(surveyHost(proc), [{ pid, comm: 'sipd', ...records }], proc).rows];
}

/** A file with these texts in it, and no name. */
function program(...texts: readonly string[]): Uint8Array {
  const bytes = [...Buffer.from(texts.join('\0'), 'latin1'), 0];
  const parts = Array.from({ length: Math.ceil(bytes.length / SLOT) }, (_, i) => bytes.slice(i * SLOT, (i + 1) * SLOT));
  return elfFile({ functions: [...CODE, ...parts.map((code) => ({ name: 'text', code }))] });
}

function library(...names: readonly string[]): Uint8Array {
  return elfFile({ functions: names.map((name) => ({ name, code: RETURNS })) });
}

/** Every TLS has it; who only uses one has not. */
const LABEL = 'master secret';
const OPENSSL = { 'libssl.so.3': library('SSL_read', 'SSL_write') };
const GNUTLS = { 'libgnutls.so.30': library('gnutls_record_recv', 'gnutls_record_send') };

const facts = (rows: readonly SurveyRow[]): unknown[] => rows.map((r) => [r.library, r.isObservable, r.records]);
const DEPENDS =
  /^yes, at its entry, which is fast, and at its exits, where it uses this library: it brings another TLS too$/;

test('a library that can be observed says how many records its process moved', () => {
  assert.deepEqual(facts(listed({ sipd: program(''), ...OPENSSL })), [['OpenSSL', true, 5]]);
});

test('who mentions a library has no TLS by that', () => {
  const files = { sipd: program('built for OpenSSL 3.0'), 'plugin.so': program('BoringSSL') };
  const [row, ...others] = listed({ ...files, ...OPENSSL });
  assert.deepEqual([row?.library, row?.note.includes('another TLS'), others.length], ['OpenSSL', false, 0]);
  // As Debian's libcrypto beside a TLS that is written in Python.
  assert.deepEqual(facts(listed({ sipd: program(''), 'libcrypto.so.3': program('OpenSSL 3.0.19') })), [
    ['TLS', false, 5],
  ]);
});

test('a program that brings another TLS beside such a library has a row for it too, and the answer a condition', () => {
  for (const files of [
    { sipd: program('BoringSSL', LABEL) },
    { python3: program(''), 'cygrpc.so': program('BoringSSL', LABEL) },
  ]) {
    const rows = listed({ ...files, ...GNUTLS });
    assert.deepEqual(
      new Set(facts(rows)),
      new Set([
        ['GnuTLS', true, 5],
        ['BoringSSL', false, 5],
      ]),
    );
    assert.match(rows.find((row) => row.isObservable)?.note ?? '', DEPENDS);
  }
});

test('the kind of a TLS that cannot be read is named by what the process maps, with what to do', () => {
  const program32 = Buffer.concat([Buffer.from('\x7fELF\x01\x01\x01', 'latin1'), Buffer.alloc(64)]);
  const of = (files: Readonly<Record<string, Uint8Array>>): string => {
    const [row, ...others] = listed(files);
    assert.deepEqual([others.length, row?.isObservable, row?.records], [0, false, 5]);
    assert.match(row?.note ?? '', /; (mirror its SIP by HEP|install its debug symbols)/);
    return row?.library ?? '';
  };
  const boring = program('BoringSSL', LABEL);
  assert.equal(of({ sipd: program32 }), '32-bit');
  assert.equal(of({ sipd: program('') }), 'TLS');
  assert.equal(of({ sipd: program(LABEL) }), 'TLS');
  assert.equal(of({ sipd: program(''), 'plugin.so': boring }), 'BoringSSL');
  assert.equal(of({ sipd: program('/cargo/rustls-0.21.1/src', LABEL) }), 'rustls');
  assert.equal(of({ sipd: program('mbedtls_ssl_flight', LABEL) }), 'Mbed TLS');
  assert.equal(of({ sipd: program('BoringSSL s2n_connection_new', 's ap traffic') }), 's2n');
  assert.equal(of({ sipd: program(''), 'libbotan-2.so.19': program('N5Botan3TLS6ClientE', LABEL) }), 'Botan');
  assert.equal(of({ sipd: program(''), 'libbearssl.so.0': program(LABEL) }), 'BearSSL');
  // NSS has its part for TLS in a library of its own; its other parts know the labels too.
  const nss = { 'libnss3.so': program(''), 'libsoftokn3.so': program(LABEL) };
  assert.equal(of({ sipd: program(''), ...nss, 'libssl3.so': program('') }), 'NSS');
  assert.equal(of({ chromium: boring, ...nss }), 'BoringSSL');
});

test('a native TLS in a Java machine is named beside it', () => {
  const files = { java: program(''), 'libjvm.so': program(''), 'libconscrypt.so': program('BoringSSL', LABEL) };
  assert.deepEqual(
    new Set(facts(listed(files))),
    new Set([
      ['Java', false, 5],
      ['BoringSSL', false, 5],
    ]),
  );
});

test('who calls OpenSSL only by its BIO is not observable', () => {
  const byBio = { tclsh: program(''), 'tcltls.so': program('BIO_f_ssl') };
  const [row, ...others] = listed({ ...byBio, ...OPENSSL });
  assert.deepEqual([others.length, row?.library, row?.isObservable], [0, 'OpenSSL', false]);
  assert.match(row?.note ?? '', /^it reads by BIO_f_ssl, .*; mirror its SIP by HEP/);
  // Another part of the program reads by name.
  assert.deepEqual(facts(listed({ ...byBio, 'plugin.so': program('SSL_read'), ...OPENSSL })), [['OpenSSL', true, 5]]);
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
