/** Tables say where the filter does not hold, and show in whole what is cut of the chosen row. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../../src/core/package.ts';
import { readCaptureFile } from '../../../helpers/read-capture.ts';
import { TestTerminal } from '../../../helpers/tui-screen.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');

async function demo(t: TestContext, filter = ''): Promise<TestTerminal> {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1', '--kill-scanner']);
  const terminal = new TestTerminal(t, session.explorer, [80, 24], filter);
  await terminal.shows(/^1 of \d+ /m);
  return terminal;
}

const NOTE = /^This table is of all dialogs: the filter \(state:Failed\) does not hold here\.$/m;

test('trunks and attackers say that the filter does not hold for them; without one nothing is said', async (t) => {
  const filtered = await demo(t, 'state:Failed');
  filtered.press('T');
  const lines = await filtered.shows(/^192\.0\.2\.10 +out /m);
  assert.match(lines.join('\n'), NOTE);
  filtered.press('S');
  await filtered.shows(/^Attackers that were reported$/m);
  assert.match(filtered.lines().join('\n'), NOTE);
  const all = await demo(t);
  all.press('T');
  assert.doesNotMatch((await all.shows(/^192\.0\.2\.10 +out /m)).join('\n'), /This table is of all/);
  all.press('i', 'esc', 'i', 'T');
  await all.shows(/the filter \(calls only\) does not hold here/);
});

test('what is cut of the chosen row stands below the table', async (t) => {
  const terminal = await demo(t);
  terminal.press('R');
  await terminal.shows(/^Answer, contact: 403 Forbidden sip:2020@198\.51\.100\.41:5060$/m);
  terminal.press('j');
  await terminal.shows(/^Answer, contact: 200 OK for 3600 s sip:2001@198\.51\.100\.21:5060$/m);
});
