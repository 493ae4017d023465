/** Codes as label values: those that are registered have their place whatever a stranger sends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as METHOD from '../../../../src/core/methods.ts';
import { CODE_VALUES, METHOD_NAMES } from '../../../../src/core/words.ts';
import { CodeSeats, FINAL_CODE_VALUES, RESPONSE_PAIRS, ResponsePairs } from '../../../../src/watch/numbers/codes.ts';

test('a flood of made-up codes leaves the registered ones their places, and nothing is lost', () => {
  const counts = new Float64Array(METHOD_NAMES.length * CODE_VALUES);
  const pairs = new ResponsePairs();
  counts.fill(1);
  const flooded = pairs.of(counts);
  assert.ok(flooded.length <= RESPONSE_PAIRS, `${flooded.length} pairs`);
  counts[METHOD.INVITE * CODE_VALUES + 486] = 7;
  const shown = pairs.of(counts);
  assert.equal(shown.find(([method, code]) => method === 'INVITE' && code === '486')?.[2], 7);
  const sum = (all: typeof shown) => all.reduce((n, [, , more]) => n + more, 0);
  assert.equal(
    sum(shown),
    counts.reduce((a, b) => a + b, 0),
  );
  for (const [i, [method, code, n]] of flooded.entries())
    assert.deepEqual(shown[i]?.slice(0, 2), [method, code], `${method} ${code} ${n} kept its place`);
  assert.equal(new Set(shown.map(([method, code]) => `${method} ${code}`)).size, shown.length);
});

test('final codes are at most 101 values', () => {
  const seats = new CodeSeats();
  const labels = new Set(Array.from({ length: CODE_VALUES }, (_, code) => seats.labelOf(code)));
  assert.ok(labels.size <= FINAL_CODE_VALUES && labels.has('other') && labels.has('200'));
  assert.equal(seats.labelOf(503), '503');
});
