/** When a trunk refuses calls, and when it takes them again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentCalls } from '../../../../src/watch/trunks/recent-calls.ts';

const SEC = 1e6;
const BOUND = { bad: 30, good: 60 };
const FAR = '203.0.113.1';

/** A call a second, ended by these codes. */
function ended(codes: readonly number[], calls = new RecentCalls(BOUND), fromSec = 0, everySec = 1): RecentCalls {
  for (const [i, code] of codes.entries()) calls.note(fromSec + i, code, 0, FAR, (fromSec + i * everySec) * SEC);
  return calls;
}
const times = (n: number, ...codes: readonly number[]): number[] => Array.from({ length: n }, () => codes).flat();

test('twenty refused calls are a trouble since the first of them; nineteen are none', () => {
  assert.ok(!ended(times(19, 503)).isRefusing);
  const calls = ended(times(20, 503));
  assert.equal(calls.sinceUs, 0);
  assert.equal(calls.nerPct, 0);
  assert.deepEqual(calls.refusal, { code: 503, address: FAR });
});

test('busy, no answer and declined are no refusals', () => {
  for (const code of [486, 480, 487, 600, 603, 200]) assert.ok(!ended(times(100, code)).isRefusing, String(code));
});

test('30 % that get through are enough, and less are not', () => {
  assert.ok(!ended([...times(6, 200), ...times(14, 503)]).isRefusing);
  assert.ok(ended([...times(5, 200), ...times(15, 503)]).isRefusing);
});

test('between the bounds nothing changes: half of the calls refused begin no trouble and end none', () => {
  assert.ok(!ended(times(100, 503, 200)).isRefusing);
  const calls = ended(times(20, 503));
  ended(times(100, 503, 200), calls, 20);
  assert.ok(calls.isRefusing);
  assert.equal(calls.sinceUs, 0);
  ended(times(5, 200), calls, 300);
  assert.ok(!calls.isRefusing);
});

test('few calls begin no trouble, however they end, and without calls none ends', () => {
  // One every sixteen seconds: twenty of them take more than five minutes.
  assert.ok(!ended(times(200, 503), new RecentCalls(BOUND), 0, 16).isRefusing);
  const calls = ended(times(20, 503));
  calls.note(99, 200, 0, FAR, 86_400 * SEC);
  assert.ok(calls.isRefusing);
});

test('a later final response of the same call replaces the first one, and counts once', () => {
  const calls = new RecentCalls(BOUND);
  for (let n = 0; n < 20; n++) {
    calls.note(n, 503, 0, FAR, n * SEC);
    calls.note(n, 200, 503, FAR, n * SEC + 1);
  }
  assert.ok(!calls.isRefusing);
  assert.equal(calls.nerPct, 100);
  assert.equal(calls.size, 20);
  // Of a call that was pushed out long ago.
  calls.note(1_000, 503, 200, FAR, 30 * SEC);
  assert.equal(calls.nerPct, 100);
});

test('whoever refuses most is named', () => {
  const calls = new RecentCalls(BOUND);
  for (let n = 0; n < 20; n++) calls.note(n, n % 3 === 0 ? 404 : 503, 0, n % 3 === 0 ? '203.0.113.9' : FAR, n * SEC);
  assert.deepEqual(calls.refusal, { code: 503, address: FAR });
});
