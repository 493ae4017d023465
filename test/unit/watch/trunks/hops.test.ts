/** Hops outlive their dialogs and are bounded: those that are over give way first, and what is lost is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE } from '../../../../src/store/row-blocks.ts';
import { HOP_FACT, Hops, MAX_TRUNK_CALL_HOPS, MAX_TRUNK_HOPS } from '../../../../src/watch/trunks/hops.ts';

const SEC = 1e6;
const callOf = (n: number) => ({ callIdHash: n, serial: n, callIdKey: `call-${n}` });

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
  // Another call whose Call-ID has the same hash.
  assert.equal(hops.find({ callIdHash: 1, serial: 7, callIdKey: 'call-7' }, 0, 3), NONE);
  assert.equal([...hops.of(callOf(1))].length, MAX_TRUNK_HOPS);
});

test('hops of an evicted dialog belong to the next one of its Call-ID', () => {
  const hops = new Hops(() => undefined);
  const own = hops.open(callOf(1), 0, 1, 0);
  const next = hops.open(callOf(1), 1, 2, 0);
  const again = { ...callOf(1), serial: 99 };
  assert.equal(hops.find(again, 1, 2), next);
  assert.deepEqual(new Set(hops.of(again)), new Set([own, next]));
});

test('where there is no room, who is settled gives way before who is under way, and who talks last', () => {
  const hops = new Hops(() => undefined);
  const kinds = ['settled', 'under way', 'talking'] as const;
  for (let n = 0; n < MAX_TRUNK_CALL_HOPS; n++) {
    const hop = hops.open(callOf(n), 1, 2, n);
    if (kinds[n % 3] === 'settled') hops.setFinalCode(hop, 503);
    if (kinds[n % 3] === 'talking') hops.mark(hop, HOP_FACT.TALKING, true);
  }
  for (let n = 0; n < 20_000; n++) hops.setFinalCode(hops.open(callOf(-1 - n), 1, 2, MAX_TRUNK_CALL_HOPS), 503);
  const left = kinds.map((_, kind) => {
    let count = 0;
    for (let n = kind; n < MAX_TRUNK_CALL_HOPS; n += 3) if (hops.find(callOf(n), 1, 2) !== NONE) count++;
    return count;
  });
  const [settled = 0, underWay = 0, talking = 0] = left;
  const third = Math.floor(MAX_TRUNK_CALL_HOPS / 3);
  // Of sixteen that are looked at, one nearly always is settled.
  assert.ok(settled < third - 15_000, `${settled} settled`);
  assert.ok(underWay > third - 600, `${underWay} under way`);
  assert.ok(talking >= third, `${talking} talking`);
  assert.ok(hops.cutShort < 600);
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

test('where none is over, one of those that were tried first gives way and is counted', () => {
  const hops = new Hops(() => undefined);
  for (let n = 0; n < MAX_TRUNK_CALL_HOPS; n++) hops.open(callOf(n), 1, 2, n);
  hops.open(callOf(-1), 1, 2, MAX_TRUNK_CALL_HOPS);
  assert.equal(hops.cutShort, 1);
  assert.equal(hops.find(callOf(0), 1, 2), NONE);
  assert.notEqual(hops.find(callOf(-1), 1, 2), NONE);
});
