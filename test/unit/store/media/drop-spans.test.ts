/** Spans of drops: neighbours become one, a full table forgets none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DropSpans, MAX_DROP_SPANS } from '../../../../src/store/media/drop-spans.ts';

const SEC = 1_000_000;

test('spans of one source that lie together are one; those of another source are its own', () => {
  const drops = new DropSpans();
  assert.deepEqual(drops.of(0), []);
  drops.add(0, { fromUs: 1 * SEC, toUs: 2 * SEC, packets: 10 });
  drops.add(0, { fromUs: 2.05 * SEC, toUs: 3 * SEC, packets: 5 });
  drops.add(1, { fromUs: 3 * SEC, toUs: 3 * SEC, packets: 1 });
  drops.add(0, { fromUs: 5 * SEC, toUs: 6 * SEC, packets: 2 });
  assert.deepEqual(drops.of(0), [
    { fromUs: 1 * SEC, toUs: 3 * SEC, packets: 15 },
    { fromUs: 5 * SEC, toUs: 6 * SEC, packets: 2 },
  ]);
  assert.equal(drops.of(1).length, 1);
  assert.deepEqual(drops.of(2), []);
});

test('a clock that is set back makes no span that ends before it begins', () => {
  const drops = new DropSpans();
  drops.add(0, { fromUs: 9 * SEC, toUs: 10 * SEC, packets: 1 });
  drops.add(0, { fromUs: 3 * SEC, toUs: 4 * SEC, packets: 2 });
  assert.deepEqual(drops.of(0), [{ fromUs: 3 * SEC, toUs: 10 * SEC, packets: 3 }]);
});

test('beyond the cap the nearest two become one, and every packet is still counted', () => {
  const drops = new DropSpans();
  for (let i = 0; i < 3 * MAX_DROP_SPANS; i++)
    drops.add(0, { fromUs: i * 10 * SEC, toUs: i * 10 * SEC + SEC, packets: 1 });
  // Nearer to its neighbour than any other.
  drops.add(0, { fromUs: 30 * MAX_DROP_SPANS * SEC, toUs: 30 * MAX_DROP_SPANS * SEC + 5 * SEC, packets: 1 });
  drops.add(0, { fromUs: 30 * MAX_DROP_SPANS * SEC + 6 * SEC, toUs: 30 * MAX_DROP_SPANS * SEC + 7 * SEC, packets: 1 });
  const spans = drops.of(0);
  assert.equal(spans.length, MAX_DROP_SPANS);
  assert.equal(
    spans.reduce((sum, { packets }) => sum + packets, 0),
    3 * MAX_DROP_SPANS + 2,
  );
  assert.deepEqual([spans.at(-1)?.packets, spans.at(-1)?.toUs], [2, 30 * MAX_DROP_SPANS * SEC + 7 * SEC]);
  for (const [i, { fromUs, toUs }] of spans.entries()) {
    assert.ok(fromUs <= toUs);
    assert.ok(i === 0 || (spans[i - 1]?.toUs ?? 0) < fromUs);
  }
});
