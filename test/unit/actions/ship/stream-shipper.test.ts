/** When streams without a call have rows: after thirty seconds of silence, every five minutes, at the end; none beside a call's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../../fixtures/build/basic-call.ts';
import { SHIP_ORPHANS, SHIP_ORPHANS_GONE } from '../../../../src/actions/ship/stream-shipper.ts';
import { ORIGINS } from '../../../../src/core/words.ts';

import { ELSEWHERE, ShippedStreams } from './shipped-streams.ts';

test('a stream that ends has one row when it has been silent for thirty seconds, and another when it continues', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  const place = kit.open();
  kit.heard(place, 500, 10);
  await kit.seconds(10, 30);
  assert.equal(kit.rows.length, 0);
  await kit.seconds(40, 300);
  assert.deepEqual(kit.packets, [500]);
  assert.deepEqual([kit.rows[0]?.number, kit.rows[0]?.stream], [0, 1]);
  kit.heard(place, 700, 320);
  await kit.seconds(310, 700);
  assert.deepEqual(kit.packets.slice(-1), [700]);
  const { length } = kit.rows;
  await kit.seconds(710, 2_000);
  assert.equal(kit.rows.length, length, 'nothing new makes no row');
});

test('a stream that goes on has a row every five minutes, each of which replaces the last', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  const place = kit.open();
  for (let sec = 10; sec <= 920; sec += 10) {
    kit.heard(place, sec * 50, sec);
    await kit.at(sec);
  }
  assert.deepEqual(kit.packets, [15_000, 30_000, 45_000]);
  assert.deepEqual(
    kit.rows.map(({ version }) => version),
    [1, 2, 3],
  );
  await kit.shipper.finish(() => Promise.resolve());
  assert.deepEqual(kit.packets.slice(-1), [46_000]);
});

test('a row is taken back when a call claims the stream, and comes no more when the call has gone', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  const place = kit.open(ALICE.rtp, BOB.rtp);
  kit.heard(place, 500, -1);
  await kit.seconds(10, 40);
  assert.deepEqual(kit.packets, [500]);
  kit.call();
  assert.ok(kit.streams.store.shown(place, 1)?.dialog, 'the call has it');
  await kit.seconds(50, 70);
  assert.deepEqual(kit.packets, [500, undefined]);
  assert.deepEqual(
    [kit.rows[1]?.number, kit.rows[1]?.stream, kit.rows[1]?.version],
    [0, 1, 2],
    'under the key of the first',
  );
  kit.callGone();
  kit.heard(place, 900, 75);
  await kit.seconds(80, 1_000);
  await kit.shipper.finish(() => Promise.resolve());
  assert.equal(kit.rows.length, 2);
});

test('a stream of a call has no row here, also after the call has gone', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  kit.call();
  kit.open(ALICE.rtp, BOB.rtp, 1);
  await kit.seconds(10, 60);
  kit.callGone();
  await kit.seconds(70, 1_000);
  await kit.shipper.finish(() => Promise.resolve());
  assert.equal(kit.rows.length, 0);
});

test('a row is taken back too where the call and the stream go before it was looked at', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  const place = kit.open(ALICE.rtp, BOB.rtp, -1);
  await kit.seconds(10, 40);
  kit.call();
  kit.evict(place, false);
  assert.deepEqual(kit.packets, [1, undefined]);
});

test('what leaves the memory has its row before, or is counted', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  const [early, late, told, changed] = [kit.open(), kit.open(), kit.open(), kit.open()];
  for (const place of [told, changed]) kit.heard(place, 50, -30);
  for (const place of [early, late]) kit.heard(place, 7, 25);
  await kit.seconds(10, 30);
  assert.deepEqual(kit.packets, [50, 50]);
  kit.evict(early, false);
  assert.deepEqual(kit.packets, [50, 50, 7]);
  kit.evict(late, true);
  kit.evict(told, false);
  kit.heard(changed, 60, 31);
  kit.evict(changed, true);
  assert.equal(kit.rows.length, 3);
  const { counters } = kit.shipper;
  assert.deepEqual([counters.get('streams_skipped'), counters.get('streams_stale')], [1, 1]);
});

test('a flood of streams gets so many rows a look, and so many a second when they go; the rest are counted', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  const places = Array.from({ length: SHIP_ORPHANS + 300 }, (_, n) =>
    kit.open({ ...ELSEWHERE, port: n + 1 }, ELSEWHERE, -1),
  );
  await kit.at(30);
  assert.equal(kit.rows.length, SHIP_ORPHANS);
  for (const place of places) kit.evict(place, false);
  assert.equal(kit.rows.length, SHIP_ORPHANS + SHIP_ORPHANS_GONE);
  assert.equal(kit.shipper.counters.get('streams_skipped'), 300 - SHIP_ORPHANS_GONE);
  assert.equal(new Set(kit.rows.map(({ stream }) => stream)).size, kit.rows.length, 'no stream twice');
});

test('the streams that one look has no room for come with the next', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  for (let n = 0; n < SHIP_ORPHANS + 300; n++) kit.open({ ...ELSEWHERE, port: n + 1 }, ELSEWHERE, -1);
  await kit.seconds(30, 60);
  assert.equal(kit.rows.length, SHIP_ORPHANS + 300);
});

test('what a probe read, and what cannot be of this time, has no row and is counted once', async () => {
  const kit = new ShippedStreams();
  await kit.at(0);
  kit.open(ELSEWHERE, ELSEWHERE, 0, ORIGINS.indexOf('uprobe'));
  kit.open(ELSEWHERE, ELSEWHERE, -500 * 86_400);
  await kit.seconds(10, 1_000);
  await kit.shipper.finish(() => Promise.resolve());
  assert.equal(kit.rows.length, 0);
  const { counters } = kit.shipper;
  assert.deepEqual([counters.get('streams_from_uprobe'), counters.get('streams_out_of_time')], [1, 1]);
  const open = new ShippedStreams(true);
  await open.at(0);
  open.open(ELSEWHERE, ELSEWHERE, -1, ORIGINS.indexOf('uprobe'));
  await open.seconds(10, 40);
  assert.equal(open.rows.length, 1);
});
