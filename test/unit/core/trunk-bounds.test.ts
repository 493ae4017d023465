/** Bounds of trunks, as the configuration writes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTrunkBound, TRUNK_BOUNDS, USUAL_TRUNK_BOUNDS } from '../../../src/core/trunk-bounds.ts';

test('a bound has two ends, or is off', () => {
  assert.deepEqual(readTrunkBound('ner', '30..60'), { ok: true, value: { bad: 30, good: 60 } });
  assert.deepEqual(readTrunkBound('pdd', '4.5..4.5'), { ok: true, value: { bad: 4.5, good: 4.5 } });
  assert.deepEqual(readTrunkBound('mos', 'off'), { ok: true, value: null });
});

test('what is no bound says why', () => {
  const reasonOf = (name: 'ner' | 'pdd', text: string): string => {
    const read = readTrunkBound(name, text);
    return read.ok ? '' : read.reason;
  };
  for (const text of ['', '30', '30..', '30-60', '-1..5', '203.0.113.1'])
    assert.equal(reasonOf('ner', text), 'it is not BAD..GOOD, and not off', text);
  assert.equal(reasonOf('ner', '30..101'), 'both ends must lie between 0 and 100');
  assert.match(reasonOf('ner', '60..30'), /^the second end must not be lower than the first/);
  assert.match(reasonOf('pdd', '5..10'), /^the second end must not be higher than the first/);
});

test('what is usual can be read', () => {
  for (const [name, { usual }] of Object.entries(TRUNK_BOUNDS)) {
    const bound = USUAL_TRUNK_BOUNDS[name as keyof typeof TRUNK_BOUNDS];
    assert.equal(bound && `${bound.bad}..${bound.good}`, usual);
  }
});
