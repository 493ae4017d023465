/** The bytes that are reckoned of figures are what they take: the cap on all of them stands on that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrunkFigures } from '../../../../src/watch/trunks/trunk-figures.ts';
import { heapBytes } from '../../../helpers/live-heap.ts';

const COUNT = 2_000;
/** More than is there is reckoned, but not much more. */
const MOST_SURPLUS = 1.6;

/** The same ones each time, from 20 to 5,000. */
const delay = (i: number): number => 20 * 250 ** (((i * 7_919) % 1_000) / 1_000);

const CASES: readonly [name: string, fill: (f: TrunkFigures, i: number) => void][] = [
  ['one delay', (f, i) => f.notePdd(delay(i))],
  [
    'ten delays',
    (f, i) => {
      for (let k = 0; k < 10; k++) f.notePdd(delay(i + k));
    },
  ],
  [
    'calls as they are',
    (f, i) => {
      f.attempts = 10;
      f.talkSec = 12.5 + i;
      for (const code of [200, 404, 486]) f.noteCode(code, 0);
      for (let k = 0; k < 10; k++) f.notePdd(delay(i + k));
      for (let k = 0; k < 5; k++) f.noteMos(1 + ((i + k) % 35) / 10);
    },
  ],
];

for (const [name, fill] of CASES)
  test(`figures take no more memory than is reckoned: ${name}`, () => {
    const warm = new TrunkFigures();
    fill(warm, 0);
    const kept: TrunkFigures[] = new Array<TrunkFigures>(COUNT).fill(warm);
    const before = heapBytes();
    for (let i = 0; i < COUNT; i++) {
      const figures = new TrunkFigures();
      fill(figures, i);
      kept[i] = figures;
    }
    const real = heapBytes() - before;
    const reckoned = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok(real <= reckoned, `${real} bytes are taken, ${reckoned} reckoned`);
    assert.ok(reckoned <= MOST_SURPLUS * real, `${reckoned} bytes are reckoned, ${real} taken`);
  });
