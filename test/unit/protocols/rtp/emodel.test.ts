/** The E-model holds its check vectors to 0.01 (ITU-T G.107, G.113). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { impairmentOf } from '../../../../src/protocols/rtp/codec-impairment.ts';
import type { Impairment } from '../../../../src/protocols/rtp/emodel.ts';
import {
  burstRatio,
  delayImpairment,
  effectiveImpairment,
  mosOfR,
  R_MAX,
  rFactor,
} from '../../../../src/protocols/rtp/emodel.ts';

function near(got: number | null, want: number, tolerance: number, what: string): void {
  assert.ok(got !== null && Math.abs(got - want) <= tolerance, `${what}: ${got}, want ${want}`);
}

test('MOS of R at the published points', () => {
  const points: [number, number][] = [
    [93.2, 4.409],
    [90, 4.339],
    [80, 4.024],
    [70, 3.597],
    [60, 3.1],
    [50, 2.575],
    [40, 2.064],
    [20, 1.252],
  ];
  for (const [r, mos] of points) near(mosOfR(r), mos, 0.001, `MOS at R ${r}`);
  assert.equal(mosOfR(6.4), 1);
  assert.equal(mosOfR(-20), 1);
  assert.equal(mosOfR(100), 4.5);
  assert.equal(mosOfR(129), 4.5);
});

/** R / MOS by loss in percent, at no delay and random loss. */
const VECTORS: [string, Impairment, [number, number, number][]][] = [
  [
    'G.711 without PLC',
    impairmentOf({ name: 'PCMU' }, false) ?? { ie: NaN, bpl: null },
    [
      [0, 93.2, 4.409],
      [0.5, 83.3, 4.143],
      [1, 75.28, 3.834],
      [2, 63.04, 3.256],
      [5, 42.12, 2.169],
      [10, 26.77, 1.481],
      [20, 15.01, 1.124],
    ],
  ],
  [
    'G.711 with PLC',
    impairmentOf({ name: 'pcma' }, true) ?? { ie: NaN, bpl: null },
    [
      [0, 93.2, 4.409],
      [0.5, 91.34, 4.371],
      [1, 89.56, 4.328],
      [2, 86.19, 4.235],
      [5, 77.42, 3.923],
      [10, 66.13, 3.411],
      [20, 51.07, 2.631],
    ],
  ],
  [
    'G.729A with VAD',
    impairmentOf({ name: 'G729' }, true) ?? { ie: NaN, bpl: null },
    [
      [0, 82.2, 4.104],
      [0.5, 80.05, 4.026],
      [1, 78, 3.946],
      [2, 74.2, 3.787],
      [5, 64.7, 3.34],
      [10, 53.23, 2.745],
      [20, 39.12, 2.021],
    ],
  ],
  [
    'G.723.1 with VAD',
    impairmentOf({ name: 'G723' }, true) ?? { ie: NaN, bpl: null },
    [
      [0, 78.2, 3.954],
      [0.5, 75.79, 3.855],
      [1, 73.52, 3.758],
      [2, 69.36, 3.567],
      [5, 59.24, 3.061],
      [10, 47.55, 2.447],
      [20, 33.88, 1.776],
    ],
  ],
  [
    'GSM-EFR',
    impairmentOf({ name: 'GSM-EFR' }, true) ?? { ie: NaN, bpl: null },
    [
      [0, 88.2, 4.292],
      [0.5, 83.91, 4.163],
      [1, 80.02, 4.025],
      [2, 73.2, 3.743],
      [5, 58.2, 3.006],
      [10, 43.2, 2.223],
      [20, 28.2, 1.536],
    ],
  ],
];
for (const [name, codec, rows] of VECTORS) {
  test(`R and MOS of ${name} by loss`, () => {
    for (const [loss, r, mos] of rows) {
      const got = rFactor(codec, loss, 1, 0);
      near(got, r, 0.01, `R at ${loss} %`);
      near(mosOfR(got ?? 0), mos, 0.01, `MOS at ${loss} %`);
    }
  });
}

test('R by delay, G.711 without loss', () => {
  const rows: [number, number][] = [
    [0, 93.2],
    [100, 90.8],
    [150, 89.6],
    [177.3, 88.94],
    [200, 85.9],
    [250, 79.2],
    [300, 72.5],
    [400, 59.1],
  ];
  for (const [ms, r] of rows) near(R_MAX - delayImpairment(ms), r, 0.01, `R at ${ms} ms`);
});

test('bursty loss weighs more, a ratio under one is one', () => {
  const plc: Impairment = { ie: 0, bpl: 25.1 };
  near(rFactor(plc, 5, 1.5, 0), 76.49, 0.01, 'BurstR 1.5');
  near(rFactor(plc, 5, 2, 0), 75.99, 0.01, 'BurstR 2');
  assert.equal(rFactor(plc, 5, 0.2, 0), rFactor(plc, 5, 1, 0));
});

test('worked examples with loss and delay', () => {
  const g729 = rFactor({ ie: 11, bpl: 19 }, 2, 1, 150);
  near(g729, 70.6, 0.05, 'G.729A');
  near(mosOfR(g729 ?? 0), 3.63, 0.01, 'G.729A MOS');
  const g711 = rFactor({ ie: 0, bpl: 25.1 }, 2, 1, 150);
  near(g711, 82.6, 0.05, 'G.711');
  near(mosOfR(g711 ?? 0), 4.12, 0.01, 'G.711 MOS');
});

test('a codec without Bpl scores only without loss', () => {
  const gsm: Impairment = { ie: 20, bpl: null };
  assert.equal(effectiveImpairment(gsm, 0, 1), 20);
  assert.equal(effectiveImpairment(gsm, 0.1, 1), null);
  assert.equal(rFactor(gsm, 0.1, 1, 0), null);
});

test('burst ratio: mean run over the mean run of random loss', () => {
  assert.equal(burstRatio(0, 0, 1000), 1);
  assert.equal(burstRatio(10, 10, 1000), 1);
  assert.ok(Math.abs(burstRatio(45, 9, 1500) - 5 * 0.97) < 1e-9);
  assert.equal(burstRatio(1000, 1, 1000), 1);
});

test('codecs with and without a published value', () => {
  assert.deepEqual(impairmentOf({ name: 'G729', annexB: false }, true), { ie: 10, bpl: 19 });
  assert.deepEqual(impairmentOf({ name: 'G729', annexB: true }, true), { ie: 11, bpl: 19 });
  assert.deepEqual(impairmentOf({ name: 'G723', bitRate: 5300 }, true), { ie: 19, bpl: null });
  assert.deepEqual(impairmentOf({ name: 'G728' }, true), { ie: 7, bpl: null });
  assert.deepEqual(impairmentOf({ name: 'gsm' }, true), { ie: 20, bpl: null });
  assert.deepEqual(impairmentOf({ name: 'G726-24' }, true), { ie: 25, bpl: null });
  for (const name of ['G722', 'opus', 'iLBC', 'AMR', 'AMR-WB', 'speex', 'H264', '', null]) {
    assert.equal(impairmentOf({ name }, true), null, String(name));
  }
});
