/** The time of a live capture: the wall's, less what was read late. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveClock } from '../../../src/ingest/live-clock.ts';

const SEC = 1e6;

test('with nothing late it is the clock on the wall', () => {
  const clock = new LiveClock(SEC);
  assert.deepEqual(
    [10, 11, 12].map((sec) => clock.at(sec * SEC)),
    [10 * SEC, 11 * SEC, 12 * SEC],
  );
});

test('what was read late holds it back until it is read in time again, and it never falls', () => {
  const clock = new LiveClock(SEC);
  clock.at(10 * SEC);
  clock.onRead(7 * SEC, 10 * SEC);
  clock.onRead(8 * SEC, 10 * SEC);
  assert.equal(clock.at(11 * SEC), 10 * SEC, 'no further back');
  assert.equal(clock.at(12 * SEC), 10 * SEC);
  assert.equal(clock.at(13 * SEC), 13 * SEC);
  clock.onRead(12 * SEC, 13 * SEC);
  assert.equal(clock.at(14 * SEC), 13 * SEC);
});

test('an event loop that stood still has not read what came meanwhile', () => {
  const clock = new LiveClock(SEC);
  clock.at(10 * SEC);
  // Five seconds late: what came is read behind this question.
  assert.equal(clock.at(16 * SEC), 11 * SEC);
  clock.onRead(11 * SEC, 16 * SEC);
  assert.deepEqual(
    [17, 18, 19].map((sec) => clock.at(sec * SEC)),
    [12 * SEC, 13 * SEC, 19 * SEC],
  );
});
