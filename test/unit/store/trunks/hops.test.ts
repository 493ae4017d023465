/** Hops outlive their dialogs and are bounded: those that are over give way first, and what is lost is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_TRUNK_CALL_HOPS, MAX_TRUNK_HOPS } from '../../../../src/core/item-limits.ts';
import { NONE } from '../../../../src/store/row-blocks.ts';
import { HOP_FACT, Hops } from '../../../../src/store/trunks/hops.ts';

const SEC = 1e6;
const callOf = (n: number) => ({ low: n, high: ~n });

test('a call has so many hops, and further ones are counted', () => {
  const hops = new Hops(() => undefined);
  for (let to = 0; to < MAX_TRUNK_HOPS; to++) assert.notEqual(hops.open(callOf(1), 0, to, 0), NONE);
  assert.equal(hops.open(callOf(1), 0, 99, 0), NONE);
  assert.equal(hops.beyondCall, 1);
  assert.equal([...hops.of(callOf(1))].length, MAX_TRUNK_HOPS);
  assert.equal(
    hops.find(callOf(1), 0, 3),
    [...hops.of(callOf(1))].find((hop) => hops.to(hop) === 3),
  );
  assert.equal(hops.find({ low: 1, high: 7 }, 0, 3), NONE);
});

test('what is over gives way, and who talks does not', () => {
  const left: number[] = [];
  const hops = new Hops((hop) => left.push(hop));
  for (let n = 0; n < MAX_TRUNK_CALL_HOPS; n++) {
    const hop = hops.open(callOf(n), 1, 2, n);
    if (n % 2 === 0) hops.mark(hop, HOP_FACT.TALKING, true);
  }
  const talking = hops.find(callOf(0), 1, 2);
  for (let n = 0; n < 10_000; n++) hops.open(callOf(MAX_TRUNK_CALL_HOPS + n), 1, 2, 1000 * SEC);
  assert.ok(hops.size <= MAX_TRUNK_CALL_HOPS);
  assert.equal(hops.cutShort, 0);
  assert.equal(hops.find(callOf(0), 1, 2), talking);
  assert.ok(left.length >= 10_000 && left.every((hop) => hop % 2 === 1));
});

test('where none is over, the one that was tried first gives way and is counted', () => {
  const hops = new Hops(() => undefined);
  for (let n = 0; n < MAX_TRUNK_CALL_HOPS; n++) hops.open(callOf(n), 1, 2, n);
  hops.open(callOf(-1), 1, 2, MAX_TRUNK_CALL_HOPS);
  assert.equal(hops.cutShort, 1);
  assert.equal(hops.find(callOf(0), 1, 2), NONE);
  assert.notEqual(hops.find(callOf(-1), 1, 2), NONE);
});
