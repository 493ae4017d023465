/** The indexes beside the files of -O: each file has its own, and what the gate, the disk or the share forbids is counted. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { SharedGate } from '../../../../src/actions/history/gate.ts';
import { IndexFiles, packCalls } from '../../../../src/actions/history/index-files.ts';
import type { IndexFile } from '../../../../src/history/index-file.ts';
import { indexPathOf, openIndex } from '../../../../src/history/index-file.ts';
import { calls, captureIn, LARGE_FILE, START_US } from '../../../helpers/history-index.ts';

type Kit = { readonly files: IndexFiles; readonly gate: SharedGate; readonly path: (n: number) => string };

function kit(t: TestContext, carriesAll = false): Kit {
  const gate = new SharedGate();
  gate.set(true);
  const about = { host: 'sbc1', boot: '0123456789abcdef' };
  const base = captureIn(t).slice(0, -1);
  for (let n = 1; n <= 3; n++) writeFileSync(`${base}${n}`, '');
  return {
    files: new IndexFiles({ about, columns: null, gate, carriesAll }),
    gate,
    path: (n) => `${base}${n}`,
  };
}

const batch = (path: string, from: number, upTo: number, captureBytes = LARGE_FILE) => ({
  ...{ path, captureBytes, minutes: [] },
  chunks: [{ offset: from * 1_000, firstUs: START_US, lastUs: START_US + 1e6 }],
  calls: packCalls(calls(from, upTo)),
});

function opened(path: string): IndexFile {
  const index = openIndex(indexPathOf(path));
  assert.ok(index.ok);
  return index.value;
}

const numbers = (path: string): unknown[] => [...opened(path).rows()].flat().map(({ row }) => row['number']);

test('each file has its index, which is closed when the next file begins', (t) => {
  const { files, path } = kit(t);
  files.take(batch(path(1), 0, 3), 0);
  files.take(batch(path(2), 3, 5), 10);
  assert.deepEqual(numbers(path(1)), [3, 2, 1]);
  assert.equal(opened(path(1)).isClosed, true);
  assert.equal(opened(path(1)).chunks().length, 1);
  files.end();
  assert.deepEqual(numbers(path(2)), [5, 4]);
  assert.equal(opened(path(2)).footer?.isWhole, true);
  const { files: begun, rows, documents } = files.counts;
  assert.deepEqual([begun, rows, documents], [2, 5, 5]);
});

test('what came is written after five seconds, or when it makes a block', (t) => {
  const { files, path } = kit(t);
  files.take(batch(path(1), 0, 3), 0);
  files.tick(4_000);
  assert.equal(existsSync(indexPathOf(path(1))), false);
  files.tick(5_000);
  assert.deepEqual(numbers(path(1)), [3, 2, 1]);
  files.take(batch(path(1), 3, 67), 6_000);
  assert.equal(numbers(path(1)).length, 67);
});

test('with the gate closed nothing is written, and each call is counted; it goes on when the gate opens', (t) => {
  const { files, gate, path } = kit(t);
  files.take(batch(path(1), 0, 2), 0);
  gate.set(false);
  files.flush();
  files.take(batch(path(1), 2, 80), 0);
  assert.equal(existsSync(indexPathOf(path(1))), false);
  assert.equal(files.counts.gate_closed, 80);
  gate.set(true);
  files.take(batch(path(1), 80, 81), 0);
  files.flush();
  assert.deepEqual(numbers(path(1)), [81]);
  gate.set(false);
  const { size } = statSync(indexPathOf(path(1)));
  files.end();
  assert.equal(statSync(indexPathOf(path(1))).size, size);
  assert.equal(opened(path(1)).isClosed, false);
});

test('whoever closes the gate waits until what is being written is written', () => {
  const gate = new SharedGate();
  gate.set(true);
  let isInside = false;
  const other = new SharedGate(gate.memory);
  assert.equal(
    gate.write(() => {
      isInside = true;
      assert.equal(other.isOpen, true);
    }),
    true,
  );
  other.set(false);
  assert.equal(isInside, true);
  assert.equal(
    gate.write(() => assert.fail('the gate is closed')),
    false,
  );
});

test('a disk that refuses an index costs its rows, which are counted; it is tried again', (t) => {
  const { files, path } = kit(t);
  const folder = dirname(path(1));
  const inside = join(folder, 'cap.pcapng.00009');
  writeFileSync(inside, '');
  mkdirSync(indexPathOf(inside));
  files.take(batch(inside, 0, 2), 0);
  files.flush();
  assert.equal(files.trouble, 'EEXIST');
  assert.equal(files.counts.disk_errors, 2);
  rmdirSync(indexPathOf(inside));
  files.take(batch(inside, 2, 3), 0);
  files.flush();
  assert.equal(files.trouble, null);
  assert.deepEqual(numbers(inside), [3]);
  assert.equal(opened(inside).chunks().length, 2);
  files.end();
  assert.deepEqual([files.counts.rows, files.counts.disk_errors], [1, 2]);
});

test('the index of a file that is gone gives way; nothing else under the name does', (t) => {
  const { files, path } = kit(t);
  writeFileSync(indexPathOf(path(1)), 'left by somebody', { mode: 0o644 });
  chmodSync(indexPathOf(path(1)), 0o644);
  mkdirSync(indexPathOf(path(2)));
  files.take(batch(path(1), 0, 2), 0);
  files.take(batch(path(2), 2, 4), 0);
  assert.deepEqual(numbers(path(1)), [2, 1]);
  assert.equal(statSync(indexPathOf(path(1))).mode & 0o777, 0o600);
  files.end();
  assert.equal(files.trouble, 'EEXIST');
  assert.equal(files.counts.disk_errors, 2);
  rmdirSync(indexPathOf(path(2)));
});

test('a file that is gone before it has an index gets none: its calls go to the next one', (t) => {
  const { files, path } = kit(t);
  files.take(batch(path(7), 0, 2), 0);
  files.flush();
  files.take(batch(path(1), 2, 3), 0);
  files.flush();
  assert.equal(existsSync(indexPathOf(path(7))), false);
  assert.deepEqual(numbers(path(1)), [3, 2, 1]);
  files.take(batch(path(8), 3, 4), 0);
  files.end();
  assert.deepEqual([files.counts.rows, files.counts.disk_errors], [3, 1]);
});

test('what a file left of its share goes to the next one', (t) => {
  const shared = (carriesAll: boolean): number => {
    const { files, path } = kit(t, carriesAll);
    const [large, small] = [20_000_000, 1_000];
    files.take(batch(path(1), 0, 1, large), 0);
    files.take(batch(path(2), 1, 2, small), 0);
    files.take(batch(path(3), 2, 3, small), 0);
    for (let n = 3; n < 20_000; n += 1_000) files.take(batch(path(3), n, n + 1_000, small), 0);
    files.end();
    assert.equal(files.counts.rows + files.counts.over_share, 20_003);
    const bytes = readdirSync(dirname(path(1))).reduce(
      (sum, name) => sum + statSync(join(dirname(path(1)), name)).size,
      0,
    );
    assert.ok(bytes <= 0.03 * (large + 2 * small) + 3 * 65_536);
    return files.counts.over_share;
  };
  // While a ring is written, its files go: a file has the share of the one before it alone.
  assert.ok(shared(false) > 0);
  assert.ok(shared(true) < shared(false));
});
