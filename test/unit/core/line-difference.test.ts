/** Two texts line by line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineDifference } from '../../../src/core/line-difference.ts';

test('a difference holds both texts, in their order', () => {
  const [a, b] = [
    ['1', '2', '3', '4'],
    ['1', '3', 'x', '4'],
  ];
  const lines = lineDifference(a, b);
  const of = (side: 'a' | 'b'): string[] => lines.filter((line) => line.side !== side).map(({ text }) => text);
  assert.deepEqual([of('b'), of('a')], [a, b]);
  assert.equal(lines.filter(({ side }) => side === 'both').length, 3);
  const many = Array.from({ length: 5_000 }, (_, i) => String(i));
  assert.equal(lineDifference(many, []).length, 5_000);
});
