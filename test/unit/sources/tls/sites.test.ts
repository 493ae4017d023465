/** Which functions of an ELF file are found, and where their probes go: small files made here, and real libraries. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { readElf, withElf } from '../../../../src/sources/tls/elf.ts';
import type { LibrarySites, ProbeSite } from '../../../../src/sources/tls/sites.ts';
import { findSites, unreadFunctions } from '../../../../src/sources/tls/sites.ts';
import type { ElfForm, ElfFunction } from './elf-file.ts';
import { elfFile, functionAt, sourceOf } from './elf-file.ts';

function sitesOf(form: ElfForm): LibrarySites[] {
  const elf = readElf(sourceOf(elfFile(form)));
  assert.ok(elf.ok, elf.ok ? '' : elf.reason);
  return findSites(elf.image);
}

const RET = [0xc3];
const plain = (...names: string[]): ElfFunction[] => names.map((name) => ({ name, code: RET }));
const list = (found: readonly LibrarySites[]): string[] =>
  found.flatMap((l) => l.sites.map((s) => `${s.name} ${s.kind} ${s.offset}${s.isFast ? ' fast' : ''}`));

test('a library is found by .dynsym, by .symtab, and without section headers by either hash table', () => {
  const functions = plain('other', 'SSL_read', 'SSL_write', 'xSSL_read_ex');
  const expected = [`SSL_read openssl-read ${functionAt(1)}`, `SSL_write openssl-write ${functionAt(2)}`];
  assert.deepEqual(list(sitesOf({ functions })), expected);
  assert.deepEqual(list(sitesOf({ functions, table: 'symtab' })), expected);
  assert.deepEqual(list(sitesOf({ functions, withoutSections: true })), expected);
  assert.deepEqual(list(sitesOf({ functions, withoutSections: true, hash: 'gnu' })), expected);
});

test('a program that only imports the functions offers nothing, nor does half a library', () => {
  const imported = plain('SSL_read', 'SSL_write').map((f) => ({ ...f, isImported: true }));
  assert.deepEqual(sitesOf({ functions: imported }), []);
  assert.deepEqual(sitesOf({ functions: plain('SSL_read', 'SSL_write_ex') }), []);
});

test('every library by its own names, with the kinds of the native side', () => {
  const found = sitesOf({
    functions: plain(
      'gnutls_record_recv',
      'gnutls_record_send',
      'gnutls_init',
      'mbedtls_ssl_read',
      'mbedtls_ssl_write',
      'mbedtls_ssl_init',
    ),
  });
  assert.deepEqual(
    found.map((l) => l.library.name),
    ['GnuTLS', 'Mbed TLS'],
  );
  assert.deepEqual(
    found.flatMap((l) => l.sites.map((s) => s.kind)),
    ['gnutls-read', 'gnutls-write', 'gnutls-new-out', 'mbedtls-read', 'mbedtls-write', 'mbedtls-reset'],
  );
});

test('behind endbr64 when a push stands there; at it when none does', () => {
  const endbr = [0xf3, 0x0f, 0x1e, 0xfa];
  const functions: ElfFunction[] = [
    { name: 'SSL_read', code: [...endbr, 0x41, 0x54, 0xc3] },
    { name: 'SSL_write', code: [...endbr, 0x48, 0x83, 0xec, 8, 0xc3] },
  ];
  assert.deepEqual(list(sitesOf({ functions })), [
    `SSL_read openssl-read ${functionAt(0) + 4} fast`,
    `SSL_write openssl-write ${functionAt(1)}`,
  ]);
});

test('no x86 reading of another machine', () => {
  const functions = ['SSL_read', 'SSL_write'].map((name) => ({ name, code: [0x55, 0xc3] }));
  assert.deepEqual(
    sitesOf({ functions, machine: 62 })[0]?.sites.map((s: ProbeSite) => s.isFast),
    [true, true],
  );
  assert.deepEqual(
    sitesOf({ functions, machine: 183 })[0]?.sites.map((s: ProbeSite) => s.isFast),
    [false, false],
  );
  assert.equal(readElf(sourceOf(elfFile({ functions, machine: 8 }))).ok, false);
});

const debianSsl = '/usr/lib/x86_64-linux-gnu/libssl.so.3';
test("Debian's libssl where returns are read at the exits: both directions, nothing twice", {
  skip: existsSync(debianSsl) ? false : `no ${debianSsl}`,
}, () => {
  const found = withElf(debianSsl, (image) => findSites(image, true));
  assert.ok(Array.isArray(found));
  const [library] = found as LibrarySites[];
  assert.ok(library !== undefined);
  assert.deepEqual(unreadFunctions(library), []);
  for (const name of ['SSL_read', 'SSL_write', 'SSL_new'])
    assert.ok((library.sites.find((s) => s.name === name)?.exits ?? []).length > 0, name);
  const handshake = library.sites.find((s) => s.name === 'SSL_do_handshake');
  assert.equal(handshake?.exits, null);
  assert.match(handshake?.why ?? '', /^it leaves by a jump/);
  assert.equal(new Set(library.sites.map((s) => s.offset)).size, library.sites.length);
});

test('this node: its own OpenSSL, or what its distribution links', () => {
  const found = withElf(process.execPath, findSites);
  assert.ok(Array.isArray(found), 'reason' in found ? found.reason : '');
});
