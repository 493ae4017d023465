/** The map of endpoints keeps what a Map would keep, through growth and through deletions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EndpointMap } from '../../../src/core/endpoint-map.ts';
import type { EndpointKey } from '../../../src/core/ip.ts';

test('any run of settings and deletions leaves what a Map would hold', () => {
  const key = fc.oneof(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 0, max: 40 }).map((n) => 0x0a00_0001_0000 + n * 65_536),
    fc.integer({ min: 0, max: 10 }).map((n) => `2001:db8::${n}|5060`),
  );
  const step = fc.record({ key, value: fc.option(fc.integer(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const map = new EndpointMap<number>();
      const model = new Map<EndpointKey, number>();
      for (const { key: at, value } of steps) {
        if (value === undefined) {
          map.delete(at);
          model.delete(at);
        } else {
          map.set(at, value);
          model.set(at, value);
        }
        assert.equal(map.size, model.size);
      }
      for (const { key: at } of steps) assert.equal(map.get(at), model.get(at));
    }),
  );
});

test('a hundred thousand ports of few hosts come and half of them go', () => {
  const map = new EndpointMap<number>();
  const keyOf = (i: number): number => (0x0a00_0001 + (i & 3)) * 65_536 + (i >> 2);
  for (let i = 0; i < 100_000; i++) map.set(keyOf(i), i);
  for (let i = 0; i < 100_000; i += 2) map.delete(keyOf(i));
  assert.equal(map.size, 50_000);
  for (let i = 0; i < 100_000; i++) assert.equal(map.get(keyOf(i)), i % 2 === 0 ? undefined : i);
});
