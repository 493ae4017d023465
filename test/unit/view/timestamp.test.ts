/** Capture time as RFC 3339 text to the microsecond, whatever number it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spanSec } from '../../../src/core/rounded.ts';
import { timestampText } from '../../../src/core/timestamp.ts';

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

test('known moments', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, '1970-01-01T00:00:00.000000Z'],
    [1, '1970-01-01T00:00:00.000001Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [1741078800 * 1e6, '2025-03-04T09:00:00.000000Z'],
    [1741078800 * 1e6 + 20_005, '2025-03-04T09:00:00.020005Z'],
    [951_782_400 * 1e6 - 1, '2000-02-28T23:59:59.999999Z'],
    [951_782_400 * 1e6, '2000-02-29T00:00:00.000000Z'],
  ];
  // Twice and mixed: the text of the last second is remembered.
  for (const [us, text] of [...rows, ...[...rows].reverse()]) assert.equal(timestampText(us), text);
});

test('a part of a microsecond is cut, never rounded into the next second', () => {
  assert.equal(timestampText(999_999.999), '1970-01-01T00:00:00.999999Z');
  assert.equal(timestampText(-0.5), '1969-12-31T23:59:59.999999Z');
});

test('what no calendar year can say is the nearest moment that one can', () => {
  assert.equal(timestampText(Number.NaN), '1970-01-01T00:00:00.000000Z');
  assert.equal(timestampText(Number.POSITIVE_INFINITY), '9999-12-31T23:59:59.999999Z');
  assert.equal(timestampText(9e18), '9999-12-31T23:59:59.999999Z');
  assert.equal(timestampText(Number.NEGATIVE_INFINITY), '0000-01-01T00:00:00.000000Z');
});

test('every number gives a date-time that reads back', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.integer({ min: -4e15, max: 4e15 })), (us) => {
      const text = timestampText(us);
      assert.match(text, RFC3339);
      if (Number.isInteger(us) && Math.abs(us) < 4e15)
        assert.equal(Date.parse(text) * 1000 + Number(text.slice(23, 26)), us + 0);
    }),
  );
});

test('a span is in seconds to the microsecond and never negative', () => {
  assert.equal(spanSec(0, 1_500_000), 1.5);
  assert.equal(spanSec(1741078800e6, 1741078800e6 + 1), 0.000001);
  assert.equal(spanSec(5, 4), 0);
  assert.equal(spanSec(0, 0), 0);
});
