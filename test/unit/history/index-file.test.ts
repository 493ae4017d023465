/** An index gives back what was written, and of a damaged one what is whole: never anything else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { BLOCK, HEADER_BYTES, packBlock, readHeader, unpackBlock } from '../../../src/history/blocks.ts';
import type { IndexFile } from '../../../src/history/index-file.ts';
import { indexPathOf, openIndex } from '../../../src/history/index-file.ts';
import { IndexWriter } from '../../../src/history/index-writer.ts';
import type { IndexedCall } from '../../../src/history/rows.ts';
import { calls, captureIn, LARGE_FILE, START_US, someCall, writeIndex } from '../../helpers/history-index.ts';

function opened(path: string, known: IndexFile | null = null): IndexFile {
  const index = openIndex(path, known);
  assert.ok(index.ok, `${path}: ${index.ok ? '' : index.reason}`);
  return index.value;
}

const numbersOf = (index: IndexFile): unknown[] => rowsOf(index).map(({ row }) => row['number']);
const rowsOf = (index: IndexFile): IndexedCall[] => [...index.rows()].flat();

/** All rows and documents are those that were written; returns how many rows there are. */
function checkTruth(index: IndexFile): number {
  const rows = rowsOf(index);
  for (const one of rows) {
    const written = someCall(Number(one.row['number']) - 1);
    assert.equal(JSON.stringify(one.row), written.row);
    assert.deepEqual([one.startUs, one.endUs], [written.startUs, written.endUs]);
    const document = index.document(one);
    if (document.ok) assert.equal(JSON.stringify(document.value), written.document);
    else assert.notEqual(document.reason, 'gone');
  }
  for (const { offset } of index.chunks()) assert.ok(offset === 0 || offset === 1_000);
  for (const { minute } of index.minutes()) assert.ok(minute === 1 || minute === 2);
  return rows.length;
}

test('a closed index gives back its rows, newest first, documents, chunks and minutes', (t) => {
  const index = opened(writeIndex(captureIn(t)));
  assert.deepEqual(numbersOf(index), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  assert.equal(checkTruth(index), 12);
  assert.equal(index.capture, 'cap.pcapng.00001');
  assert.deepEqual(index.footer?.states, { Terminated: 6, Failed: 6 });
  assert.deepEqual(index.calls, { fromUs: START_US, toUs: START_US + 11.5e6 });
  assert.deepEqual(index.frames(), { fromUs: START_US, toUs: START_US + 9e6 + 5 });
  assert.deepEqual(index.chunks().at(-1), { offset: 1_000, firstUs: START_US + 9e6, lastUs: START_US + 9e6 + 5 });
  assert.deepEqual(index.minutes(), [{ minute: 1 }, { minute: 2 }]);
  assert.equal(index.footer?.isWhole, true);
  assert.equal(index.damagedBlocks, 0);
});

test('its end says which numbers and Call-IDs it cannot have', (t) => {
  const index = opened(writeIndex(captureIn(t)));
  for (const part of ['301003', 'PHONE7', '+4930', 'call-3@192.0.2.1']) assert.equal(index.mayHold(part), true, part);
  for (const part of ['302003', 'phone77', 'call-3@192.0.2.2']) assert.equal(index.mayHold(part), false, part);
});

test('an index that was not closed is read to its last whole block, and from there when it grew', (t) => {
  const capture = captureIn(t);
  const writer = IndexWriter.create(capture, { host: 'sbc1', boot: '0123456789abcdef' });
  writer.addCalls(calls(0, 3), LARGE_FILE);
  const before = opened(indexPathOf(capture));
  assert.equal(before.isClosed, false);
  assert.equal(checkTruth(before), 3);
  assert.equal(before.mayHold('nobody'), true);
  writer.addCalls(calls(3, 5), LARGE_FILE);
  const after = opened(indexPathOf(capture), before);
  assert.deepEqual(numbersOf(after), [5, 4, 3, 2, 1]);
  assert.equal(after.blocks.length, before.blocks.length + 2);
  writer.close(LARGE_FILE);
  assert.equal(opened(indexPathOf(capture), after).isClosed, true);
});

test('it is for its owner alone, and nothing that was there is written to', (t) => {
  const capture = captureIn(t);
  const path = writeIndex(capture);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.throws(() => IndexWriter.create(capture, { host: '', boot: '' }), { code: 'EEXIST' });
});

test('cut at every byte, it gives what is whole', (t) => {
  for (const isClosed of [true, false]) {
    const path = writeIndex(captureIn(t), { isClosed, each: 2 });
    const copy = `${path}.cut`;
    let most = 0;
    for (let bytes = 0; bytes <= statSync(path).size; bytes++) {
      copyFileSync(path, copy);
      truncateSync(copy, bytes);
      const index = openIndex(copy);
      if (!index.ok) {
        assert.equal(index.reason, 'no-index');
        assert.equal(most, 0);
        continue;
      }
      const rows = checkTruth(index.value);
      assert.ok(rows >= most, `fewer rows of ${bytes} bytes than of less`);
      assert.equal(index.value.damagedBlocks, 0);
      most = rows;
    }
    assert.equal(most, 6);
  }
});

test('damaged at every byte, it gives no wrong row, and loses no more than a block', (t) => {
  for (const isClosed of [true, false]) {
    const path = writeIndex(captureIn(t), { isClosed, each: 2 });
    const whole = readFileSync(path);
    const { blocks } = opened(path);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x5a;
      writeFileSync(path, damaged);
      const index = opened(path);
      const hit = blocks.find(({ offset, bytes }) => at >= offset && at < offset + bytes);
      assert.equal(checkTruth(index), hit?.kind === BLOCK.rows ? 4 : 6, `byte ${at}`);
      // The last block of an index that is written has no next one that would show the damage.
      const isLast = !isClosed && hit === blocks.at(-1);
      const isRead = hit !== undefined && hit.kind !== BLOCK.documents && hit.kind !== BLOCK.names && !isLast;
      if (isRead && !(isClosed && hit.kind === BLOCK.head)) assert.ok(index.damagedBlocks > 0, `byte ${at}`);
    }
  }
});

test('a damaged block of names rules nothing out', (t) => {
  const path = writeIndex(captureIn(t));
  const block = opened(path).blocks.find(({ kind }) => kind === BLOCK.names);
  const bytes = readFileSync(path);
  bytes.fill(0, (block?.offset ?? 0) + HEADER_BYTES, (block?.offset ?? 0) + (block?.bytes ?? 0));
  writeFileSync(path, bytes);
  assert.equal(opened(path).mayHold('302003'), true);
});

test('what is no index is refused: nothing, a folder, a pipe, another file, a later format', (t) => {
  const capture = captureIn(t);
  const reasonOf = (path: string): string => {
    const index = openIndex(path);
    return index.ok ? 'opened' : index.reason;
  };
  assert.equal(reasonOf(capture), 'absent');
  assert.equal(reasonOf(capture.slice(0, capture.lastIndexOf('/'))), 'no-index');
  execFileSync('mkfifo', [`${capture}.pipe`]);
  assert.equal(reasonOf(`${capture}.pipe`), 'no-index');
  writeFileSync(`${capture}.other`, 'CTb1 is only text here');
  assert.equal(reasonOf(`${capture}.other`), 'no-index');
  writeFileSync(`${capture}.later`, packBlock(BLOCK.head, 0, Buffer.from('{"format":2}')));
  assert.equal(reasonOf(`${capture}.later`), 'no-index');
});

test('a block inflates to no more than its header says, and a header stands only at its place', () => {
  const bomb = deflateRawSync(Buffer.alloc(50 * 1024 * 1024));
  const block = packBlock(BLOCK.rows, 0, Buffer.alloc(100));
  const header = readHeader(block, 0);
  assert.ok(header !== null);
  assert.equal(unpackBlock(header, block)?.length, 100);
  assert.equal(readHeader(block, 24), null);
  const forged = Buffer.concat([block.subarray(0, HEADER_BYTES), bomb]);
  assert.equal(unpackBlock({ ...header, bytes: forged.length }, forged), null);
});

test('rows without documents come when there is little room, then none; each is counted', (t) => {
  const capture = captureIn(t);
  const writer = IndexWriter.create(capture, { host: 'sbc1', boot: '0123456789abcdef' });
  const fileBytes = 4 * 1024 * 1024;
  // What no block compresses.
  let word = 1;
  const noise = (n: number): string => {
    let text = '';
    while (text.length < n) {
      word = (word * 48_271) % 2_147_483_647;
      text += word.toString(36);
    }
    return text;
  };
  let made = 0;
  for (; made < 4_500; made += 20)
    writer.addCalls(
      calls(made, made + 20).map((call) => ({
        ...call,
        row: JSON.stringify({ ...JSON.parse(call.row), noise: noise(200) }),
        document: JSON.stringify({ noise: noise(400) }),
      })),
      fileBytes,
    );
  writer.close(fileBytes);
  const { rows, rowsLeftOut, documents, documentsLeftOut } = writer.written;
  assert.ok(documents > 0 && documentsLeftOut > 0 && rowsLeftOut > 0, JSON.stringify(writer.written));
  assert.equal(rows + rowsLeftOut, made);
  assert.equal(documents + documentsLeftOut, rows);
  assert.ok(statSync(indexPathOf(capture)).size <= 0.08 * fileBytes);
  const index = opened(indexPathOf(capture));
  assert.equal(index.rowCount, rows);
  assert.equal(index.footer?.rowsLeftOut, rowsLeftOut);
  assert.equal(rowsOf(index).filter(({ place }) => place === null).length, documentsLeftOut);
});

test('a row or a document that is longer than a block is left out and counted', (t) => {
  const capture = captureIn(t);
  const writer = IndexWriter.create(capture, { host: 'sbc1', boot: '0123456789abcdef' });
  const long = JSON.stringify('x'.repeat(3_000_000));
  writer.addCalls(
    [
      { ...someCall(0), document: `{"a":${long}}` },
      { ...someCall(1), row: `{"a":${long}}` },
    ],
    LARGE_FILE,
  );
  writer.close(LARGE_FILE);
  assert.deepEqual(numbersOf(opened(indexPathOf(capture))), [1]);
  assert.equal(writer.written.documentsLeftOut, 1);
  assert.equal(writer.written.rowsLeftOut, 1);
});
