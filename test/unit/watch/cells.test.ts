/** Cells of time keep the newest, take late figures, and say what they hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CellFigures } from '../../../src/watch/cell-figures.ts';
import { Cells } from '../../../src/watch/cells.ts';

const fives = (most = 10): Cells<CellFigures> => new Cells(5, most, () => new CellFigures());

function add(cells: Cells<CellFigures>, minute: number): boolean {
  const figures = cells.holding(minute);
  if (figures === null) return false;
  figures.attempts++;
  return true;
}

test('a cell begins at a whole multiple of its length', () => {
  const cells = fives();
  for (const minute of [100, 101, 104, 105]) add(cells, minute);
  assert.deepEqual([cells.at(100)?.attempts, cells.at(105)?.attempts, cells.at(95)], [3, 1, null]);
});

test('the newest are kept, and what is late goes to its cell while that is kept', () => {
  const cells = fives(3);
  for (let minute = 0; minute < 40; minute += 5) add(cells, minute);
  assert.deepEqual([cells.oldest, cells.keptFrom], [25, 25]);
  assert.equal(add(cells, 26), true);
  assert.equal(add(cells, 24), false);
  assert.equal(cells.at(25)?.attempts, 2);
  assert.equal(cells.at(20), null);
});

test('what is older than all comes in only where there is room', () => {
  const cells = fives(3);
  for (const minute of [100, 105]) add(cells, minute);
  assert.equal(add(cells, 50), true);
  assert.equal(add(cells, 45), false);
  assert.deepEqual([cells.at(50)?.attempts, cells.keptFrom], [1, 50]);
});

test('memory falls with what is given up, and grows with what is merged', () => {
  const [a, b] = [fives(), fives()];
  for (const cells of [a, b])
    for (let minute = 100; minute < 130; minute++) {
      cells.holding(minute)?.notePdd(minute);
      cells.weigh();
    }
  const { bytes } = a;
  assert.ok(bytes > 0);
  a.merge(b);
  a.weigh();
  assert.equal(a.at(100)?.pddMs?.count, 10);
  a.giveUp(115);
  assert.ok(a.bytes < bytes && a.bytes > 0, `${a.bytes} of ${bytes}`);
  a.giveUp(1_000);
  assert.equal(a.bytes, 0);
});
