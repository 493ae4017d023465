/** Burst and gap metrics hold for every loss pattern: the window and a count the slow way agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { finishBurstGap } from '../../src/protocols/rtp/burst-gap.ts';
import { mosOfR, rFactor } from '../../src/protocols/rtp/emodel.ts';
import { burstStateOf } from '../helpers/loss-pattern.ts';

const pattern = fc.array(fc.boolean(), { maxLength: 600 }).map((middle) => [true, ...middle, true]);
const sparse = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 40 })), { maxLength: 30 })
  .map((runs) => [
    true,
    ...runs.flatMap(([lost, got]) => [...Array<boolean>(lost).fill(false), ...Array<boolean>(got).fill(true)]),
  ]);

/** Section 4.7.2 word by word: clusters of losses with fewer than 16 received between. */
function byDefinition(received: readonly boolean[]): { bursts: [number, number, number][]; alone: number } {
  const lost = received.flatMap((r, i) => (r ? [] : [i]));
  const bursts: [number, number, number][] = [];
  let alone = 0;
  for (let i = 0; i < lost.length; ) {
    let j = i;
    while (j + 1 < lost.length && (lost[j + 1] ?? 0) - (lost[j] ?? 0) - 1 < 16) j++;
    if (i === j) alone++;
    else bursts.push([lost[i] ?? 0, lost[j] ?? 0, j - i + 1]);
    i = j + 1;
  }
  return { bursts, alone };
}

test('the finished figures are those of the definition, wherever the bitmap begins', () => {
  fc.assert(
    fc.property(fc.oneof(pattern, sparse), fc.integer({ min: 65_536, max: 4_000_000_000 }), (received, base) => {
      const { bursts, alone } = byDefinition(received);
      const got = finishBurstGap(burstStateOf(received, base), 20);
      if (bursts.length === 0 && alone === 0) return assert.equal(got, null);
      assert.ok(got !== null);
      const inBursts = bursts.reduce((n, [a, b]) => n + b - a + 1, 0);
      const lostInBursts = bursts.reduce((n, [, , lost]) => n + lost, 0);
      assert.equal(got.burstCount, bursts.length);
      assert.ok(Math.abs(got.burstDurationMs * Math.max(1, bursts.length) - inBursts * 20) < 1e-6);
      assert.ok(Math.abs((got.burstLossPct * inBursts) / 100 - lostInBursts) < 1e-6);
      assert.ok(Math.abs((got.gapLossPct * (received.length - inBursts)) / 100 - alone) < 1e-6);
      return undefined;
    }),
    { numRuns: 1000 },
  );
});

test('R falls with loss, with burstiness and with delay, and MOS stays within 1 and 4.5', () => {
  const codec = fc.record({ ie: fc.integer({ min: 0, max: 50 }), bpl: fc.double({ min: 1, max: 40, noNaN: true }) });
  const pct = fc.double({ min: 0, max: 100, noNaN: true });
  const ratio = fc.double({ min: 1, max: 20, noNaN: true });
  const ms = fc.double({ min: 0, max: 2000, noNaN: true });
  fc.assert(
    fc.property(codec, pct, pct, ratio, ratio, ms, ms, (c, lossA, lossB, burstA, burstB, delayA, delayB) => {
      const r = (loss: number, burst: number, delay: number): number => rFactor(c, loss, burst, delay) ?? -1;
      const base = r(Math.min(lossA, lossB), Math.min(burstA, burstB), Math.min(delayA, delayB));
      const worse = r(Math.max(lossA, lossB), Math.max(burstA, burstB), Math.max(delayA, delayB));
      assert.ok(worse <= base + 1e-9);
      for (const x of [base, worse]) {
        assert.ok(x >= 0 && x <= 100);
        assert.ok(mosOfR(x) >= 1 && mosOfR(x) <= 4.5);
      }
    }),
    { numRuns: 1000 },
  );
});
