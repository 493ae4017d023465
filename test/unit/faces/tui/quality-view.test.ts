/** How a call sounded, as charts: over the width of the screen, six rows high, with an axis. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../../src/core/package.ts';
import { barOf, FIGURES, rowOf, spanOf } from '../../../../src/faces/tui/quality-bars.ts';
import { SCENES } from '../../../golden/scenes/all.ts';
import { captureOf } from '../../../golden/scenes/scene.ts';
import { readCapture, readCaptureFile } from '../../../helpers/read-capture.ts';
import type { Size } from '../../../helpers/tui-screen.ts';
import { TestTerminal } from '../../../helpers/tui-screen.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');
const LEFT = 'jitter 60ms|'.length;

async function chart(t: TestContext, size: Size, callId: string): Promise<string[]> {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1']);
  const terminal = new TestTerminal(t, session.explorer, size, `callid:${callId}`);
  await terminal.shows(/^1 of 1 /m);
  terminal.press('v');
  return terminal.shows(/^chosen: /m);
}

/** The rows of the chart of MOS of each stream. */
function charts(lines: readonly string[]): string[][] {
  return lines.flatMap((line, i) => (line.startsWith('MOS ') ? [lines.slice(i, i + 6)] : []));
}

for (const size of [
  [80, 24],
  [120, 40],
  [160, 45],
  [200, 60],
] as const)
  test(`two streams at ${size.join('x')}: six rows each, over the whole width`, async (t) => {
    const [good = [], bad = [], ...others] = charts(await chart(t, size, 'jitter@pbx.example.com'));
    assert.equal(others.length, 0);
    for (const rows of [good, bad]) {
      assert.deepEqual(
        rows.map((row) => row.slice(0, LEFT)),
        ['MOS     4.5|', '        3.6|', '           |', '           |', '           |', '          1|'],
      );
      assert.equal(rows[5]?.slice(LEFT), '\u2588'.repeat(size[0] - LEFT));
    }
    assert.match(good[1] ?? '', /\u2588$/);
    // A MOS of 2.93 does not reach the row of 3.6.
    assert.equal(bad[1]?.slice(LEFT), '');
    assert.match(bad[3] ?? '', /[\u2581-\u2588]$/);
  });

test('what a phone reported stands below its streams, beside what was measured', async (t) => {
  const scene = SCENES.find(({ name }) => name === 'loss-in-a-bye');
  assert.ok(scene !== undefined);
  const { session } = await readCapture(t, captureOf(scene), ['--api', '127.0.0.1:1']);
  const terminal = new TestTerminal(t, session.explorer, [160, 45], 'method:INVITE');
  await terminal.shows(/^1 of 1 /m);
  terminal.press('v');
  const lines = await terminal.shows(/^reported: /m);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('reported: ')),
    [
      'reported: caller 192.0.2.10 hears 12.0 % lost, jitter 5.0 ms (RTP-Stat header); here 0.0 % lost, jitter 0.0 ms, MOS 4.41',
    ],
  );
  // The charts of both streams are there all the same.
  assert.equal(charts(lines).length, 2);
});

test('what decides of a stream is not cut on 80 columns', async (t) => {
  const lines = await chart(t, [80, 24], 'jitter@pbx.example.com');
  const text = lines.join('\n');
  assert.match(text, /^198\.51\.100\.55:11900 -> 192\.0\.2\.10:12040 {2}MOS 2\.93 {2}0\.0 % lost {2}jitter 31\.9 ms/m);
  assert.match(text, /\^ 09:00:22 MOS 2\.67, 0\.0 % lost, jitter 32\.7 ms/);
});

test('columns share the width without a gap, and bars begin at the lowest row', () => {
  for (const columns of [1, 2, 3, 7, 149, 150]) {
    const spans = Array.from({ length: columns }, (_, c) => spanOf(c, columns, 150));
    assert.equal(
      spans.reduce((sum, { width }) => sum + width, 0),
      150,
    );
    for (const [c, { x, width }] of spans.entries()) assert.equal(x + width, spans[c + 1]?.x ?? 150);
  }
  const [mos] = FIGURES;
  assert.ok(mos !== undefined);
  const bar = (value: number | null): string =>
    [0, 1, 2, 3, 4, 5].map((row) => barOf(value, mos, row, 6, true)).join('');
  assert.equal(bar(null), '      ');
  assert.equal(bar(1), '\u2581     ');
  assert.equal(bar(4.5), '\u2588'.repeat(6));
  assert.equal(bar(9), '\u2588'.repeat(6));
  assert.deepEqual(
    [1, 2.74, 4.5].map((value) => rowOf(value, mos, 6)),
    [0, 2, 5],
  );
});
