/** An index that a killed run left open is closed to its last whole block, and says that calls may be missing. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { IndexFile } from '../../../src/history/index-file.ts';
import { openIndex } from '../../../src/history/index-file.ts';
import { recoverIndexes } from '../../../src/history/recover.ts';
import { captureIn, START_US, writeIndex } from '../../helpers/history-index.ts';

function opened(path: string): IndexFile {
  const index = openIndex(path);
  assert.ok(index.ok);
  return index.value;
}

const rowsOf = (index: IndexFile): number => [...index.rows()].flat().length;

test('an open index is cut to its last whole block and gets its end', (t) => {
  const capture = captureIn(t);
  writeFileSync(capture, Buffer.alloc(5_000));
  const path = writeIndex(capture, { isClosed: false });
  const { size } = statSync(path);
  appendFileSync(path, 'CTb1 and half of a block');
  assert.deepEqual(recoverIndexes(capture.slice(0, -'.00001'.length)), { closed: [path], failed: [] });
  const index = opened(path);
  assert.equal(rowsOf(index), 12);
  assert.equal(index.footer?.isWhole, false);
  assert.equal(index.footer?.captureBytes, 5_000);
  assert.deepEqual(index.footer?.states, { '': 12 });
  assert.deepEqual(index.calls, { fromUs: START_US, toUs: START_US + 11.5e6 });
  assert.deepEqual(index.frames(), { fromUs: START_US, toUs: START_US + 9e6 + 5 });
  assert.equal(index.mayHold('301003'), true);
  assert.equal(index.mayHold('302003'), false);
  assert.equal(index.mayHold('call-3@192.0.2.1'), true);
  assert.ok(statSync(path).size > size);
  assert.deepEqual(recoverIndexes(capture.slice(0, -'.00001'.length)), { closed: [], failed: [] });
});

test('cut anywhere, it can be closed, and keeps the rows that were whole', (t) => {
  const capture = captureIn(t);
  const base = capture.slice(0, -'.00001'.length);
  const path = writeIndex(capture, { isClosed: false, each: 2 });
  copyFileSync(path, `${path}.whole`);
  for (let bytes = statSync(path).size; bytes > 150; bytes -= 7) {
    copyFileSync(`${path}.whole`, path);
    truncateSync(path, bytes);
    const before = rowsOf(opened(path));
    assert.deepEqual(recoverIndexes(base).closed, [path]);
    assert.equal(rowsOf(opened(path)), before);
    assert.equal(opened(path).isClosed, true);
  }
});

test('other files are left alone', (t) => {
  const capture = captureIn(t);
  const other = writeIndex(capture.replace('cap.', 'other.'), { isClosed: false });
  const renamed = writeIndex(capture.replace('.00001', '.1'), { isClosed: false });
  const sizes = [other, renamed].map((path) => statSync(path).size);
  assert.deepEqual(recoverIndexes(capture.slice(0, -'.00001'.length)).closed, []);
  assert.deepEqual(
    [other, renamed].map((path) => statSync(path).size),
    sizes,
  );
});
