/** The endpoint map behaves as a Map does, whatever is set, deleted and looked up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EndpointMap } from '../../src/core/endpoint-map.ts';
import type { EndpointKey } from '../../src/core/ip.ts';

const keys = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  fc.constantFrom('::1|1', '2001:db8::1|5060', '2001:db8::2|5060'),
);

test('set, delete and get agree with a Map', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('set', 'delete'), keys, fc.nat()), { maxLength: 3000 }), (steps) => {
      const mine = new EndpointMap<number>();
      const model = new Map<EndpointKey, number>();
      for (const [what, key, value] of steps) {
        if (what === 'set') {
          mine.set(key, value);
          model.set(key, value);
        } else {
          mine.delete(key);
          model.delete(key);
        }
        assert.equal(mine.size, model.size);
      }
      for (const [, key] of steps) assert.equal(mine.get(key), model.get(key));
    }),
    { numRuns: 200 },
  );
});

test('it grows past its first size and finds everything', () => {
  const mine = new EndpointMap<number>();
  for (let i = 0; i < 50_000; i++) mine.set(i * 65536 + 4000, i);
  for (let i = 0; i < 50_000; i += 2) mine.delete(i * 65536 + 4000);
  for (let i = 0; i < 50_000; i++) assert.equal(mine.get(i * 65536 + 4000), i % 2 === 0 ? undefined : i);
  assert.equal(mine.size, 25_000);
});
