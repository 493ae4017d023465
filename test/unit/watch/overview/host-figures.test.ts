/** Figures of a host: what they take is what is reckoned, whatever codes come, and made-up times push nothing out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_CODES } from '../../../../src/watch/code-counts.ts';
import { HOST_FIGURE_BYTES } from '../../../../src/watch/overview/calls-over-time.ts';
import { HostFigures } from '../../../../src/watch/overview/host-figures.ts';
import { heapBytes } from '../../../helpers/live-heap.ts';
import { EPOCH_US, OPTIONS, Proxied } from '../../../helpers/proxied-calls.ts';
import { readCapture } from '../../../helpers/read-capture.ts';

const COUNT = 2_000;

function filled(i: number): HostFigures {
  const figures = new HostFigures();
  figures.attempts = 20;
  for (const code of [200, 404, 486, 487, 503]) figures.noteCode(code, 0);
  for (let k = 0; k < 20; k++) figures.notePdd(20 * 250 ** ((((i + k) * 7_919) % 1_000) / 1_000));
  for (let k = 0; k < 10; k++) figures.noteMos(1 + ((i + k) % 35) / 10);
  return figures;
}

test('they take no more memory than is reckoned', () => {
  const warm = filled(0);
  const kept: HostFigures[] = new Array<HostFigures>(COUNT).fill(warm);
  const before = heapBytes();
  for (let i = 0; i < COUNT; i++) kept[i] = filled(i);
  const real = heapBytes() - before;
  const reckoned = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(real <= reckoned, `${real} bytes are taken, ${reckoned} reckoned`);
  assert.ok(reckoned <= 1.6 * real, `${reckoned} bytes are reckoned, ${real} taken`);
});

test('made-up codes count as their class once there are many, and taken back they leave nothing', () => {
  const figures = new HostFigures();
  for (let code = 300; code < 700; code++) figures.noteCode(code, 0);
  assert.ok(figures.codes.size <= MAX_CODES + 4, `${figures.codes.size} codes`);
  assert.equal(
    [...figures.codes.values()].reduce((sum, calls) => sum + calls, 0),
    400,
  );
  for (let code = 699; code >= 300; code--) figures.noteCode(0, code);
  assert.deepEqual([...figures.codes], []);
});

test('each code and delay in each minute of two days keeps within the bytes that are promised', async (t) => {
  const { session } = await readCapture(t, new Proxied(EPOCH_US).pcap(), OPTIONS);
  const calls = session.figures.calls ?? assert.fail();
  for (let minute = 28_000_000; minute < 28_000_000 + 2_880; minute++) {
    for (const cells of calls.levels) {
      const row = cells.holding(minute) ?? assert.fail();
      for (let k = 0; k < 60; k++) {
        row.noteCode(300 + ((minute * 61 + k * 7) % 400), 0);
        row.notePdd(1.4 ** (k + (minute % 7)) / 1_000);
        row.noteMos(1 + k / 20);
      }
    }
    if (minute % 60 === 0) calls.onTick(minute * 60e6);
  }
  calls.onTick((28_000_000 + 2_880) * 60e6);
  const bytes = calls.levels.reduce((sum, cells) => sum + cells.bytes, 0);
  assert.ok(bytes <= HOST_FIGURE_BYTES, `${bytes} bytes`);
  const [minutes, fives, twenties] = calls.levels;
  assert.ok((minutes?.keptFrom ?? 0) > (twenties?.keptFrom ?? 0), 'the shortest cells go first');
  assert.ok((fives?.bytes ?? 0) > 0);
});
