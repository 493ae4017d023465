/** What the lines of --uprobe-offsets say, and which files they are about. */
import assert from 'node:assert/strict';
import { statSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '../../../../src/core/errors.ts';
import { withElf } from '../../../../src/sources/tls/elf.ts';
import { buildIdOf } from '../../../../src/sources/tls/elf-notes.ts';
import { TlsOffsets } from '../../../../src/sources/tls/offsets.ts';
import type { GivenFunctions } from '../../../../src/sources/tls/sites.ts';
import { dir, file, TLS } from './discovery-kit.ts';

function given(offsets: TlsOffsets, path: string): GivenFunctions | null {
  const byPath = offsets.byPath({ ino: statSync(path).ino, name: basename(path) });
  const found = withElf(path, ({ source }) => ({ id: buildIdOf(source) }));
  return byPath ?? ('id' in found ? (offsets.byBuildId.get(found.id ?? '') ?? null) : assert.fail(found.reason));
}

function refusal(given: readonly string[] | string): string {
  try {
    if (typeof given === 'string') TlsOffsets.read(given);
    else new TlsOffsets(given);
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
  return assert.fail('nothing was refused');
}

const lib = file('with:colon.so', TLS);
const other = file('other-given.so', TLS);
/** Node is built with a build id wherever it comes from. */
const nodeId = withElf(process.execPath, ({ source }) => ({ id: buildIdOf(source) }));

test('a path has its functions, and no other file has them', () => {
  const offsets = new TlsOffsets([`${lib} SSL_read=0x1234 SSL_write=0xABC`]);
  assert.deepEqual(given(offsets, lib), {
    by: 'option',
    key: lib,
    functions: new Map([
      ['SSL_read', 0x1234],
      ['SSL_write', 0xabc],
    ]),
  });
  assert.equal(given(offsets, other), null);
  assert.deepEqual(offsets.paths(), [lib]);
});

test('a build id is that of the file, in either case; the path wins', { skip: !('id' in nodeId) }, () => {
  const id = 'id' in nodeId ? (nodeId.id ?? '') : '';
  assert.match(id, /^[0-9a-f]{40}$/);
  const line = `  ${id.toUpperCase()}  SSL_read=0x1  SSL_free=0x2 # both`;
  const list = file('list', Buffer.from(`# ours\n\n${line}\n`));
  const found = given(TlsOffsets.read(list), process.execPath);
  assert.equal(found?.by, 'build id');
  assert.deepEqual(
    found?.functions,
    new Map([
      ['SSL_read', 1],
      ['SSL_free', 2],
    ]),
  );
  const both = given(new TlsOffsets([line, `${process.execPath} SSL_read=0x7`]), process.execPath);
  assert.deepEqual([both?.by, both?.functions.get('SSL_read')], ['option', 7]);
});

test('a link and a path through the root of a process lead to the file', () => {
  const link = join(dir, 'given-link.so');
  symlinkSync(lib, link);
  for (const way of [link, `/proc/self/root${lib}`])
    assert.equal(given(new TlsOffsets([`${way} SSL_read=0x1`]), lib)?.functions.get('SSL_read'), 1);
});

test('what says nothing is refused with what to write', () => {
  const of = (functions: string): string => refusal([`${lib} ${functions}`]).replace(/^.*?: (?=[a-zA-Z ]+)/, '');
  assert.match(of('SSL_read'), /write FILE SSL_read=0x1234 SSL_write=0x5678 with virtual addresses$/);
  assert.match(of('SSL_read=1234'), /write FILE /);
  assert.match(refusal(['/nothing SSL_read']), /write FILE /);
  assert.match(of('SSL_reed=0x1'), /does not know the function SSL_reed/);
  assert.match(of('SSL_read=0x0'), /SSL_read has no address that a program can have/);
  assert.match(of('SSL_read=0xffffffff81000000'), /SSL_read has no address/);
  assert.match(of('SSL_free=0x10'), /no function reads or writes/);
  assert.match(of('SSL_read=0x10 SSL_read=0x20'), /more than once/);
  assert.match(refusal([`${lib} SSL_read=0x1`, `${lib} SSL_write=0x1`]), /more than once/);
  assert.match(refusal(['/nowhere/x SSL_read=0x1']), /there is no file \/nowhere\/x/);
  assert.match(refusal(['/tmp SSL_read=0x1']), /\/tmp is not a file/);
  assert.match(refusal(['abc SSL_read=0x1']), /neither a path nor a build id/);
});

test('a list names the line that is wrong', () => {
  const list = file('wrong-list', Buffer.from('# one\n0123456789abcdef SSL_read\n'));
  assert.match(refusal(list), /^--uprobe-offsets .*wrong-list: line 2: write FILE /);
  assert.match(
    refusal('/nowhere/list'),
    /^--uprobe-offsets \/nowhere\/list: there is no such file; name a readable text file/,
  );
  const long = file('long-list', Buffer.alloc(1024 * 1024 + 1, 10));
  assert.match(refusal(long), /it is larger than 1048576 bytes/);
});
