/** Two texts line by line: both are there whole, in their order, and what they share is marked as shared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { difference } from '../../../../src/faces/tui/difference.ts';

test('what stands in one alone is marked', () => {
  const shown = difference(['a', 'b', 'c'], ['a', 'x', 'c', 'd']).map(({ text }) => text);
  assert.deepEqual(shown, ['  a', '- b', '+ x', '  c', '+ d']);
});

test('any two texts can be read out of it again', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const shown = difference(before, after).map(({ text }) => text);
      const of = (mark: string): string[] =>
        shown.filter((text) => text.startsWith(' ') || text.startsWith(mark)).map((text) => text.slice(2));
      assert.deepEqual([of('-'), of('+')], [before, after]);
    }),
  );
});

test('texts of more lines than are compared differ from there on', () => {
  const long = Array.from({ length: 1_200 }, (_, i) => String(i));
  assert.equal(difference(long, long).filter(({ text }) => text.startsWith('  ')).length, 1_000);
});
