/**
 * The first SIGINT or SIGTERM ends what goes on, then everything that was asked for is printed; one within a second of it is
 * the same one, and a later one ends at once. A reading that was cut short exits with 130 or 143, a server and a live capture with 0.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { answered, listen, until } from '../helpers/patience.ts';
import { Recorder } from '../helpers/recorder.ts';
import type { Run } from './run-program.ts';
import { DEMO, finished, printed, start } from './run-program.ts';

const capture = readFileSync(DEMO);

/** Their documents are more than a pipe holds. */
const MANY = 2000;

/** More than a pipe holds, of a record that is never whole. */
const UNFINISHED = Buffer.alloc(512 * 1024);
UNFINISHED.writeUInt32LE(2 * UNFINISHED.length, 8);
UNFINISHED.writeUInt32LE(2 * UNFINISHED.length, 12);

/** The bytes have been read from their pipe: what follows them is in the pipe, or read too. */
async function taken(child: ReturnType<typeof start>, bytes: Uint8Array = capture): Promise<void> {
  child.stdin.write(bytes);
  child.stdin.write(UNFINISHED);
  await until(
    () => child.stdin.writableLength === 0,
    () => 'it does not read its input',
  );
}

test('-I -: a signal ends the reading, and what was asked for is printed', async () => {
  const cases: readonly (readonly [NodeJS.Signals, number, readonly string[], RegExp])[] = [
    ['SIGINT', 130, [], /^9638 frames, 149 SIP messages, 21 dialogs /m],
    ['SIGTERM', 143, ['--json'], /^(\{"schema_version":1,.*\}\n){21}$/],
    ['SIGINT', 130, ['--stats-json'], /^\{"packets":9638,"sipMessages":149,"dialogs":21,.*\}\n$/],
  ];
  await Promise.all(
    cases.map(async ([signal, code, args, wanted]) => {
      const child = start(['-I', '-', ...args]);
      const done = finished(child);
      await taken(child);
      child.kill(signal);
      const r: Run = await done;
      assert.deepEqual([r.code, r.signal, r.stderr], [code, null, '']);
      assert.match(r.stdout, wanted);
    }),
  );
});

/** More dialogs than a pipe has room for. */
function manyDialogs(): Uint8Array {
  const recorder = new Recorder(1_700_000_000 * 1e6);
  for (let i = 0; i < MANY; i++) recorder.ask(i / 1000, { from: '198.18.0.1', method: 'OPTIONS', agent: 'any' });
  return recorder.capture.pcap();
}

/** It has begun to print, and nobody reads on: it prints until the pipe is full. The time of the first signal. */
async function stopped(child: ReturnType<typeof start>): Promise<number> {
  await taken(child, manyDialogs());
  child.kill('SIGINT');
  const atMs = performance.now();
  await once(child.stdout, 'readable');
  return atMs;
}

test('a second signal ends at once, unless it comes within a second of the first', async () => {
  const child = start(['-I', '-', '--json']);
  const firstMs = await stopped(child);
  const ended = once(child, 'exit');
  await until(
    () => !child.kill('SIGTERM') || child.exitCode !== null,
    () => 'no signal ends it',
  );
  assert.deepEqual(await ended, [143, null]);
  assert.ok(performance.now() - firstMs >= 900, 'a copy of the first signal ended it');
});

test('a signal that comes twice at once, as from timeout(1), is one: everything is printed', async () => {
  // A machine that does other things may have taken longer than the second between both.
  for (let tries = 0; ; tries++) {
    const child = start(['-I', '-', '--json']);
    const firstMs = await stopped(child);
    child.kill('SIGTERM');
    const isCopy = performance.now() - firstMs < 900;
    const r = await finished(child);
    if (!isCopy && tries < 5) continue;
    assert.deepEqual([r.code, r.signal, r.stdout.trimEnd().split('\n').length], [130, null, MANY]);
    return;
  }
});

test('--api: what was asked for is printed, and a server that a signal ends exits with 0', async () => {
  const whole = await printed(['-I', DEMO, '--json']);
  const child = start(['-I', '-', '--json', '--api', '127.0.0.1:0']);
  const done = finished(child);
  const [, base = ''] = await listen(child).said(/api listening on (\S+)\n/);
  child.stdin.write(capture);
  await until(
    async () => /"dialogs":\{"total":21,/.test(await (await answered(`${base}/v1/stats`)).text()),
    () => 'not all dialogs are there',
  );
  child.kill('SIGTERM');
  const r = await done;
  assert.deepEqual([r.code, r.signal], [0, null]);
  assert.equal(r.stdout.split('\n').length, whole.split('\n').length);
});
