/** The forms a capture comes in: gzip, standard input, a FIFO, several files, and a file that is cut. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { fileOf, readRecords } from '../helpers/split-capture.ts';
import { DEMO, finished, printed, run, start } from './run-program.ts';

const capture = readFileSync(DEMO);

/** JSON lines without what names the source. */
function withoutSource(json: string): string {
  return json.replaceAll(/"frame":"[^"]*#(\d+@[0-9a-f]{16})"/g, '"frame":"$1"');
}

test('gzip, standard input and a FIFO read like the file', async (t) => {
  const folder = temporaryFolder(t);
  const wanted = withoutSource(await printed(['-I', DEMO, '--json']));
  assert.match(wanted, /"frame":"0@/);
  const packed = gzipSync(capture);
  writeFileSync(join(folder, 'demo.pcap.gz'), packed);
  assert.equal(withoutSource(await printed(['-I', join(folder, 'demo.pcap.gz'), '--json'])), wanted);
  assert.equal(withoutSource(await printed(['-I', '-', '--json'], capture)), wanted);
  assert.equal(withoutSource(await printed(['-I', '-', '--json'], packed)), wanted);

  const fifo = join(folder, 'pipe');
  execFileSync('mkfifo', [fifo]);
  const reading = printed(['-I', fifo, '--json']);
  createWriteStream(fifo).end(capture);
  assert.equal(withoutSource(await reading), wanted);
});

test('standard input may come in small pieces', async () => {
  const child = start(['-I', '-', '--stats-json']);
  const done = finished(child);
  for (let at = 0; at < 60_000; at += 777) child.stdin.write(capture.subarray(at, Math.min(60_000, at + 777)));
  child.stdin.end(capture.subarray(60_000));
  const { code, stdout, stderr } = await done;
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /"sipMessages":149,/);
});

test('a cut file says so once and shows what was whole', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'cut.pcap');
  // Behind the third record: in its neighbour's header, and in its neighbour's bytes.
  let end = 24;
  for (let i = 0; i < 3; i++) end += 16 + capture.readUInt32LE(end + 8);
  for (const more of [7, 16 + 100]) {
    writeFileSync(path, capture.subarray(0, end + more));
    const r = await run(['-I', path, '--stats-json']);
    assert.equal(r.code, 0);
    assert.match(
      r.stderr,
      /^calltap: \S+cut\.pcap: ends in the middle of a record [^\n]*; used the 3 frames before it\n$/,
    );
    assert.match(r.stdout, /^\{"packets":3,/);
  }
  // Nothing whole at all: then it failed.
  writeFileSync(path, capture.subarray(0, 30));
  const r = await run(['-I', path]);
  assert.equal(r.code, 1);
  assert.match(r.stderr, /^[^\n]*used the 0 frames before it\n$/);
});

test('a cut gzip file and a damaged one give what is in front of the damage', async (t) => {
  const path = join(temporaryFolder(t), 'x.pcap.gz');
  const packed = gzipSync(capture);
  writeFileSync(path, packed.subarray(0, packed.length / 2));
  const cut = await run(['-I', path, '--stats-json']);
  assert.equal(cut.code, 0);
  assert.match(cut.stderr, /^[^\n]*ends in the middle of a record[^\n]*\n$/);
  assert.match(cut.stdout, /^\{"packets":[1-9]/);
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, packed.length / 2, packed.length / 2 + 64);
  writeFileSync(path, damaged);
  const bad = await run(['-I', path, '--stats-json']);
  assert.equal(bad.code, 0);
  assert.match(bad.stderr, /^calltap: [^\n]*used the [1-9]\d* frames before it\n$/);
});

test('several files are one capture; frames are counted by file', async () => {
  const r = await run(['-I', DEMO, '-I', DEMO, '--stats-json']);
  assert.equal(r.stderr, 'calltap: 2 of 2 captures overlap in time: merged packet by packet\n');
  assert.match(r.stdout, /"sipMessages":149,"dialogs":21,/);
});

test('rotated files are read by time whatever their order, and an empty one is a line', async (t) => {
  const folder = temporaryFolder(t);
  const whole = await printed(['-I', DEMO, '--stats-json']);
  const { fileHeader, records } = readRecords(DEMO);
  const third = Math.ceil(records.length / 3);
  const paths = ['cap', 'cap1', 'cap2'].map((name, i) => {
    const path = join(folder, name);
    writeFileSync(path, fileOf(fileHeader, records.slice(i * third, (i + 1) * third)));
    return path;
  });
  const empty = join(folder, 'cap10');
  writeFileSync(empty, '');
  const turned = [paths[2], paths[0], empty, paths[1]].flatMap((path) => ['-I', path ?? '']);
  const r = await run([...turned, '--stats-json']);
  const counts = (json: string): string => json.slice(0, json.indexOf('"elapsedSec"'));
  assert.deepEqual([r.code, counts(r.stdout)], [0, counts(whole)]);
  assert.deepEqual(r.stderr.split('\n'), [
    `calltap: ${empty}: the file is empty; skipped`,
    'calltap: the 4 captures are not in time order: merged packet by packet',
    '',
  ]);
});

test('a reader that goes away is no error', async () => {
  const child = start(['-I', DEMO, '--json']);
  // Closed before anything is written: the first write meets a broken pipe.
  child.stdout.destroy();
  const r = await finished(child);
  assert.deepEqual([r.code, r.stderr], [0, '']);
});
