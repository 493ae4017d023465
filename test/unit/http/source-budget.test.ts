/** The request budget of a source: its second, its bound in memory, and that sources do not share. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceBudget } from '../../../src/http/source-budget.ts';

function budget(max: number, sources: number) {
  const clock = { nowMs: 5_000 };
  return { clock, budget: new SourceBudget(max, sources, () => clock.nowMs) };
}

test('the budget of one second, and a new one after it', () => {
  const { clock, budget: b } = budget(3, 10);
  const take = (): boolean => b.take('192.0.2.1') === 'admitted';
  assert.deepEqual([take(), take(), take(), take(), take()], [true, true, true, false, false]);
  clock.nowMs += 999;
  assert.equal(take(), false);
  clock.nowMs += 1;
  assert.deepEqual([take(), take(), take(), take()], [true, true, true, false]);
});

test('sources do not share', () => {
  const { budget: b } = budget(1, 10);
  assert.deepEqual(
    ['a', 'b', 'a', 'b', 'c'].map((source) => b.take(source) === 'admitted'),
    [true, true, false, false, true],
  );
});

test('memory is bounded; what is forgotten early is counted and is the oldest', () => {
  const { clock, budget: b } = budget(1, 100);
  for (let i = 0; i < 10_000; i++) {
    clock.nowMs += 0.01;
    assert.equal(b.take(`source-${i}`), 'admitted');
    assert.ok(b.sources <= 100);
  }
  assert.ok(b.forgotten >= 9_900);
  assert.equal(b.take('source-9999'), 'over', 'the newest are remembered');
});

test('what is over is dropped as others come, without being counted', () => {
  const { clock, budget: b } = budget(1, 100);
  for (let i = 0; i < 50; i++) b.take(`old-${i}`);
  clock.nowMs += 1_000;
  for (let i = 0; i < 25; i++) b.take(`new-${i}`);
  assert.equal(b.sources, 25);
  assert.equal(b.forgotten, 0);
});

test('a source that comes again takes its place at the end', () => {
  const { clock, budget: b } = budget(2, 3);
  b.take('a');
  clock.nowMs += 600;
  b.take('b');
  clock.nowMs += 500;
  b.take('a');
  b.take('c');
  clock.nowMs += 600;
  b.take('d');
  assert.equal(b.take('a'), 'admitted');
  assert.equal(b.take('a'), 'over', 'the window of a began last, so it was not the one to go');
});

test('ten times the budget is a flood, until its second is over', () => {
  const { clock, budget: b } = budget(3, 10);
  const verdicts = Array.from({ length: 32 }, () => b.take('a'));
  assert.deepEqual(verdicts.indexOf('over'), 3);
  assert.deepEqual(verdicts.indexOf('flooding'), 30);
  assert.ok(b.isFlooding('a'));
  assert.ok(!b.isFlooding('b'));
  clock.nowMs += 1_000;
  assert.ok(!b.isFlooding('a'));
  assert.equal(b.take('a'), 'admitted');
});
