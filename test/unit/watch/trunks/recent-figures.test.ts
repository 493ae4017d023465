/** When one call in twenty sounds bad or waits too long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentFigures } from '../../../../src/watch/trunks/recent-figures.ts';

const SEC = 1e6;
const MOS = { bad: 2.6, good: 3.1 };

function heard(values: readonly number[], figures = new RecentFigures(MOS, true), fromSec = 0): RecentFigures {
  for (const [i, value] of values.entries()) figures.note(value, (fromSec + i) * SEC);
  return figures;
}
const times = (n: number, ...values: readonly number[]): number[] => Array.from({ length: n }, () => values).flat();

test('one bad call in twenty is none too many, two are', () => {
  assert.ok(!heard([...times(19, 4.4), 1.5]).isBad);
  const figures = heard([...times(18, 4.4), 1.5, 1.6]);
  assert.equal(figures.sinceUs, 18 * SEC);
  assert.equal(figures.worst, 1.6);
});

test('few calls say nothing', () => {
  assert.ok(!heard(times(19, 1.5)).isBad);
});

test('between the bounds nothing begins, and nothing ends', () => {
  assert.ok(!heard(times(100, 2.8)).isBad);
  const figures = heard(times(20, 1.5));
  heard(times(100, 2.8), figures, 20);
  assert.ok(figures.isBad);
  heard(times(100, 4.4), figures, 120);
  assert.ok(!figures.isBad);
});

test('of delays the high ones are bad', () => {
  const figures = heard(times(20, 12), new RecentFigures({ bad: 10, good: 6 }, false));
  assert.ok(figures.isBad);
  assert.equal(figures.worst, 12);
});

test('without calls for a quarter of an hour nothing is known to be bad', () => {
  const figures = heard(times(20, 1.5));
  figures.age(19 * SEC + 899 * SEC);
  assert.ok(figures.isBad);
  figures.age(20 * SEC + 900 * SEC);
  assert.ok(!figures.isBad);
  assert.equal(figures.size, 0);
});
