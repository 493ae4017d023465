/** The request budget of a source: exact in any second, bounded in memory, and that sources do not share. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_RATE_WINDOW_MS, SourceBudget } from '../../../../src/serve/http/source-budget.ts';

function budget(max: number, sources: number) {
  const clock = { nowMs: 5_000 };
  const b = new SourceBudget(max, sources, () => clock.nowMs);
  /** Asks and is answered at once. */
  const ask = (address = '192.0.2.1'): boolean => {
    const verdict = b.take(address);
    if (typeof verdict !== 'object') return false;
    verdict.answered();
    return true;
  };
  return { clock, budget: b, ask };
}

test('the budget of one second, and a new one after it', () => {
  const { clock, ask } = budget(3, 10);
  assert.deepEqual([ask(), ask(), ask(), ask(), ask()], [true, true, true, false, false]);
  clock.nowMs += API_RATE_WINDOW_MS - 1;
  assert.equal(ask(), false);
  clock.nowMs += 1;
  assert.deepEqual([ask(), ask(), ask(), ask()], [true, true, true, false]);
});

test('however requests and answers lie, no second holds more answers than the budget', () => {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 20; round++) {
    const { clock, budget: b } = budget(100, 10);
    const waiting: { readonly dueMs: number; answered(): void }[] = [];
    const sentMs: number[] = [];
    for (const endMs = clock.nowMs + 5_000; clock.nowMs < endMs; clock.nowMs += random() * 4) {
      for (let i = waiting.length; i-- > 0; ) {
        const late = waiting[i];
        if (late === undefined || late.dueMs > clock.nowMs) continue;
        waiting.splice(i, 1);
        sentMs.push(clock.nowMs);
        late.answered();
      }
      const pause = random() < 0.01 ? 800 : 0;
      clock.nowMs += pause;
      for (let i = random() * 8; i > 0; i--) {
        const verdict = b.take('192.0.2.1');
        if (typeof verdict === 'object') waiting.push({ ...verdict, dueMs: clock.nowMs + random() ** 4 * 900 });
      }
    }
    sentMs.forEach((ms, i) => {
      const hundredth = sentMs[i + 100] ?? Number.POSITIVE_INFINITY;
      assert.ok(hundredth - ms >= 1_000, `101 answers in ${hundredth - ms} ms`);
    });
    assert.ok(sentMs.length > 200, `${sentMs.length} answers in five seconds`);
  }
});

test('a client that never stops asking is answered at the full rate all the while', () => {
  const { clock, ask } = budget(100, 10);
  let answers = 0;
  for (let i = 0; i < 10 * API_RATE_WINDOW_MS; i++) {
    clock.nowMs += 1;
    for (let again = 0; again < 3; again++) if (ask()) answers++;
  }
  assert.ok(answers >= 999 && answers <= 1_000, `${answers}`);
});

test('sources do not share', () => {
  const { ask } = budget(1, 10);
  assert.deepEqual(
    ['a', 'b', 'a', 'b', 'c'].map((source) => ask(source)),
    [true, true, false, false, true],
  );
});

test('no source gets a new budget by the number of others; those too many share one', () => {
  const { clock, budget: b, ask } = budget(2, 100);
  assert.deepEqual([ask('a'), ask('a'), ask('a')], [true, true, false]);
  let crowd = 0;
  for (let i = 0; i < 10_000; i++) {
    clock.nowMs += 0.01;
    if (ask(`source-${i}`) && i >= 99) crowd++;
    assert.ok(b.sources <= 100);
  }
  assert.equal(ask('a'), false);
  assert.equal(crowd, 2);
  assert.equal(b.crowded, 9_901);
  clock.nowMs += API_RATE_WINDOW_MS;
  assert.ok(ask('a'));
  assert.ok(ask('somebody else'), 'there is room again');
});

test('what is over is dropped as others come', () => {
  const { clock, budget: b, ask } = budget(1, 100);
  for (let i = 0; i < 50; i++) ask(`old-${i}`);
  clock.nowMs += API_RATE_WINDOW_MS;
  for (let i = 0; i < 25; i++) ask(`new-${i}`);
  assert.equal(b.sources, 25);
  assert.equal(b.crowded, 0);
});

test('one whose answer takes long does not keep those behind it from being forgotten', () => {
  const { clock, budget: b, ask } = budget(1, 100);
  assert.equal(typeof b.take('slow'), 'object');
  for (let i = 0; i < 50; i++) ask(`old-${i}`);
  clock.nowMs += 60_000;
  for (let i = 0; i < 60; i++) ask(`new-${i}`);
  assert.equal(b.sources, 61);
  assert.equal(ask('slow'), false, 'it is still being answered');
});

test('ten times the budget is a flood, until its second is over', () => {
  const { clock, budget: b, ask } = budget(3, 10);
  for (let i = 0; i < 3; i++) assert.ok(ask('a'));
  const verdicts = Array.from({ length: 32 }, () => b.take('a'));
  assert.equal(verdicts.indexOf('flooding'), 30);
  assert.ok(b.isFlooding('a'));
  assert.ok(!b.isFlooding('b'));
  clock.nowMs += API_RATE_WINDOW_MS;
  assert.ok(!b.isFlooding('a'));
  assert.ok(ask('a'));
});
