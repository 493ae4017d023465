/** Equality is that of the digits written: what a column shows of a number finds it, and nothing that it shows otherwise. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NumberRange, Units } from '../../../src/query/value.ts';
import { IN_MS, IN_SEC, isInRange, readNumber } from '../../../src/query/value.ts';

function equalTo(text: string, units: Units = {}): NumberRange {
  const open = { isExpression: false, isOpenStart: false, isOpenEnd: false, isTextAlone: false };
  const value = { text, ...open, start: 0, end: text.length };
  const read = readNumber(value, '=', units);
  assert.ok(read.ok, text);
  return read.value;
}

test('a number is found by its digits, and by those of no neighbour', () => {
  // 0.25 is shown as 0.3, and 4.405 as 4.41: halves lie in one of the two.
  for (const [n, places] of [
    [0.25, 1],
    [4.405, 2],
    [4.415, 2],
    [1.005, 2],
    [2.5, 0],
    [0.0005, 3],
    [33.35, 1],
  ] as const) {
    const step = 10 ** -places;
    const shown = n.toFixed(places);
    assert.ok(isInRange(equalTo(shown), n), `${shown} finds ${n}`);
    for (const other of [Number(shown) - step, Number(shown) + step])
      assert.ok(!isInRange(equalTo(Math.max(0, other).toFixed(places)), n) || other < 0, `${other} does not find ${n}`);
  }
});

test('every number with four places is found by what any column shows of it', () => {
  for (let i = 0; i < 50_000; i += 7)
    for (const places of [0, 1, 2, 3]) assert.ok(isInRange(equalTo((i / 1e4).toFixed(places)), i / 1e4), String(i));
});

test('units change nothing of it', () => {
  for (const [text, n, is] of [
    ['1.2s', 1_240, true],
    ['1.2s', 1_150, false],
    ['1.1s', 1_150, true],
    ['13s', 12_500, true],
    ['12s', 12_500, false],
  ] as const)
    assert.equal(isInRange(equalTo(text, IN_MS), n), is, `${text} ${n}`);
  assert.ok(isInRange(equalTo('500ms', IN_SEC), 0.5));
  assert.ok(isInRange(equalTo('2m', IN_SEC), 149));
});
