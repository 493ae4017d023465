/** Sorting in steps: the order that a sort at once gives, no long step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { orderSteps } from '../../../src/core/order-steps.ts';
import { finish } from '../../../src/core/turns.ts';

function atOnce(keys: readonly number[]): number[] {
  return keys.map((_, i) => i).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
}

test('any keys: as a stable sort orders them', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 9_000, size: 'max' }), (keys) => {
      const found = finish(orderSteps(keys.length, (a, b) => (keys[a] ?? 0) - (keys[b] ?? 0)));
      assert.deepEqual([...found], atOnce(keys));
    }),
    { numRuns: 50 },
  );
});

test('100,000 in reverse: in order, and between two rests it compares a few ten thousand times at most', () => {
  const keys = Array.from({ length: 100_000 }, (_, i) => -Math.floor(i / 3));
  let compared = 0;
  let most = 0;
  const steps = orderSteps(keys.length, (a, b) => {
    compared++;
    return (keys[a] ?? 0) - (keys[b] ?? 0);
  });
  for (;;) {
    const step = steps.next();
    most = Math.max(most, compared);
    compared = 0;
    if (step.done !== true) continue;
    assert.deepEqual([...step.value], atOnce(keys));
    break;
  }
  assert.ok(most <= 30_000, `${most}`);
});
