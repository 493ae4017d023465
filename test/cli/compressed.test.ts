/** Compressed captures as a user meets them: read like the plain one, alone and in a folder, whatever their names. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { fileOf, readRecords } from '../helpers/split-capture.ts';
import { DEMO, PROGRAM, printed, run } from './run-program.ts';

const pack = (program: string, bytes: Uint8Array): Buffer =>
  execFileSync(program, ['-c', '-1'], { input: bytes, maxBuffer: 1 << 26, stdio: ['pipe', 'pipe', 'ignore'] });
const counts = (json: string): string => json.slice(0, json.indexOf('"elapsedSec"'));

test('a folder of parts, each packed by another program, reads like the whole', async (t) => {
  const folder = temporaryFolder(t);
  const { fileHeader, records } = readRecords(DEMO);
  const size = Math.ceil(records.length / 5);
  const programs = ['zstd', 'xz', 'bzip2', 'lz4', 'gzip'];
  for (const [i, program] of programs.entries())
    writeFileSync(join(folder, `ring${i}`), pack(program, fileOf(fileHeader, records.slice(i * size, (i + 1) * size))));
  writeFileSync(join(folder, 'notes.xz'), pack('xz', Buffer.from('no capture')));
  const wanted = counts(await printed([DEMO, '--stats-json']));
  assert.equal(counts(await printed([folder, '--stats-json'])), wanted);
  // A ring whose newest file was cut before its first block.
  writeFileSync(join(folder, 'ring5'), pack('zstd', readFileSync(DEMO)).subarray(0, 12));
  const r = await run([folder, '--stats-json']);
  assert.deepEqual([r.code, r.stderr], [0, `calltap: ${join(folder, 'ring5')}: cannot unpack it; skipped\n`]);
  assert.equal(counts(r.stdout), wanted);
});

test('more compressed files than there are descriptors for are one line', async (t) => {
  const folder = temporaryFolder(t);
  const bytes = pack('lz4', readFileSync(DEMO).subarray(0, 10_000));
  for (let i = 0; i < 60; i++) writeFileSync(join(folder, `ring${i}`), bytes);
  const r = spawnSync('sh', ['-c', 'ulimit -n 60 && exec "$0" "$@"', process.execPath, PROGRAM, folder], {
    encoding: 'utf8',
  });
  assert.deepEqual([r.status, r.stdout], [1, '']);
  assert.match(r.stderr, /^calltap: this process has too many open files; raise its limit [^\n]*\n$/);
});

test('a pointer names the compressed file, and --show-frame follows it', async (t) => {
  const path = join(temporaryFolder(t), 'demo');
  writeFileSync(path, pack('zstd', readFileSync(DEMO)));
  const plain = await printed([DEMO, '--json']);
  const json = await printed([path, '--json']);
  assert.equal(json.replaceAll(path, DEMO), plain);
  const [, pointer = ''] = /"frame":"([^"]+)"/.exec(json) ?? [];
  const shown = await printed(['--show-frame', pointer]);
  assert.equal(shown.replaceAll(path, DEMO), await printed(['--show-frame', pointer.replace(path, DEMO)]));
  // Messages are read again from what was unpacked.
  const callId = /"call_id":"([^"]+)"/.exec(json)?.[1] ?? '';
  const [one, other] = [await printed([path, '--call-report', callId]), await printed([DEMO, '--call-report', callId])];
  assert.equal(one.replaceAll(path, DEMO), other);
});

test('a cut file gives what was whole, with one line that says why', async (t) => {
  const path = join(temporaryFolder(t), 'cut');
  const bytes = pack('bzip2', readFileSync(DEMO));
  writeFileSync(path, bytes.subarray(0, bytes.length / 2));
  const r = await run([path, '--stats-json']);
  assert.equal(r.code, 0);
  assert.match(
    r.stderr,
    /^calltap: \S+cut: bzip2 cannot unpack all of it \([^\n]+\); used the [1-9]\d* frames before it\n$/,
  );
  assert.match(r.stdout, /^\{"packets":[1-9]/);
});
