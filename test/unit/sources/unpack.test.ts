/** Compressed captures by the system's programs: told by magic, bounded, stopped, and nothing left behind. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, fstatSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { compressionOf, findUnpacker } from '../../../src/sources/file/compression.ts';
import type { PackedFile } from '../../../src/sources/file/unpack.ts';
import { Unpacker } from '../../../src/sources/file/unpack.ts';
import { DEMO } from '../../cli/run-program.ts';
import { untilHolds } from '../../helpers/patience.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

const PROGRAMS = ['zstd', 'xz', 'bzip2', 'lz4'] as const;
const capture = readFileSync(DEMO);

/** The demonstration, packed by the real program; its name says nothing. */
function packed(t: TestContext, program: string, bytes: Uint8Array = capture): PackedFile {
  const path = join(temporaryFolder(t), 'capture');
  writeFileSync(
    path,
    execFileSync(program, ['-c', '-1'], { input: bytes, maxBuffer: 1 << 26, stdio: ['pipe', 'pipe', 'ignore'] }),
  );
  const compression = compressionOf(readFileSync(path));
  assert.equal(compression?.program, program);
  return { path, compression };
}

/** A program of this name, which stands in PATH until the test ends. */
function fakeProgram(t: TestContext, name: string, script: string): void {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${folder}:${path}`;
  t.after(() => {
    process.env['PATH'] = path;
  });
}

test('each program gives the bytes that were packed, in a private file without a name', async (t) => {
  const files = new Map(PROGRAMS.map((program, i) => [i, packed(t, program)]));
  const unpacker = new Unpacker();
  const unpacked = await unpacker.unpack(files);
  assert.equal(unpacker.progress(), 1);
  assert.equal(unpacked?.size, PROGRAMS.length);
  for (const { fd, lack } of unpacked.values()) {
    assert.equal(lack, null);
    const bytes = Buffer.alloc(capture.length + 1);
    assert.equal(readSync(fd, bytes, 0, bytes.length, 0), capture.length);
    assert.ok(bytes.subarray(0, capture.length).equals(capture));
    const { mode, nlink } = fstatSync(fd);
    assert.deepEqual([mode & 0o777, nlink], [0o600, 0]);
    closeSync(fd);
  }
});

test('a bomb is stopped at its share, and says so', async (t) => {
  const bomb = packed(t, 'zstd', Buffer.concat([capture, Buffer.alloc(64 << 20)]));
  const unpacked = await new Unpacker({ fileBytes: 3_000_000, allBytes: 1e9 }).unpack(new Map([[7, bomb]]));
  const { fd, lack } = unpacked?.get(7) ?? assert.fail();
  assert.deepEqual([fstatSync(fd).size, lack], [3_000_000, 'unpacks to more than 3000000 bytes']);
  closeSync(fd);
  const both = new Map([bomb, bomb, bomb].map((each, i) => [i, each]));
  const shared = await new Unpacker({ fileBytes: 1e9, allBytes: 5_000_000 }).unpack(both);
  const sizes = [...(shared?.values() ?? [])].map((each) => fstatSync(each.fd).size);
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    5_000_000,
  );
  for (const each of shared?.values() ?? []) {
    assert.match(each.lack ?? '', /^there is no more room for it in \S+ \(TMPDIR\)$/);
    closeSync(each.fd);
  }
});

test('what is no capture, is damaged or has no program is one line', async (t) => {
  const refused = async (file: PackedFile, line: RegExp): Promise<void> => {
    await assert.rejects(new Unpacker().unpack(new Map([[0, file]])), line);
  };
  await refused(packed(t, 'xz', Buffer.from('no capture at all')), /capture: it is not a pcap or pcapng capture/);
  const damaged = packed(t, 'bzip2');
  writeFileSync(damaged.path, readFileSync(damaged.path).subarray(0, 50));
  await refused(damaged, /capture: bzip2 cannot unpack it \(.+\); check it with bzip2 -t$/);
  const compression = { program: 'no-such-program', debianPackage: 'some-package' };
  await refused({ path: DEMO, compression }, /no-such-program is not installed.*; install some-package, or unpack/);
  assert.equal(findUnpacker({ program: 'sh', debianPackage: '' }, '.:bin:'), null);
});

test('stop() ends the programs', async (t) => {
  const file = packed(t, 'lz4');
  const started = join(temporaryFolder(t), 'pid');
  fakeProgram(
    t,
    'lz4',
    `printf '\\324\\303\\262\\241'; echo $$ > ${started}.new; mv ${started}.new ${started}; exec sleep 600`,
  );
  const unpacker = new Unpacker();
  const unpacking = unpacker.unpack(new Map([[0, file]]));
  t.after(() => unpacker.stop());
  await untilHolds(() => existsSync(started));
  unpacker.stop();
  assert.equal(await unpacking, null);
  assert.throws(() => process.kill(Number(readFileSync(started, 'utf8')), 0), /ESRCH/);
});

test('a program gets the file as its input, no name and no options of its user', async (t) => {
  const file = packed(t, 'lz4');
  const seen = join(temporaryFolder(t), 'seen');
  process.env['XZ_OPT'] = '--odd';
  t.after(() => delete process.env['XZ_OPT']);
  fakeProgram(t, 'lz4', `echo "$# $1 $XZ_OPT" > ${seen}; exec /bin/cat ${DEMO}`);
  const unpacked = await new Unpacker().unpack(new Map([[0, file]]));
  for (const { fd } of unpacked?.values() ?? []) closeSync(fd);
  assert.equal(readFileSync(seen, 'utf8'), '1 -dc \n');
});
