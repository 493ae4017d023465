/** Pairs of who calls whom: bounded whoever calls, and no call goes missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PairEnd } from '../../../../src/watch/overview/call-pairs.ts';
import { CallPairs, MAX_CALL_PAIRS, NO_PAIR, PAIR_HOURS } from '../../../../src/watch/overview/call-pairs.ts';

const end = (name: string): PairEnd => ({ name, isTrunk: false, isOwn: false });
const PBX: PairEnd = { name: '192.0.2.1', isTrunk: false, isOwn: true };

function sums(pairs: CallPairs): { attempts: number; answered: number } {
  const sum = { attempts: 0, answered: 0 };
  for (const hours of [pairs.others, ...[...pairs.all].map((pair) => pair.hours)])
    for (const { attempts, answered } of hours.values()) {
      sum.attempts += attempts;
      sum.answered += answered;
    }
  return sum;
}

test('ever new callers push out small pairs, not large ones, and the sum stays', () => {
  const pairs = new CallPairs();
  const ids: number[] = [];
  for (let i = 0; i < 5_000; i++) ids.push(pairs.open(end('203.0.113.1'), PBX, 60));
  for (let i = 0; i < 20_000; i++) ids.push(pairs.open(end(`10.${i >> 8}.${i & 255}.1`), PBX, 60 + (i % 120)));
  assert.ok([...pairs.all].length <= MAX_CALL_PAIRS);
  for (const [i, id] of ids.entries()) if (i % 2 === 0) pairs.answered(id, 60);
  assert.deepEqual(sums(pairs), { attempts: 25_000, answered: 12_500 });
  const [carrier] = [...pairs.all].filter(({ from }) => from.name === '203.0.113.1');
  assert.equal(carrier?.attempts, 5_000);
});

test('a pair has so many hours, the newest', () => {
  const pairs = new CallPairs();
  for (let hour = 0; hour < 100; hour++) pairs.open(end('10.0.0.1'), PBX, hour * 60);
  const [pair] = pairs.all;
  assert.equal(pair?.hours.size, PAIR_HOURS);
  assert.equal(Math.min(...(pair?.hours.keys() ?? [])), 100 - PAIR_HOURS);
});

test('what is no pair is not counted as answered', () => {
  const pairs = new CallPairs();
  pairs.answered(NO_PAIR, 60);
  assert.deepEqual(sums(pairs), { attempts: 0, answered: 0 });
});
