/** The home of the terminal: its screens, the way from a mark to its calls and back, and names that would steer a terminal. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { BUSY_TRUNKS, busyHours } from '../helpers/busy-hours.ts';
import { STEERING } from '../helpers/hostile-calls.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { isAsWritten, PROGRAM } from './demo.ts';
import type { Size } from './tmux.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const options = { skip: skipWithoutTmux };
const SIZES = [
  [80, 24],
  [120, 40],
  [160, 45],
  [200, 60],
] as const;

function busy(t: TestContext, size: Size, name?: string) {
  const hours = busyHours(temporaryFolder(t), name);
  const tmux = new Tmux(t, [...PROGRAM, '-i', 'busy.pcap', ...BUSY_TRUNKS], size, [`--chdir=${dirname(hours.path)}`]);
  return { hours, tmux };
}

test('the home at each size', options, async (t) => {
  const { tmux } = busy(t, SIZES[0]);
  await tmux.settled(/ {3}541 dialogs \(0 active\)/);
  await tmux.press('H');
  for (const size of SIZES) {
    tmux.resize(size);
    await tmux.shows(new RegExp(`^(?:.*\\n){${size[1] - 1}}Esc Back`));
    isAsWritten(`overview-${size.join('x')}`, await tmux.settled(/^Home 2025-03-04 10:00 to 11:00/m));
  }
});

test('the failing minute is chosen: Enter shows exactly its failed calls, and Esc leads back', options, async (t) => {
  const { hours, tmux } = busy(t, [120, 40]);
  await tmux.settled(/ {3}541 dialogs \(0 active\)/);
  await tmux.press('H');
  await tmux.shows(/^10:37 to 10:38: \d+ calls, \d+ answered, 11 failed/m);
  // From the cell beside it, too.
  await tmux.press('Right');
  await tmux.shows(/^10:38 to 10:39: /m);
  await tmux.press('Left', 'Enter');
  await tmux.shows(
    /^Filter: method:INVITE state:Failed since:2025-03-04T10:37:00\.000000Z until:2025-03-04T10:37:59\.999999Z/m,
  );
  const rows = await tmux.settled(new RegExp(`^1 of ${hours.failing.length} `, 'm'));
  const numbers = rows.flatMap((row) => / Failed .* \+4420(\d+) +503 /.exec(row)?.[1] ?? []);
  assert.deepEqual(numbers.map((n) => `busy-${n}@example.com`).toSorted(), hours.failing.toSorted());
  await tmux.press('Escape');
  await tmux.shows(/^10:37 to 10:38: /m);
  await tmux.press('Escape');
  await tmux.shows(/^Filter: method:INVITE state:Failed/m);
});

test('from a trunk, a code, a trouble and a pair to their calls', options, async (t) => {
  const { tmux } = busy(t, [120, 40]);
  await tmux.settled(/ {3}541 dialogs \(0 active\)/);
  await tmux.press('H');
  await tmux.shows(/^10:37 to 10:38: /m);
  await tmux.press('Down', 'Down', 'Down', 'Down', 'Down');
  await tmux.shows(/^(acme|bravo) \((in|out)\) up, 10:35 to 10:40: ASR /m);
  await tmux.press('m');
  await tmux.shows(/^Worst trunks by NER /m);
  await tmux.press('n', 'Enter');
  await tmux.shows(/^Filter: method:INVITE trunk=(acme|bravo) since:/m);
  await tmux.press('Escape', 'Down', 'Down', 'Down');
  await tmux.shows(/^\d+ calls of the span ended with 486$/m);
  await tmux.press('Right');
  await tmux.shows(/^11 calls of the span ended with 503$/m);
  await tmux.press('Enter');
  await tmux.shows(/^Filter: method:INVITE code:503 since:[\s\S]*^1 of 11 /m);
  await tmux.press('Escape', 'Down');
  await tmux.shows(/^busy-537@example\.com: The call was answered, but no RTP/m);
  await tmux.press('Enter');
  await tmux.shows(/^Call busy-537|busy-537@example\.com/m);
  await tmux.press('Escape', 'G');
  await tmux.shows(/^\S+ \u2192 \S+, 10:00 to 11:00: \d+ calls/m);
  await tmux.press('Enter');
  await tmux.shows(/^Filter: method:INVITE .*trunk=/m);
});

test('other spans, by their keys', options, async (t) => {
  const { tmux } = busy(t, [80, 24]);
  await tmux.settled(/ {3}541 dialogs \(0 active\)/);
  await tmux.press('H', '1');
  await tmux.shows(/^Home 2025-03-04 10:45 to 11:00, by 1 min/m);
  await tmux.press('3');
  await tmux.shows(/^Home 2025-03-04 05:00 to 11:00, by 5 min/m);
  await tmux.press('4');
  await tmux.shows(/^Home 2025-03-03 11:00 to 11:00, by 20 min/m);
});

test('names that would steer a terminal are shown, and steer nothing', options, async (t) => {
  const { tmux } = busy(t, [80, 24], '\u202e\u6771\u4eac\u001b[2J\u009b31m');
  await tmux.settled(/ {3}541 dialogs \(0 active\)/);
  await tmux.press('H');
  const lines = await tmux.settled(/^10:37 to 10:38: /m);
  await tmux.press('Enter');
  await tmux.settled(/^1 of 11 /m);
  assert.doesNotMatch(lines.join('\n').replaceAll('\n', ''), STEERING);
});
