/** The span that an overview is asked for: one that cannot be is refused with what to write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofSpan } from '../../../src/explore/overview-question.ts';

const AT = '2025-03-04T09:00:00Z';

test('a mistake in a span is named', () => {
  for (const [given, says] of [
    [{ since: AT }, /give both, or minutes alone/],
    [{ until: AT }, /give both, or minutes alone/],
    [{ since: 'yesterday', until: AT }, /since: it is not a time; write one such as 2026-11-22T02:00:00Z/],
    [{ since: AT, until: '2025-03-04T10:00:00 01:00' }, /until: it is not a time; .* %2B for the plus of an offset/],
    [{ since: AT, until: AT }, /later than since/],
    [{ since: AT, until: '2025-03-07T09:00:00Z' }, /48 hours at most/],
  ] as const)
    assert.throws(() => ofSpan.read(given), says);
});

test('an offset counts', () => {
  const { asked } = ofSpan.read({ since: '2025-03-04T10:00:00+01:00', until: '2025-03-04T09:30:00Z' });
  assert.deepEqual(asked, [{ since: '2025-03-04T09:00:00.000000Z', until: '2025-03-04T09:30:00.000000Z' }]);
});
