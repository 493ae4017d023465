/** ELF files of any process: whatever is in them, reading them ends, stays within the file, and throws nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readElf } from '../../src/sources/tls/elf.ts';
import { buildIdOf, debugLinkOf } from '../../src/sources/tls/elf-notes.ts';
import { findGoSites } from '../../src/sources/tls/go-sites.ts';
import { lookForSites } from '../../src/sources/tls/look.ts';
import { findSites } from '../../src/sources/tls/sites.ts';
import { elfFile, sourceOf } from '../unit/sources/tls/elf-file.ts';
import { CHECKED, goFile } from '../unit/sources/tls/go-file.ts';

const names = ['SSL_read', 'SSL_read_ex', 'SSL_write', 'SSL_write_ex', 'gnutls_record_recv', 'gnutls_record_send'];

const form = fc.record({
  functions: fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      code: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 }),
      isImported: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  table: fc.constantFrom<('dynsym' | 'symtab')[]>('dynsym', 'symtab'),
  withoutSections: fc.boolean(),
  hash: fc.constantFrom<('sysv' | 'gnu')[]>('sysv', 'gnu'),
});
const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 });

test('a damaged file gives a reason or sites inside of it', () => {
  fc.assert(
    fc.property(form, damage, fc.nat(), fc.nat(), (f, changes, cut, address) => {
      const whole = elfFile(f);
      // Damage goes where the structure is: headers, and everything behind the code.
      for (const [at, value] of changes) whole[at % 2 === 0 ? at % 200 : whole.length - 1 - (at % 900)] = value;
      const file = whole.subarray(0, cut % 3 === 0 ? cut % (whole.length + 1) : whole.length);
      let reads = 0;
      const source = sourceOf(file, () => reads++);
      const elf = readElf(source);
      if (elf.ok)
        for (const { sites } of findSites(elf.image))
          for (const s of sites) assert.ok(s.offset >= 0 && s.offset < file.length);
      assert.match(buildIdOf(source) ?? '', /^[0-9a-f]*$/);
      assert.ok(!(debugLinkOf(source) ?? '').includes('\0'));
      const given = { by: 'option', key: '/x', functions: new Map([['SSL_read', address % 0x50_0000]]) } as const;
      if (elf.ok)
        for (const { sites } of lookForSites(elf.image, given, { proc: '/nowhere', path: '/x' }).libraries)
          for (const s of sites) assert.ok(s.offset >= 0 && s.offset < file.length);
      assert.ok(reads < 1000);
    }),
    { numRuns: 500 },
  );
});

const goNames = ['crypto/tls.(*Conn).Read', 'crypto/tls.(*Conn).Write', 'net.(*TCPConn).Read', 'main.main'];
const goForm = fc.record({
  version: fc.constantFrom('go1.19.8', 'go1.26.1', 'go1.99'),
  functions: fc.array(fc.tuple(fc.constantFrom(...goNames), fc.constant(CHECKED)), { minLength: 1, maxLength: 6 }),
  layout: fc.constantFrom<('1.18' | '1.20')[]>('1.18', '1.20'),
  withoutSections: fc.boolean(),
  withoutModule: fc.boolean(),
});

test('a damaged program of Go gives a reason or sites inside of it', () => {
  let found = 0;
  fc.assert(
    fc.property(goForm, damage, fc.nat(), (f, changes, cut) => {
      const whole = goFile(f);
      // Headers, and what lies behind the code: build information, moduledata, the table, sections.
      for (const [at, value] of changes) whole[at % 3 === 0 ? at % 200 : whole.length - 1 - (at % 1800)] = value;
      const file = whole.subarray(0, cut % 5 === 0 ? cut % (whole.length + 1) : whole.length);
      let reads = 0;
      const elf = readElf(sourceOf(file, () => reads++));
      if (!elf.ok) return;
      for (const { sites } of findGoSites(elf.image))
        for (const s of sites) {
          found++;
          assert.ok(s.offset >= 0 && s.offset < file.length);
          for (const exit of s.exits ?? []) assert.ok(exit >= 0 && exit < file.length);
        }
      assert.ok(reads < 2000);
    }),
    { numRuns: 500 },
  );
  assert.ok(found > 0);
});
