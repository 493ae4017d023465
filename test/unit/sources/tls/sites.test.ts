/** Which functions of an ELF file are found, and where their probes go: small files made here, and real libraries. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import type { ByteSource } from '../../../../src/sources/tls/elf.ts';
import { readElf, withElf } from '../../../../src/sources/tls/elf.ts';
import type { LibrarySites, ProbeSite } from '../../../../src/sources/tls/sites.ts';
import { findSites, unreadFunctions } from '../../../../src/sources/tls/sites.ts';
import type { ElfForm, ElfFunction } from './elf-file.ts';
import { elfFile, functionAt, SLOT } from './elf-file.ts';

function source(file: Buffer): ByteSource {
  return {
    size: file.length,
    read: (at, length) => (at < 0 || length < 0 || at + length > file.length ? null : file.subarray(at, at + length)),
  };
}

function sitesOf(form: ElfForm, isWithExits = false): LibrarySites[] {
  const elf = readElf(source(elfFile(form)));
  assert.ok(elf.ok, elf.ok ? '' : elf.reason);
  return findSites(elf.image, isWithExits);
}

const RET = [0xc3];
const plain = (...names: string[]): ElfFunction[] => names.map((name) => ({ name, code: RET }));
const list = (found: readonly LibrarySites[]): string[] =>
  found.flatMap((l) =>
    l.sites.map((s) => `${s.name} ${s.kind} ${s.offset}${s.isInternal ? ' internal' : ''}${s.isFast ? ' fast' : ''}`),
  );

/** `call` or `jmp` from the byte at `at` of function `n` to the begin of function `to`. */
function branch(op: 0xe8 | 0xe9, n: number, at: number, to: number): number[] {
  const b = Buffer.alloc(4);
  b.writeInt32LE(to * SLOT - (n * SLOT + at + 5));
  return [op, ...b];
}

/** sub rsp,24; test edx,edx; js +0x40; mov rcx,rsp; movslq rdx,edx; call */
const readPrologue = [0x48, 0x83, 0xec, 0x18, 0x85, 0xd2, 0x78, 0x40, 0x48, 0x89, 0xe1, 0x48, 0x63, 0xd2];
const readBody = (n: number, to: number): number[] => [
  ...readPrologue,
  ...branch(0xe8, n, readPrologue.length, to),
  ...RET,
];
/** sub rsp,8; call */
const exBody = (n: number, to: number): number[] => [0x48, 0x83, 0xec, 8, ...branch(0xe8, n, 4, to), ...RET];
const PUSH = [0x55, 0xc3];

/** SSL_read, SSL_read_ex, SSL_write, SSL_write_ex and the two functions they share, the last of another name. */
function shared(changes: Partial<Record<number, readonly number[]>> = {}): ElfFunction[] {
  const bodies: readonly (readonly [string, readonly number[]])[] = [
    ['SSL_read', readBody(0, 4)],
    ['SSL_read_ex', exBody(1, 4)],
    ['SSL_write', readBody(2, 5)],
    ['SSL_write_ex', exBody(3, 5)],
    ['not_a_name_of_tls_r', PUSH],
    ['not_a_name_of_tls_w', PUSH],
  ];
  return bodies.map(([name, code], i) => ({ name, code: changes[i] ?? code }));
}

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

test('the fast site is taken when both functions prove it', () => {
  const found = list(sitesOf({ functions: shared() }));
  assert.deepEqual(found, [
    `SSL_read openssl-read-ex ${functionAt(4)} internal fast`,
    `SSL_write openssl-write-ex ${functionAt(5)} internal fast`,
  ]);
});

test('any doubt leaves the exported entry', () => {
  const doubts: readonly (readonly [string, readonly ElfFunction[]])[] = [
    ['another target', shared({ 1: exBody(1, 5) })],
    ['the target does not begin with a push', shared({ 4: [0x48, 0x83, 0xec, 8, 0xc3] })],
    ['the buffer is not handed on', shared({ 1: [0x48, 0x31, 0xf6, ...branch(0xe8, 1, 3, 4), ...RET] })],
    [
      'the length is another register',
      shared({ 0: [0x48, 0x89, 0xe1, 0x48, 0x89, 0xfa, ...branch(0xe8, 0, 6, 4), ...RET] }),
    ],
    ['the length is not extended', shared({ 0: [0x48, 0x89, 0xe1, ...branch(0xe8, 0, 3, 4), ...RET] })],
    ['the place of the count is not on the stack', shared({ 0: [0x48, 0x63, 0xd2, ...branch(0xe8, 0, 3, 4), ...RET] })],
    ['an instruction that is not known', shared({ 0: [0x0f, 0xa2, ...readBody(0, 4)] })],
    ['no call at all', shared({ 1: RET })],
    ['the call is cut off', shared({ 1: [0x48, 0x83, 0xec, 8, 0xe8, 0] })],
    ['the target is a known function', shared({ 0: readBody(0, 2), 1: exBody(1, 2) })],
    ['the target is outside of the file', shared({ 0: readBody(0, 90_000), 1: exBody(1, 90_000) })],
  ];
  for (const [why, functions] of doubts) {
    const found = list(sitesOf({ functions }));
    assert.ok(found.includes(`SSL_read openssl-read ${functionAt(0)}`), `${why}: ${found.join(', ')}`);
    assert.ok(found.includes(`SSL_read_ex openssl-read-ex ${functionAt(1)}`), why);
  }
});

test('OpenSSL 3.3 and later: flags before the count, SSL_write_ex by way of SSL_write_ex2', () => {
  // mov r8,rsp; xor ecx,ecx; movslq rdx,edx; call 3
  const write = [0x49, 0x89, 0xe0, 0x31, 0xc9, 0x48, 0x63, 0xd2, ...branch(0xe8, 1, 8, 4), ...RET];
  // mov r8,rcx; xor ecx,ecx; jmp SSL_write_ex2
  const writeEx = [0x49, 0x89, 0xc8, 0x31, 0xc9, ...branch(0xe9, 2, 5, 3)];
  const functions: ElfFunction[] = [
    { name: 'SSL_read', code: RET },
    { name: 'SSL_write', code: write },
    { name: 'SSL_write_ex', code: writeEx },
    { name: 'SSL_write_ex2', code: exBody(3, 4) },
    { name: 'inner', code: PUSH },
  ];
  assert.deepEqual(list(sitesOf({ functions })), [
    `SSL_write openssl-write-ex2 ${functionAt(4)} internal fast`,
    `SSL_read openssl-read ${functionAt(0)}`,
  ]);
  // Where SSL_write_ex2 goes elsewhere, nothing is proven.
  const other = functions.map((f, i) => (i === 3 ? { name: f.name, code: RET } : f));
  assert.deepEqual(list(sitesOf({ functions: other })).length, 4);
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
  const found = sitesOf({ functions: shared(), machine: 183 });
  assert.ok(found[0]?.sites.every((s: ProbeSite) => !s.isInternal && !s.isFast));
  assert.equal(readElf(source(elfFile({ functions: shared(), machine: 8 }))).ok, false);
});

const debianSsl = '/usr/lib/x86_64-linux-gnu/libssl.so.3';
test('where returns are read at the exits, the fast site is taken when its own are known', () => {
  const frames = Array.from({ length: 6 }, (_, n) => [n, n < 4 ? SLOT : 2] as const);
  const names = (changes: Parameters<typeof shared>[0]): string[] => {
    const functions = shared(changes).map((f) => ({ ...f, size: f.code.length }));
    const own = frames.map(([n]) => [n, functions[n]?.code.length ?? 0] as const);
    const [library] = sitesOf({ functions, frames: own }, true);
    const exits = (s: ProbeSite): string => (s.exits ?? [-1]).map((at) => at - functionAt(0)).join(',');
    return (library?.sites ?? []).map((s) => `${s.name}${s.isInternal ? ' internal' : ''} ${exits(s)}`);
  };
  const at = (n: number, code: readonly number[]): number => n * SLOT + code.length - 1;
  // The branch of the prologue leads to a return of its own.
  const read = (n: number, to: number): number[] => {
    const code = readBody(n, to);
    code[7] = code.length - 1 - 8;
    return code;
  };
  const write = `SSL_write internal ${5 * SLOT + 1}`;
  assert.deepEqual(names({ 0: read(0, 4), 2: read(2, 5) }), [`SSL_read internal ${4 * SLOT + 1}`, write]);
  // push; jmp *%rax: as Debian's ssl_read_internal, which goes on in the method of the connection.
  const method = [0x55, 0xff, 0xe0];
  assert.deepEqual(names({ 0: read(0, 4), 2: read(2, 5), 4: method }), [
    write,
    `SSL_read ${at(0, read(0, 4))}`,
    `SSL_read_ex ${at(1, exBody(1, 4))}`,
  ]);
});

test("Debian's libssl where returns are read at the exits: both directions, whatever the fast sites do", {
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
});

test("Debian's libssl: read and write at the fast site, nothing twice", {
  skip: existsSync(debianSsl) ? false : 'no libssl.so.3',
}, () => {
  const found = withElf(debianSsl, findSites);
  assert.ok(Array.isArray(found));
  const sites = found.flatMap((l: LibrarySites) => l.sites);
  assert.deepEqual(
    sites.filter((s) => s.isInternal).map((s) => s.kind),
    ['openssl-read-ex', 'openssl-write-ex'],
  );
  assert.ok(!sites.some((s) => /^SSL_(read|write)_ex$/.test(s.name)), 'the exported ones are covered');
  assert.equal(new Set(sites.map((s) => s.offset)).size, sites.length);
});

test('this node: its own OpenSSL, or what its distribution links', () => {
  const found = withElf(process.execPath, findSites);
  assert.ok(Array.isArray(found), 'reason' in found ? found.reason : '');
});
