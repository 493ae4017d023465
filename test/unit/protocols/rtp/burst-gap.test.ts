/** Burst and gap metrics follow RFC 3611 section 4.7.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishBurstGap } from '../../../../src/protocols/rtp/burst-gap.ts';
import { burstStateOf } from '../../../helpers/loss-pattern.ts';

const only = (n: number, lost: number[]): boolean[] => Array.from({ length: n }, (_, i) => !lost.includes(i));

test('nothing lost: no figures', () => {
  assert.equal(finishBurstGap(burstStateOf(only(1500, [])), 20), null);
});

test('runs of five, far apart: each a burst', () => {
  const lost = Array.from({ length: 9 }, (_, k) => [0, 1, 2, 3, 4].map((i) => 100 + k * 150 + i)).flat();
  const b = finishBurstGap(burstStateOf(only(1500, lost)), 20);
  assert.deepEqual(b, {
    burstCount: 9,
    burstDurationMs: 100,
    gapDurationMs: ((1500 - 45) / 10) * 20,
    burstLossPct: 100,
    gapLossPct: 0,
    isBursty: true,
  });
});

/** Section 4.7.2 draws a stream with losses (0) and discards (X), and says what burst and gaps are; both count as lost here. */
test('the worked example of RFC 3611', () => {
  const drawn = '11110111111111111111111X111X1011110111111111111111111X111111111';
  const b = finishBurstGap(burstStateOf([...drawn].map((c) => c === '1')), 20);
  assert.equal(b?.burstCount, 1);
  // The burst is X111X1011110: twelve packets of 20 ms, four of them lost or discarded.
  assert.equal(b?.burstDurationMs, 240);
  assert.ok(Math.abs((b?.burstLossPct ?? 0) - (4 / 12) * 100) < 1e-9);
  // Two losses stand alone in the two gaps around it.
  assert.ok(Math.abs((b?.gapLossPct ?? 0) - (2 / (drawn.length - 12)) * 100) < 1e-9);
  assert.equal(b?.gapDurationMs, ((drawn.length - 12) / 2) * 20);
});

test('fifteen received between two losses join them, sixteen part them', () => {
  const joined = finishBurstGap(burstStateOf(only(1000, [500, 516])), 20);
  assert.equal(joined?.burstCount, 1);
  assert.equal(joined?.burstDurationMs, 17 * 20);
  assert.ok(Math.abs((joined?.burstLossPct ?? 0) - (2 / 17) * 100) < 1e-9);
  const parted = finishBurstGap(burstStateOf(only(1000, [500, 517])), 20);
  assert.equal(parted?.burstCount, 0);
  assert.equal(parted?.burstDurationMs, 0);
  assert.equal(parted?.gapDurationMs, 20_000);
  assert.ok(Math.abs((parted?.gapLossPct ?? 0) - 0.2) < 1e-9);
  assert.equal(parted?.isBursty, false);
});

test('losses still in the bitmap at the end of the stream count', () => {
  const b = finishBurstGap(burstStateOf(only(300, [290, 291, 292])), 20);
  assert.equal(b?.burstCount, 1);
  assert.equal(b?.burstDurationMs, 60);
  assert.equal(b?.isBursty, true);
});

test('a short stream: the bitmap reaches before its start', () => {
  const b = finishBurstGap(burstStateOf(only(5, [2])), 20);
  assert.equal(b?.burstCount, 0);
  assert.equal(b?.gapLossPct, 20);
});

test('random loss is not bursty although some of it falls close together', () => {
  let seed = 7;
  const received = Array.from({ length: 6000 }, (_, i) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return i === 0 || i === 5999 || seed / 2147483648 > 0.05;
  });
  const b = finishBurstGap(burstStateOf(received), 20);
  assert.ok(b !== null && b.burstCount > 5);
  assert.equal(b.isBursty, false);
});

test('a run that was not expected is none, and what is lost elsewhere stays', () => {
  const run = (from: number, n: number): number[] => Array.from({ length: n }, (_, i) => from + i);
  const burst = run(1200, 5);
  const alone = finishBurstGap(burstStateOf(only(1500 - 600, [600, 601, 602, 603, 604])), 20);
  // Six hundred more are missing, amid the stream or at its end, where the bitmap still holds them.
  for (const more of [run(200, 600), [...run(200, 500), ...run(1390, 100)]]) {
    const gaps = more.length === 600 && more.includes(799) ? 1 : 2;
    const b = finishBurstGap(burstStateOf(only(1500, [...more, ...burst])), 20, { lost: 600, gaps });
    assert.deepEqual(b, alone);
    assert.equal(finishBurstGap(burstStateOf(only(1500, more)), 20, { lost: 600, gaps }), null);
  }
  // Three losses that had been one burst with it are scattered without it.
  const beside = finishBurstGap(burstStateOf(only(1500, [190, ...run(200, 600), 805, 810])), 20, {
    lost: 600,
    gaps: 1,
  });
  assert.deepEqual([beside?.burstCount, beside?.burstDurationMs, beside?.burstLossPct], [0, 0, 0]);
  assert.ok(Math.abs((beside?.gapLossPct ?? 0) - (3 / 900) * 100) < 1e-9);
});
