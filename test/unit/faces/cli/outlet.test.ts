/** An output whose reader stalls, comes back, or goes away: nothing waits for it, and every line is accounted for. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { errnoOf } from '../../../../src/core/errors.ts';
import { Outlet } from '../../../../src/faces/cli/outlet.ts';
import { untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Both ends of a pipe. */
function pipe(t: TestContext): { reader: number; writer: number } {
  const path = join(temporaryFolder(t), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, O_RDONLY | O_NONBLOCK);
  const writer = openSync(path, O_WRONLY | O_NONBLOCK);
  t.after(() => closeSync(writer));
  return { reader, writer };
}

/** What is in the pipe now. */
function taken(reader: number): string {
  const chunk = Buffer.alloc(65_536);
  let text = '';
  for (;;) {
    try {
      const length = readSync(reader, chunk);
      if (length === 0) return text;
      text += chunk.toString('utf8', 0, length);
    } catch (error) {
      assert.equal(errnoOf(error), 'EAGAIN');
      return text;
    }
  }
}

function numbered(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, i) => `line ${from + i} `.padEnd(99, '.'));
}

test('a reader that stalls: lines wait up to the cap, are lost beyond it, and come in order when it reads again', async (t) => {
  const { reader, writer } = pipe(t);
  t.after(() => closeSync(reader));
  const said: (string | null)[] = [];
  const outlet = new Outlet(writer, { onTrouble: (reason) => said.push(reason), maxWaitingBytes: 10_000 });
  const lines = numbered(0, 2_000);
  for (const line of lines) outlet.write(`${line}\n`);
  const kept = outlet.written + 100;
  assert.ok(outlet.written >= 600, `a pipe holds more than ${outlet.written} lines`);
  assert.equal(outlet.lost, 2_000 - kept, 'a hundred lines of 100 bytes wait');
  assert.deepEqual(said, ['its reader takes nothing']);
  let text = '';
  await untilHolds(() => {
    text += taken(reader);
    return outlet.written === kept;
  });
  text += taken(reader);
  assert.deepEqual(text.split('\n'), [...lines.slice(0, kept), '']);
  assert.deepEqual(said, ['its reader takes nothing', null]);
  outlet.write('again\n');
  assert.equal(taken(reader), 'again\n');
  assert.deepEqual([outlet.written, outlet.lost], [kept + 1, 2_000 - kept]);
});

test('what is printed is waited for, whatever its size, and comes after what was written before', async (t) => {
  const { reader, writer } = pipe(t);
  t.after(() => closeSync(reader));
  const outlet = new Outlet(writer, { onTrouble: () => assert.fail('nothing is lost'), maxWaitingBytes: 10_000 });
  const before = numbered(0, 10);
  const answer = numbered(10, 5_000);
  for (const line of before) outlet.write(`${line}\n`);
  let isOver = false;
  const printed = outlet.print(`${answer.join('\n')}\n`).then(() => {
    isOver = true;
  });
  let text = '';
  await untilHolds(() => {
    text += taken(reader);
    return isOver;
  });
  await printed;
  text += taken(reader);
  assert.deepEqual(text.split('\n'), [...before, ...answer, '']);
  assert.deepEqual([outlet.written, outlet.lost], [5_000, 0]);
});

test('a reader that goes away: what waits is lost, the next line is tried all the same', async (t) => {
  const { reader, writer } = pipe(t);
  const said: (string | null)[] = [];
  const outlet = new Outlet(writer, { onTrouble: (reason) => said.push(reason) });
  for (const line of numbered(0, 1_000)) outlet.write(`${line}\n`);
  const { written } = outlet;
  assert.ok(written < 1_000);
  const printed = outlet.print('answer\n');
  closeSync(reader);
  await printed;
  assert.deepEqual([outlet.written, outlet.lost], [written, 1_001 - written]);
  outlet.write('one more\n');
  assert.equal(outlet.lost, 1_002 - written);
  assert.deepEqual(said, ['EPIPE'], 'said once');
});

test('a line that was cut short is not continued by the next one', async (t) => {
  const { reader, writer } = pipe(t);
  const outlet = new Outlet(writer, { onTrouble: () => undefined, maxWaitingBytes: 200_000 });
  // Longer than a pipe holds: its end waits, and is lost with the reader.
  const printed = outlet.print(`${'x'.repeat(100_000)}\n`);
  closeSync(reader);
  await printed;
  const again = openSync(`/proc/self/fd/${writer}`, O_RDONLY | O_NONBLOCK);
  t.after(() => closeSync(again));
  taken(again);
  for (const line of ['from=192.0.2.1', 'from=192.0.2.2']) outlet.write(`${line}\n`);
  assert.equal(taken(again), '\nfrom=192.0.2.1\nfrom=192.0.2.2\n');
  assert.deepEqual([outlet.written, outlet.lost], [2, 1]);
});
