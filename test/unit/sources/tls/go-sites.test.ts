/** Which functions of a Go program are found, where their probes go, and which programs are named and not observed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readElf } from '../../../../src/sources/tls/elf.ts';
import { stackJumpAt } from '../../../../src/sources/tls/go-entry.ts';
import { findGoSites } from '../../../../src/sources/tls/go-sites.ts';
import type { LibrarySites } from '../../../../src/sources/tls/sites.ts';
import { sourceOf } from './elf-file.ts';
import type { GoFile } from './go-file.ts';
import { CHECKED, goFile, SLOT, TEXT_AT, TEXT_VADDR } from './go-file.ts';

const READ = 'crypto/tls.(*Conn).Read';
const WRITE = 'crypto/tls.(*Conn).Write';
const CLOSE = 'crypto/tls.(*Conn).Close';
const TCP = 'net.(*TCPConn).Read';

const FUNCTIONS: GoFile['functions'] = [
  ['main.main', [0xc3]],
  [TCP, [0xe9, 0, 0, 0, 0]],
  [WRITE, CHECKED],
  [READ, CHECKED],
  [CLOSE, CHECKED],
];

function sitesOf(form: Partial<GoFile>): LibrarySites[] {
  const file = goFile({ version: 'go1.22.5', functions: FUNCTIONS, ...form });
  const elf = readElf(sourceOf(file));
  assert.ok(elf.ok, elf.ok ? '' : elf.reason);
  return findGoSites(elf.image);
}

const at = (n: number): number => TEXT_AT + n * SLOT;

test('reads, writes and closes are found at the jump behind the look at the stack, with their exits', () => {
  for (const form of [{}, { layout: '1.18' as const }, { withoutSections: true }]) {
    const [found, ...more] = sitesOf(form);
    assert.deepEqual(more, []);
    assert.equal(found?.library.name, 'Go 1.22.5');
    assert.deepEqual(found?.unattached, []);
    const rows = found?.sites.map((s) => [s.kind, s.offset, s.isFast, s.exits]);
    assert.deepEqual(rows, [
      ['go-read', at(3) + 4, true, [at(3) + 6, at(3) + 7]],
      ['go-write', at(2) + 4, true, [at(2) + 6, at(2) + 7]],
      ['go-free', at(4) + 4, true, null],
    ]);
    const distances = found?.sites.map((s) => s.vaddr + 4 + (s.tcpDistance ?? 0));
    assert.deepEqual(
      distances,
      [1, 1, 1].map((n) => TEXT_VADDR + n * SLOT),
    );
  }
});

test('without connections on TCP in the program the distance is not known', () => {
  const functions = FUNCTIONS.filter(([name]) => name !== TCP);
  assert.deepEqual(
    sitesOf({ functions })[0]?.sites.map((s) => s.tcpDistance),
    [0, 0, 0],
  );
});

test('a function that begins otherwise is probed at its first instruction', () => {
  const functions = FUNCTIONS.map(([name, code]) => [name, name === READ ? [0xc3] : code] as const);
  const [read] = sitesOf({ functions })[0]?.sites ?? [];
  assert.deepEqual([read?.offset, read?.isFast], [at(3), false]);
});

test('a version that nobody tried is named and not attached, with what to do', () => {
  for (const version of ['go1.18.3', 'go1.27', 'go1.22rc1', 'devel go1.27-0a1b2c', 'gccgo 13', 'go1.220']) {
    const [found] = sitesOf({ version });
    assert.deepEqual(found?.sites, [], version);
    assert.match(found?.unattached[0]?.why ?? '', /was not tried \(tried: 1\.19, 1\.20, .*\); build it with/, version);
  }
  for (const version of ['go1.19.8', 'go1.21', 'go1.26.1 X:nocoverageredesign', 'go1.25.0-custom'])
    assert.equal(sitesOf({ version })[0]?.sites.length, 3, version);
});

test('a program of Go without crypto/tls, and one that is not of Go, offer nothing', () => {
  assert.deepEqual(sitesOf({ functions: FUNCTIONS.slice(0, 2) }), []);
  assert.deepEqual(sitesOf({ version: null }), []);
});

test('a table that nothing places in memory, and code that cannot be followed, give a reason', () => {
  const [unplaced] = sitesOf({ withoutModule: true });
  assert.deepEqual(
    unplaced?.unattached.map((u) => u.why),
    ['its table of functions cannot be read; mirror its SIP by HEP (siptrace, sipdump, homer.conf)'],
  );
  const functions = FUNCTIONS.map(([name, code]) => [name, name === READ ? [0x06, 0xc3] : code] as const);
  const [half] = sitesOf({ functions });
  assert.deepEqual(half?.unattached, [{ name: READ, why: 'an instruction that is not known (06c3cccc)' }]);
  assert.deepEqual(
    half?.sites.map((s) => s.kind),
    ['go-write', 'go-free'],
  );
});

test('the look at the stack of both processors, with small and larger frames', () => {
  const code = (...words: number[]): Buffer => {
    const out = Buffer.alloc(24);
    for (const [i, word] of words.entries()) out.writeUInt32LE(word, 4 * i);
    return out;
  };
  const bytes = (hex: string): Buffer => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(24)]);
  // As Go 1.26.8 writes (*Conn).Read and Write.
  assert.equal(stackJumpAt('x64', bytes('493b66100f867a030000')), 4);
  assert.equal(stackJumpAt('x64', bytes('4c8d6424b84d3b66100f8693070000')), 9);
  assert.equal(stackJumpAt('x64', bytes('4c8da42400f0ffff4d3b66100f8693070000')), 12);
  assert.equal(stackJumpAt('x64', bytes('4c8d6424b8493b66100f8693070000')), null);
  assert.equal(stackJumpAt('x64', Buffer.from('493b6610', 'hex')), null);
  assert.equal(stackJumpAt('arm64', code(0xf940_0b90, 0xeb30_63ff, 0x5400_1909)), 8);
  assert.equal(stackJumpAt('arm64', code(0xf940_0b90, 0xd101_43f1, 0xeb10_023f, 0x5400_33a9)), 12);
  assert.equal(stackJumpAt('arm64', code(0xf940_0b90, 0xeb30_63ff, 0x5400_1908)), null);
});
