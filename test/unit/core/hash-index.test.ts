/** The index by hashes gives every number that was added with a hash and no other, also where hashes and places meet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HashIndex } from '../../../src/core/hash-index.ts';

function all(index: HashIndex, hash: number): number[] {
  const found: number[] = [];
  for (let value = index.seek(hash); value >= 0; value = index.next()) found.push(value);
  return found.sort((a, b) => a - b);
}

/** Few hashes, of which many share a table and a place in it. */
const hashes = fc.constantFrom(0, 16, 32, 48, 16 * 64, 17, -16, 0x7fffffff, -0x80000000);

test('numbers are found by the hash that they were added with, whatever was removed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hashes, fc.nat(40), fc.boolean()), { maxLength: 400 }), (steps) => {
      const index = new HashIndex();
      const model = new Map<number, Set<number>>();
      for (const [hash, value, isAdded] of steps) {
        const known = model.get(hash) ?? new Set();
        model.set(hash, known);
        if (isAdded && !known.has(value)) index.add(hash, value);
        if (!isAdded) index.remove(hash, value);
        if (isAdded) known.add(value);
        else known.delete(value);
      }
      let size = 0;
      for (const [hash, known] of model) {
        assert.deepEqual(
          all(index, hash),
          [...known].sort((a, b) => a - b),
        );
        size += known.size;
      }
      assert.equal(index.size, size);
    }),
    { numRuns: 300 },
  );
});

test('a number takes the place of another', () => {
  const index = new HashIndex();
  for (const value of [1, 2, 3]) index.add(16, value);
  index.replace(16, 2, 7);
  index.replace(16, 9, 8);
  index.replace(17, 1, 8);
  assert.deepEqual([all(index, 16), index.size], [[1, 3, 7], 3]);
});

test('tables grow, and every number stays found', () => {
  const index = new HashIndex();
  for (let i = 0; i < 5_000; i++) index.add(Math.imul(i, 0x9e3779b1), i);
  for (let i = 0; i < 5_000; i++) assert.deepEqual(all(index, Math.imul(i, 0x9e3779b1)), [i]);
});
