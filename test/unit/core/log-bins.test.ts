/** Bins hold each value to 1 %, add up without loss, and take whatever number comes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GAMMA, LogBins, MIDDLE } from '../../../src/core/log-bins.ts';

function binsOf(values: readonly number[]): LogBins {
  const bins = new LogBins();
  for (const value of values) bins.add(value);
  return bins;
}

test('the middle of its bin is within 1 % of a value', () => {
  for (let value = 0.001; value < 1e8; value *= 1.0137) {
    const [[key = Number.NaN] = []] = binsOf([value]).bins;
    const middle = MIDDLE * GAMMA ** key;
    assert.ok(Math.abs(middle / value - 1) <= 0.0100001, `${value} lies in the bin of ${middle}`);
  }
});

test('parts add up to the whole, in whatever order', () => {
  const values = Array.from({ length: 3_000 }, (_, i) => (i % 50 === 0 ? 0 : 1.01 ** ((i * 37) % 1_500)));
  const whole = binsOf(values);
  const sum = new LogBins();
  for (let i = values.length; i > 0; i -= 100) sum.merge(binsOf(values.slice(i - 100, i)));
  assert.deepEqual(sum.bins, whole.bins);
  assert.deepEqual([sum.count, sum.zeros, sum.min, sum.max], [3_000, 60, 0, whole.max]);
  assert.ok(Math.abs(sum.sum / whole.sum - 1) < 1e-9);
});

test('a bin holds more values than 16 bits count', () => {
  const bins = new LogBins();
  for (let i = 0; i < 70_000; i++) bins.add(250);
  bins.merge(bins);
  bins.add(3);
  assert.deepEqual(
    bins.bins.map(([, values]) => values),
    [1, 140_000],
  );
});

test('what is no delay is not counted, and what no delay can be takes bounded room', () => {
  const bins = binsOf([Number.NaN, -1, Number.POSITIVE_INFINITY, Number.MAX_VALUE, 1e-300, Number.MIN_VALUE, 0]);
  assert.deepEqual([bins.count, bins.zeros], [5, 3]);
  assert.ok(Number.isFinite(bins.sum));
  bins.add(2e-6);
  assert.ok(bins.bytes < 8_192, `${bins.bytes} bytes`);
});
