/** The first line: what is captured, how much a second, and in red what is lost or cannot be had. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cells, LOOK } from '../../../../src/faces/tui/cells.ts';
import { SourceStrip } from '../../../../src/faces/tui/source-strip.ts';
import type { Pulse } from '../../../../src/view/pulse.ts';

const PULSE: Pulse = {
  calls: 3,
  active: 1,
  packets: 1_000,
  sipMessages: 9,
  dropped: 0,
  outside: 0,
  isDegraded: false,
  progress: null,
  nowUs: 0,
};

test('the rate is that between two figures, and stays until there are newer ones', (t) => {
  let nowMs = 10_000;
  t.mock.method(performance, 'now', () => nowMs);
  let pulse = PULSE;
  let trouble = '';
  const strip = new SourceStrip('lo', { pulse: () => pulse, trouble: () => trouble });
  const drawn = (): [text: string, isRed: boolean] => {
    const cells = new Cells(80, 1, true);
    strip.draw(cells, { x: 0, y: 0, width: 80, height: 1 });
    return [cells.line(0), (cells.lookAt(0, 0) & 7) === LOOK.red];
  };
  const shows = (perSec: number): void =>
    assert.deepEqual(drawn(), [`calltap lo   3 dialogs (1 active)   ${perSec} packets/s   0 dropped`, false]);
  shows(0);
  nowMs += 1_000;
  shows(0);
  nowMs += 2_000;
  pulse = { ...PULSE, packets: 1_600 };
  shows(300);
  for (let i = 0; i < 3; i++) {
    nowMs += 1_000;
    shows(300);
  }
  // A service that was restarted begins to count again.
  pulse = { ...PULSE, packets: 5 };
  shows(0);
  trouble = 'no answer from http://pbx since 12:00:03, trying again: nobody listens there';
  assert.deepEqual(drawn(), [`calltap: ${trouble}`.slice(0, 79).concat(trouble.length > 71 ? '\u2026' : ''), true]);
  trouble = '';
  pulse = { ...PULSE, progress: 0.5, isDegraded: true };
  assert.deepEqual(drawn(), ['calltap lo   3 dialogs (1 active)   50 % read', true]);
});
