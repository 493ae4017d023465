/** The summary of a ring: the next start opens no index of it, and believes it of no index that has changed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { finish } from '../../../../src/core/turns.ts';
import { Ring } from '../../../../src/explore/history/ring.ts';
import { BLOCK, packBlock } from '../../../../src/history/blocks.ts';
import { IndexWriter } from '../../../../src/history/index-writer.ts';
import { calls, captureIn, LARGE_FILE, START_US, someCall } from '../../../helpers/history-index.ts';

const FILES = 20;

/** A ring of indexes of two calls each, with or without frames. */
function ringIn(t: TestContext): { readonly folder: string; readonly index: (n: number) => string } {
  const folder = dirname(captureIn(t));
  const capture = (n: number): string => join(folder, `cap.pcapng.${String(n + 1).padStart(5, '0')}`);
  for (let n = 0; n < FILES; n++) writeCalls(capture(n), 2 * n, 2 * n + 2);
  return { folder, index: (n) => `${capture(n)}.idx` };
}

function writeCalls(capture: string, from: number, upTo: number): void {
  const writer = IndexWriter.create(capture, { host: 'sbc1', boot: '0123456789abcdef' });
  writer.addCalls(calls(from, upTo), LARGE_FILE);
  writer.addChunks([{ offset: 200, firstUs: START_US + from * 1e6, lastUs: START_US + upTo * 1e6 }]);
  writer.close(LARGE_FILE);
}

/** All Call-IDs, the newest file first, and when each file began. */
function answer(ring: Ring): unknown[] {
  return finish(ring.filesSteps()).map((file) => {
    const rows: unknown[] = [];
    finish(
      ring.rowsSteps(file, ({ row }) => {
        rows.push(row['call_id']);
        return false;
      }),
    );
    return [file.index.footer, rows, rows.map((callId) => file.index.mayHoldCallId(String(callId)))];
  });
}

/** Opened as a start does, which leaves a summary where it had to open indexes. */
function started(folder: string): Ring {
  const ring = new Ring(folder);
  finish(ring.filesSteps());
  ring.keepSummary();
  return ring;
}

test('the next start answers the same from the summary, and opens no index one by one', (t) => {
  const { folder, index } = ringIn(t);
  const [summary, before] = [join(folder, '.calltap-ring'), answer(new Ring(folder))];
  started(folder);
  const { ino, mode } = lstatSync(summary);
  assert.equal(mode & 0o777, 0o600);
  const again = started(folder);
  assert.deepEqual(answer(again), before);
  // It is written again where many indexes were opened one by one.
  assert.equal(lstatSync(summary).ino, ino);
  assert.doesNotMatch(readFileSync(summary, 'latin1'), new RegExp(String(someCall(0).names[0]).slice(1)));

  rmSync(index(3));
  writeCalls(index(3).slice(0, -4), 100, 102);
  assert.deepEqual(answer(started(folder)), answer(withoutSummary(folder)));
  assert.match(JSON.stringify(answer(started(folder))), /call-101@/);
});

test('what somebody else made of the summary is not believed, and waits for nobody', (t) => {
  const { folder } = ringIn(t);
  const [summary, before] = [join(folder, '.calltap-ring'), answer(new Ring(folder))];
  started(folder);
  const whole = readFileSync(summary);
  const damaged = Buffer.from(whole);
  damaged[100] = (damaged[100] ?? 0) ^ 1;
  const lines = (text: string): Buffer => packBlock(BLOCK.summary, 0, Buffer.from(text));
  const footer = JSON.stringify({ format: 1, capture: 'x', host: '', boot: '', blocks: [2, 0, 1e15] });
  for (const bytes of [
    damaged,
    whole.subarray(0, 300),
    Buffer.alloc(0),
    lines('["cap.pcapng.00001.idx"]\n{}'),
    lines(`["__proto__","1 1 1 1",true]\n${footer}\n[]`),
    lines('\n'.repeat(100_000)),
  ]) {
    writeFileSync(summary, bytes);
    assert.deepEqual(answer(new Ring(folder)), before);
  }
  rmSync(summary);
  symlinkSync(join(folder, 'elsewhere'), summary);
  assert.deepEqual(answer(started(folder)), before);
  assert.equal(existsSync(join(folder, 'elsewhere')), false);
  rmSync(summary);
  execFileSync('mkfifo', [summary]);
  assert.deepEqual(answer(started(folder)), before);
});

function withoutSummary(folder: string): Ring {
  rmSync(join(folder, '.calltap-ring'));
  return new Ring(folder);
}
