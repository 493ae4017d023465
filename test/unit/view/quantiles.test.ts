/** Quantiles of bins lie where the values lie. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrunkQuantiles } from '../../../src/contract/index.ts';
import { trunkFigures } from '../../../src/view/ask-trunks.ts';
import { nearestRankOf } from '../../../src/view/pdd-percentiles.ts';
import { binsOfSum, quantilesOf } from '../../../src/view/quantiles.ts';
import { TrunkFigures } from '../../../src/watch/trunks/trunk-figures.ts';

const SHARES = [
  ['p05', 5],
  ['p50', 50],
  ['p95', 95],
  ['p99', 99],
] as const;

function counted(scores: readonly number[], delaysMs: readonly number[] = []): TrunkFigures {
  const f = new TrunkFigures();
  for (const mos of scores) f.noteMos(mos);
  for (const ms of delaysMs) f.notePdd(ms);
  return f;
}

/** As a hub has it: bins and sums of several agents, without the least and the greatest value. */
function stored(f: TrunkFigures): TrunkQuantiles {
  const { count, sum, zeros, bins } = f.mos ?? assert.fail();
  return quantilesOf({ count, sum, zeros }, binsOfSum(bins, sum, 1, Math.min(4.409, sum)), 2);
}

test('of one call each quantile is its figure', () => {
  const { mos, pdd_ms } = trunkFigures(counted([4.409], [13_230]));
  for (const [share] of SHARES) assert.deepEqual([mos?.[share], pdd_ms?.[share]], [4.41, 13_230], share);
  const hub = stored(counted([4.409]));
  for (const [share] of SHARES) assert.equal(hub[share], 4.41, share);
});

test('none lies beyond the least or the greatest, also after minutes became one sum', () => {
  for (const scores of [
    [1, 1.02],
    [4.41, 4.4, 4.38],
    [1, 4.41],
    [3.96, 4.41, 4.41],
  ]) {
    const sum = counted([]);
    for (const mos of scores) sum.merge(counted([mos], [mos * 1000]));
    const { mos, pdd_ms } = trunkFigures(sum);
    for (const [share] of SHARES) {
      const [low, high] = [Math.min(...scores), Math.max(...scores)];
      assert.ok((mos?.[share] ?? 0) >= low && (mos?.[share] ?? 9) <= high, `${share} of ${scores}: ${mos?.[share]}`);
      assert.ok((pdd_ms?.[share] ?? 0) >= low * 1000 && (pdd_ms?.[share] ?? 9e9) <= high * 1000, share);
    }
  }
});

test('they are of nearest rank and right to 1 %, at a hub to 2 %', () => {
  const scores = Array.from({ length: 999 }, (_, i) => 1 + ((i * 37) % 341) / 100).sort((a, b) => a - b);
  const f = counted(scores);
  for (const [found, error] of [
    [trunkFigures(f).mos, 0.0115],
    [stored(f), 0.02],
  ] as const)
    for (const [share, percent] of SHARES) {
      const exact = scores[nearestRankOf(scores.length, percent) - 1] ?? Number.NaN;
      assert.ok(Math.abs((found?.[share] ?? 0) / exact - 1) <= error, `${share}: ${found?.[share]}, exactly ${exact}`);
    }
});

test('where most calls have one score, a hub shows it', () => {
  const scores = [...Array<number>(980).fill(4.409), ...Array<number>(20).fill(2.7)];
  const { p05, p50, p95 } = stored(counted(scores));
  assert.deepEqual([p05, p50, p95], [4.41, 4.41, 4.41]);
});

test('what a stranger wrote into the store gives numbers, not an error', () => {
  for (const bins of [[[1e6, 3]], [[-1e6, 3]], [], [[3, 1e15]]] as const)
    for (const sum of [0, 1e300, -5])
      for (const value of Object.values(quantilesOf({ count: 3, sum, zeros: 1 }, binsOfSum(bins, sum, 0, sum), 0)))
        assert.ok(Number.isFinite(value), `${bins} ${sum}`);
});
