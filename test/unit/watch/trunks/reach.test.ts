/** When a trunk is down, since when, and when it is back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USUAL_TRUNK_BOUNDS } from '../../../../src/core/trunk-bounds.ts';
import { Reach } from '../../../../src/watch/trunks/reach.ts';
import { TrunkRow } from '../../../../src/watch/trunks/trunk-row.ts';

const SEC = 1e6;

test('three without any answer are too many, after a moment for the third', () => {
  const reach = new Reach(3);
  assert.ok(!reach.isDown(100 * SEC));
  for (const at of [10, 20, 30]) reach.asked(at * SEC);
  assert.ok(!reach.isDown(31 * SEC));
  assert.ok(reach.isDown(32 * SEC));
  assert.equal(reach.downUs, 10 * SEC);
  reach.answered(45 * SEC);
  assert.ok(!reach.isDown(100 * SEC));
  assert.deepEqual(reach.lastOutage, { fromUs: 10 * SEC, toUs: 45 * SEC });
  assert.equal(reach.outages, 1);
  assert.equal(reach.upUs, 45 * SEC);
});

test('one answer to whichever request is enough, and no outage', () => {
  const reach = new Reach(3);
  for (let at = 0; at < 100; at++) {
    reach.asked(at * SEC);
    if (at % 3 === 2) reach.answered((at + 1.5) * SEC);
  }
  assert.equal(reach.outages, 0);
  assert.equal(reach.upUs, 3.5 * SEC);
});

test('without OPTIONS ten INVITEs decide; of a trunk that answers OPTIONS they say that it refuses', () => {
  const row = new TrunkRow(1, 'acme', 'out', true, 3, USUAL_TRUNK_BOUNDS);
  assert.equal(row.stateAt(0).state, 'unknown');
  for (let at = 0; at < 10; at++) row.invites.asked(at * SEC);
  assert.equal(row.stateAt(10 * SEC).state, 'unknown');
  assert.deepEqual(row.stateAt(11 * SEC), { state: 'down', sinceUs: 0, isAsked: true });
  row.options.asked(12 * SEC);
  row.answeredOptions(12.1 * SEC);
  // Those were sent while it was down.
  assert.deepEqual(row.stateAt(13 * SEC), { state: 'up', sinceUs: 12.1 * SEC, isAsked: true });
  for (let at = 20; at < 30; at++) row.invites.asked(at * SEC);
  assert.deepEqual(row.stateAt(32 * SEC), { state: 'refusing', sinceUs: 20 * SEC, isAsked: true });
  // OPTIONS that ended long ago say nothing.
  assert.equal(row.stateAt(5000 * SEC).state, 'down');
  row.invites.answered(5001 * SEC);
  assert.equal(row.stateAt(5002 * SEC).state, 'up');
});

test('what was down when it was asked last stays down, until something answers', () => {
  const row = new TrunkRow(1, 'acme', 'out', true, 3, USUAL_TRUNK_BOUNDS);
  row.invites.asked(0);
  row.invites.answered(SEC);
  for (const at of [10, 20, 30]) row.options.asked(at * SEC);
  assert.deepEqual(row.stateAt(40 * SEC), { state: 'down', sinceUs: 10 * SEC, isAsked: true });
  // It answered an INVITE before that: no news.
  for (const at of [700, 90_000])
    assert.deepEqual(row.stateAt(at * SEC), { state: 'down', sinceUs: 10 * SEC, isAsked: false });
  row.invites.asked(90_001 * SEC);
  assert.equal(row.stateAt(90_001 * SEC).state, 'down');
  row.invites.answered(90_002 * SEC);
  assert.equal(row.stateAt(90_003 * SEC).state, 'up');
});

test('INVITEs that are no longer sent leave a trunk down too', () => {
  const row = new TrunkRow(1, 'acme', 'out', true, 3, USUAL_TRUNK_BOUNDS);
  for (let at = 0; at < 10; at++) row.invites.asked(at * SEC);
  assert.deepEqual(row.stateAt(7_200 * SEC), { state: 'down', sinceUs: 0, isAsked: false });
});
