/** The chosen call beside the list, where the screen is wide. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../../src/core/package.ts';
import type { TerminalPort } from '../../../../src/explore/port.ts';
import { Away } from '../../../../src/explore/refusal.ts';
import { until } from '../../../helpers/patience.ts';
import { readCaptureFile } from '../../../helpers/read-capture.ts';
import type { Size } from '../../../helpers/tui-screen.ts';
import { TestTerminal } from '../../../helpers/tui-screen.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');

async function demo(t: TestContext, size: Size, changed: (port: TerminalPort) => TerminalPort = (port) => port) {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1']);
  const terminal = new TestTerminal(t, changed(session.explorer), size);
  await terminal.shows(/^1 of 21 /m);
  return terminal;
}

/** What stands beside the list, in one line. */
const beside = (lines: readonly string[]): string =>
  lines.map((line) => line.split(' | ').slice(1).join(' | ').trim()).join(' ');

for (const size of [
  [160, 45],
  [200, 60],
] as const)
  test(`what is wrong, in whole, and the ladder at ${size.join('x')}; b shows the list alone`, async (t) => {
    const terminal = await demo(t, size);
    terminal.press(...Array<string>(10).fill('j'));
    const lines = await terminal.shows(/\| Failed {2}503 Service Unavailable {2}2002 \u2192 \+33199001234/);
    assert.match(
      beside(lines),
      /refused with 503 Service Unavailable +\(Q\.850;cause=34;text="No circuit available"\)\. Try again after 30 s\./,
    );
    await terminal.shows(/\| +2 09:00:27\.640 {2}\+0\.618 +\|<-+ 503 Service Unavailable -+\|$/m);
    terminal.press('b');
    const alone = await terminal.shows(/^Started [^|]*$/m);
    assert.equal(beside(alone).trim(), '');
  });

test('159 columns have the list alone', async (t) => {
  const terminal = await demo(t, [159, 45]);
  assert.equal(beside(terminal.lines()).trim(), '');
});

test('one call is read at a time: who goes down fast sees the last one', async (t) => {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const terminal = await demo(t, [160, 45], (port) => ({
    ...port,
    async ladder(callIds) {
      asked.push(callIds[0] ?? '');
      if (asked.length === 2) await new Promise<void>((resolve) => waiting.push(resolve));
      return port.ladder(callIds);
    },
  }));
  await terminal.shows(/\| 2025-03-04 UTC/);
  terminal.press('j');
  await until(
    () => asked[1],
    () => 'no second call was read',
  );
  for (let row = 3; row <= 9; row++) {
    terminal.press('j');
    await terminal.shows(new RegExp(`^${row} of 21 `, 'm'));
  }
  assert.deepEqual(asked, ['ipv6-call@pbx.example.com', 'options-ping-3@pbx.example.com']);
  for (const go of waiting) go();
  const next = await until(
    () => asked[2],
    () => 'no other call was read',
  );
  assert.equal(next, 'retransmissions-high-pdd@pbx.example.com');
});

test('a call that cannot be read says why, and the list stays', async (t) => {
  const terminal = await demo(t, [160, 45], (port) => ({
    ...port,
    head: () => Promise.reject(new Away('agent-away', 'The agent pbx1 does not answer.')),
  }));
  const lines = await terminal.shows(/\| The agent pbx1 does not answer\./);
  assert.equal(lines.filter((line) => /^\d\d:\d\d:\d\d /.test(line)).length, 21);
});
