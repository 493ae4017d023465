/** Windows and streams are scored, or not, by the rules for codecs and packet floors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimedCounts } from '../../../../src/protocols/rtp/quality.ts';
import {
  lossPct,
  oneWayDelayMs,
  packetFloor,
  scoreStream,
  scoreWindow,
} from '../../../../src/protocols/rtp/quality.ts';

const G711 = { ie: 0, bpl: 25.1 };
const BARE = { ie: 0, bpl: 4.3 };
const G729 = { ie: 11, bpl: 19 };
const counts = (expected: number, lost: number, over: Partial<TimedCounts> = {}): TimedCounts => ({
  packets: expected - lost,
  expected,
  lost,
  duplicates: 0,
  discarded: 0,
  lossRuns: lost,
  lengthUs: 5_000_000,
  tsStep: 160,
  ...over,
});
const mos = (w: TimedCounts, codec = G711): number => {
  const s = scoreWindow(w, codec, 50, 0);
  return s === null || s.verdict === 'not_scorable' ? NaN : s.mos;
};

test('the cases of the quality truth table', () => {
  const rows: [string, number, number][] = [
    ['clean', mos(counts(1500, 0)), 4.41],
    ['0.8 % with concealment', mos(counts(1500, 12)), 4.35],
    ['4.4 % with concealment', mos(counts(1500, 66)), 3.99],
    ['4.4 % without', mos(counts(1500, 66), BARE), 2.32],
    ['9.1 % with concealment', mos(counts(1500, 136)), 3.5],
    ['G.729 clean', mos(counts(1500, 0), G729), 4.1],
    ['G.729 5.4 %', mos(counts(1500, 81), G729), 3.28],
  ];
  for (const [what, got, want] of rows) assert.ok(Math.abs(got - want) <= 0.01, `${what}: ${got}, want ${want}`);
});

test('discards weigh like loss, and losses in runs more than scattered ones', () => {
  assert.equal(mos(counts(1500, 0, { discarded: 75 })), mos(counts(1500, 75)));
  assert.ok(mos(counts(1500, 75, { lossRuns: 15 })) < mos(counts(1500, 75)));
});

test('a late packet that the window before counted as lost weighs once', () => {
  // 250 expected; one packet of the window before came late as well: 13 late ones, of which 12 are of this window.
  assert.equal(mos(counts(250, 0, { packets: 251, discarded: 13 })), mos(counts(250, 0, { discarded: 12 })));
  // A duplicate is no such packet.
  assert.equal(
    mos(counts(250, 0, { packets: 251, duplicates: 1, discarded: 13 })),
    mos(counts(250, 0, { discarded: 13 })),
  );
});

test('more lost and discarded than expected is all of it', () => {
  const s = scoreWindow(counts(100, 80, { packets: 90, discarded: 60 }), G711, 50, 0);
  assert.ok(s !== null && s.verdict === 'degraded' && s.mos >= 1);
  assert.equal(lossPct(5, 0), 0);
  assert.equal(lossPct(5, 4), 100);
});

test('acceptable from R 70', () => {
  assert.equal(scoreWindow(counts(1000, 81), G711, 50, 0)?.verdict, 'acceptable');
  assert.equal(scoreWindow(counts(1000, 82), G711, 50, 0)?.verdict, 'degraded');
});

test('a window in which few packets were expected has no score, whatever came; the floor follows the window', () => {
  assert.equal(packetFloor(5), 50);
  assert.equal(packetFloor(60), 50);
  assert.equal(packetFloor(2), 20);
  assert.equal(packetFloor(1), 10);
  assert.equal(packetFloor(0.1), 10);
  assert.equal(scoreWindow(counts(49, 0), G711, 50, 0), null);
  assert.equal(scoreWindow(counts(49, 0), null, 50, 0), null);
  assert.notEqual(scoreWindow(counts(50, 0), G711, 50, 0), null);
  assert.equal(scoreWindow(counts(49, 0, { packets: 98, duplicates: 0 }), G711, 50, 0), null);
  const nothing = scoreWindow(counts(50, 50, { lossRuns: 1 }), G711, 50, 0);
  assert.ok(nothing?.verdict === 'degraded' && nothing.mos < 1.2);
});

test('a mirror port that shows every packet twice makes neither a score nor weight', () => {
  const once = counts(40, 2);
  const twice = counts(40, 2, { packets: 2 * once.packets, duplicates: once.packets });
  assert.equal(scoreWindow(twice, G711, 50, 0), null);
  const clean = counts(100, 0);
  const lossy = counts(100, 5);
  const mirrored = counts(100, 5, { packets: 2 * lossy.packets, duplicates: lossy.packets });
  assert.deepEqual(scoreStream([clean, mirrored], G711, 50, 0, 8000), scoreStream([clean, lossy], G711, 50, 0, 8000));
});

test('not scorable: no published value, or loss with no published robustness', () => {
  assert.deepEqual(scoreWindow(counts(250, 0), null, 50, 0), { verdict: 'not_scorable' });
  assert.deepEqual(scoreWindow(counts(250, 1), { ie: 20, bpl: null }, 50, 0), { verdict: 'not_scorable' });
  assert.equal(scoreWindow(counts(250, 0), { ie: 20, bpl: null }, 50, 0)?.verdict, 'acceptable');
});

test('a stream is not scored by its lossless windows alone where loss has no published effect', () => {
  const gsm = { ie: 20, bpl: null };
  const clean = counts(250, 0);
  assert.notEqual(scoreStream([clean, counts(20, 5)], gsm, 50, 0, 8000), null, 'a window of few packets says nothing');
  assert.equal(scoreStream([clean, counts(250, 5), clean], gsm, 50, 0, 8000), null);
});

test('a stream scores by the mean of R weighted by expected time, not of MOS and not by what came', () => {
  const good = counts(250, 0);
  const bad = counts(125, 100);
  const s = scoreStream([good, bad], G711, 50, 0, 8000);
  assert.ok(s !== null);
  const rBad = scoreWindow(bad, G711, 50, 0);
  assert.ok(rBad !== null && rBad.verdict === 'degraded');
  assert.ok(Math.abs(s.rFactor - (93.2 * 250 + rBad.rFactor * 125) / 375) < 1e-9);
  assert.equal(s.worstMos, rBad.mos);
  assert.equal(scoreStream([counts(10, 0)], G711, 50, 0, 8000), null);
  assert.equal(scoreStream([good], null, 50, 0, 8000), null);
});

test('time is expected packets times packet time, and never more than the window', () => {
  const bad = counts(250, 200);
  const score = (w: TimedCounts): number => scoreStream([counts(250, 0), w], G711, 50, 0, 8000)?.rFactor ?? 0;
  const rBad = scoreStream([bad], G711, 50, 0, 8000)?.rFactor ?? 0;
  const near = (actual: number, wanted: number): void => assert.ok(Math.abs(actual - wanted) < 1e-9, `${actual}`);
  near(score(bad), (93.2 + rBad) / 2);
  // Packets of 10 ms: half the time. A clock nobody told: 20 ms.
  near(score({ ...bad, tsStep: 80 }), (93.2 * 2 + rBad) / 3);
  near(score({ ...bad, tsStep: 0 }), (93.2 + rBad) / 2);
  // A forged jump of 2,900 within one window weighs as one window.
  const forged = counts(3150, 2900, { lossRuns: 1 });
  const rForged = scoreStream([forged], G711, 50, 0, 8000)?.rFactor ?? 0;
  near(score(forged), (93.2 + rForged) / 2);
});

test('a delay is declared, half a round trip, or none', () => {
  assert.equal(oneWayDelayMs(40, 300), 40);
  assert.equal(oneWayDelayMs(null, 300), 150);
  assert.equal(oneWayDelayMs(null, null), 0);
});
