/** From the list in one key: a call with its legs, and all its messages as text. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../../src/core/package.ts';
import { readCaptureFile } from '../../../helpers/read-capture.ts';
import { TestTerminal } from '../../../helpers/tui-screen.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');

test('x opens the call with its legs; t shows the messages of what is shown, in the list and in the call', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1']);
  const terminal = new TestTerminal(t, session.explorer, [80, 200], 'callid:transfer@*');
  await terminal.shows(/^1 of 1 /m);
  terminal.press('t');
  const texts = await terminal.shows(/^Messages$/m);
  assert.match(texts[2] ?? '', /^2025-03-04 09:00:42\.000 {2}198\.51\.100\.33:5060 -> 192\.0\.2\.10:5060 {2}UDP wire$/);
  assert.equal(texts[3], 'INVITE sip:2012@pbx.example.com SIP/2.0');
  assert.equal(texts.filter((line) => line.startsWith('SIP/2.0 180 ')).length, 1);
  terminal.press('esc', 'x');
  await terminal.shows(/^B {2}transfer-target@/m);
  terminal.press('t');
  const both = await terminal.shows(/^Messages /m);
  assert.ok(
    both.some((line) => line === 'INVITE sip:2013@pbx.example.com SIP/2.0'),
    both.join('\n'),
  );
});
