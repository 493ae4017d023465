/** Captures without -I: files, folders and patterns, and what is left out of a folder. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MAX_INPUT_FILES } from '../../src/sources/file/glob.ts';
import { expandInputs } from '../../src/sources/file/inputs.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { fileOf, readRecords } from '../helpers/split-capture.ts';
import { assertRefused, DEMO, PROGRAM, printed, run } from './run-program.ts';

const { fileHeader, records } = readRecords(DEMO);
/** The n-th part of ten of the demonstration. */
const part = (n: number): Buffer => {
  const size = Math.ceil(records.length / 10);
  return fileOf(fileHeader, records.slice(n * size, (n + 1) * size));
};
const counts = (json: string): string => json.slice(0, json.indexOf('"elapsedSec"'));

test('a folder of rotated files, a pattern and the files themselves read like the whole', async (t) => {
  const folder = temporaryFolder(t);
  for (let n = 0; n < 10; n++) writeFileSync(join(folder, `ring.pcap${n}`), n % 2 === 0 ? part(n) : gzipSync(part(n)));
  const wanted = counts(await printed([DEMO, '--stats-json']));
  assert.equal(counts(await printed([folder, '--stats-json'])), wanted);
  assert.equal(counts(await printed([`${folder}/`, '-N', '--stats-json'])), wanted);
  assert.equal(counts(await printed(['-I', join(folder, 'ring.pcap?'), '--stats-json'])), wanted);
  const files = expandInputs([folder]).paths;
  assert.deepEqual(
    files,
    Array.from({ length: 10 }, (_, n) => join(folder, `ring.pcap${n}`)),
  );
  assert.equal(counts(await printed([...files, '--stats-json'])), wanted);
});

test('of a folder only regular files count that begin as a capture does', async (t) => {
  const folder = temporaryFolder(t);
  const elsewhere = temporaryFolder(t);
  copyFileSync(DEMO, join(elsewhere, 'linked'));
  symlinkSync(join(elsewhere, 'linked'), join(folder, 'link'));
  symlinkSync('/dev/zero', join(folder, 'device'));
  symlinkSync('nowhere', join(folder, 'broken'));
  symlinkSync(elsewhere, join(folder, 'folder'));
  writeFileSync(join(folder, '.hidden.pcap'), part(0));
  writeFileSync(join(folder, 'text.pcap'), 'INVITE sip:bob@example.com SIP/2.0\r\n');
  writeFileSync(join(folder, 'text.gz'), gzipSync('no capture'));
  writeFileSync(join(folder, 'broken.gz'), Uint8Array.of(0x1f, 0x8b, 8, 255, 255, 255));
  mkdirSync(join(folder, 'deeper'));
  writeFileSync(join(folder, 'deeper/x.pcap'), part(1));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const server = createServer().listen(join(folder, 'socket'));
  t.after(() => server.close());
  writeFileSync(join(folder, 'zero.pcap'), '');
  writeFileSync(join(folder, 'zero.gz'), gzipSync(''));
  const { paths, skipped } = expandInputs([folder]);
  assert.deepEqual(paths, [join(folder, 'link')]);
  assert.deepEqual(skipped, [
    { path: join(folder, 'broken.gz'), cause: 'damaged' },
    { path: join(folder, 'zero.gz'), cause: 'empty' },
    { path: join(folder, 'zero.pcap'), cause: 'empty' },
  ]);
  const r = await run([folder, '--stats-json']);
  assert.equal(r.code, 0);
  assert.deepEqual(r.stderr.split('\n'), [
    `calltap: ${join(folder, 'broken.gz')}: cannot unpack it; skipped`,
    `calltap: ${join(folder, 'zero.gz')}: the file is empty; skipped`,
    `calltap: ${join(folder, 'zero.pcap')}: the file is empty; skipped`,
    '',
  ]);
});

test('an empty file alone in a folder is a warning, and a folder without captures is one line', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'new.pcap'), '');
  const r = await run([folder, '--stats-json']);
  assert.deepEqual([r.code, r.stderr], [0, `calltap: ${join(folder, 'new.pcap')}: the file is empty; skipped\n`]);
  assert.match(r.stdout, /^\{"packets":0,/);
  const none = temporaryFolder(t);
  assert.match(assertRefused(await run([none]), 1), /: the folder holds no capture; name a folder with pcap/);
  writeFileSync(join(none, 'notes'), 'text');
  assert.match(assertRefused(await run([none]), 1), /: the folder holds no capture/);
  assert.match(assertRefused(await run([join(none, '*.pcap')]), 1), /\*\.pcap: the pattern names no file; correct it/);
});

test('a file of a folder that may not be read is said', { skip: process.getuid?.() === 0 }, (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'secret.pcap'), part(0));
  chmodSync(join(folder, 'secret.pcap'), 0);
  assert.throws(() => expandInputs([folder]), /secret\.pcap: permission denied/);
  writeFileSync(join(folder, 'open.pcap'), part(1));
  assert.deepEqual(expandInputs([folder]).skipped, [{ path: join(folder, 'secret.pcap'), cause: 'EACCES' }]);
});

test('a name with the characters of a pattern is a file where there is one', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a[1]*.pcap'), part(0));
  assert.match(await printed([join(folder, 'a[1]*.pcap'), '--stats-json']), /^\{"packets":[1-9]/);
});

test('more captures than a run reads are one line', () => {
  const words = Array.from({ length: MAX_INPUT_FILES + 1 }, () => DEMO);
  assert.equal(expandInputs(words.slice(1)).paths.length, MAX_INPUT_FILES);
  assert.throws(() => expandInputs(words), /demo\.pcap: there are more than 16384 captures; read them in parts/);
});

test('more files than there are descriptors for', async (t) => {
  const folder = temporaryFolder(t);
  const size = Math.ceil(records.length / 300);
  for (let n = 0; n * size < records.length; n++)
    writeFileSync(join(folder, `cap${n}`), fileOf(fileHeader, records.slice(n * size, (n + 1) * size)));
  const wanted = counts(await printed([DEMO, '--stats-json']));
  const limited = 'ulimit -n 80 && exec "$0" "$@"';
  const stdout = await new Promise<string>((resolve, reject) => {
    const args = ['-c', limited, process.execPath, PROGRAM, folder, '--stats-json'];
    execFile('sh', args, { maxBuffer: 1 << 24 }, (error, out) => (error === null ? resolve(out) : reject(error)));
  });
  assert.equal(counts(stdout), wanted);
});
