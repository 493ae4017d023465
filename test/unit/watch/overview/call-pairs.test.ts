/** Pairs of who calls whom: bounded whoever calls, and no call goes missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashBytes } from '../../../../src/core/hash.ts';
import type { PairEnd } from '../../../../src/watch/overview/call-pairs.ts';
import { CallPairs, MAX_CALL_PAIRS, NO_PAIR, PAIR_HOURS } from '../../../../src/watch/overview/call-pairs.ts';

const end = (name: string): PairEnd => ({
  name,
  hash: hashBytes(Buffer.from(name), 0, name.length),
  isTrunk: false,
  isOwn: false,
});
const PBX = end('192.0.2.1');
const EVER = [0, 1_000_000] as const;

function sums(pairs: CallPairs): { attempts: number; answered: number } {
  const all = [pairs.othersDuring(...EVER), ...pairs.during(...EVER)];
  return {
    attempts: all.reduce((sum, { attempts }) => sum + attempts, 0),
    answered: all.reduce((sum, { answered }) => sum + answered, 0),
  };
}

test('ever new callers push out small pairs, not large ones, and the sum stays', () => {
  const pairs = new CallPairs();
  const ids: number[] = [];
  for (let i = 0; i < 5_000; i++) ids.push(pairs.open(end('203.0.113.1'), PBX, 60));
  for (let i = 0; i < 20_000; i++) ids.push(pairs.open(end(`10.${i >> 8}.${i & 255}.1`), PBX, 60 + (i % 120)));
  assert.equal([...pairs.during(...EVER)].length, MAX_CALL_PAIRS);
  for (const [i, id] of ids.entries()) if (i % 2 === 0) pairs.answered(id, 60);
  assert.deepEqual(sums(pairs), { attempts: 25_000, answered: 12_500 });
  const [carrier] = [...pairs.during(...EVER)].filter(({ from }) => from.name === '203.0.113.1');
  assert.equal(carrier?.attempts, 5_000);
});

test('a pair has so many hours, the newest, and what comes later than that is not counted', () => {
  const pairs = new CallPairs();
  const open = (hour: number): number => pairs.open(end('10.0.0.1'), PBX, hour * 60);
  for (let hour = 1_000; hour < 1_100; hour++) open(hour);
  open(1_010);
  assert.equal(sums(pairs).attempts, PAIR_HOURS);
  const [[first] = []] = [[...pairs.during(1_099, 1_100)]];
  assert.deepEqual([first?.attempts, [...pairs.during(0, 1_100 - PAIR_HOURS)].length], [1, 0]);
});

test('two pairs of one hash are two', () => {
  const pairs = new CallPairs();
  const [a, b] = [end('10.0.0.1'), { ...end('10.0.0.2'), hash: end('10.0.0.1').hash }];
  pairs.open(a, PBX, 60);
  pairs.answered(pairs.open(b, PBX, 60), 60);
  assert.deepEqual(
    [...pairs.during(...EVER)].map(({ from, attempts, answered }) => [from.name, attempts, answered]),
    [
      ['10.0.0.1', 1, 0],
      ['10.0.0.2', 1, 1],
    ],
  );
});

test('what is no pair is not counted as answered', () => {
  const pairs = new CallPairs();
  pairs.answered(NO_PAIR, 60);
  assert.deepEqual(sums(pairs), { attempts: 0, answered: 0 });
});
