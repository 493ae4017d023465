/** A signal ends the reading of files: what was read is there, and the rest is not. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { openSession } from '../../helpers/open-session.ts';
import { until } from '../../helpers/patience.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';
import { fileOf, readRecords } from '../../helpers/split-capture.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');
const FRAMES = 100;

function opened(t: TestContext, path: string): OpenSession {
  const session = openSession(['-I', path]);
  t.after(() => session.close());
  return session;
}

test('what is stopped before it began reads nothing', async (t) => {
  const session = opened(t, DEMO);
  session.stopReading();
  const end = await session.read([DEMO], (path) => assert.fail(`${path} was read`));
  assert.equal(end?.isStopped, true);
  assert.deepEqual([session.source.counter('frames'), session.ingest.capture.isExhausted], [0, false]);
});

test('what is stopped while it goes on has what was read, of files and a pipe that is open', async (t) => {
  const pipe = join(temporaryFolder(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { fileHeader, records } = readRecords(DEMO);
  const ends = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(ends));
  writeSync(ends, fileOf(fileHeader, records.slice(0, FRAMES)));
  const session = opened(t, pipe);
  const reading = session.read([pipe], (_path, { end }) => assert.equal(end, 'stopped'));
  await until(
    () => session.source.counter('frames') === FRAMES,
    () => `${session.source.counter('frames')} frames`,
  );
  session.stopReading();
  assert.equal((await reading)?.isStopped, true);
  assert.deepEqual([session.source.counter('frames'), session.ingest.capture.isExhausted], [FRAMES, false]);
  assert.ok(session.dialogs.size > 0);
});
