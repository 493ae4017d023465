/** The filter as one types it: the list follows, words are offered, and what cannot be read does not take the list away. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../../src/core/package.ts';
import { readCaptureFile } from '../../../helpers/read-capture.ts';
import type { Size } from '../../../helpers/tui-screen.ts';
import { TestTerminal } from '../../../helpers/tui-screen.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');

async function demo(t: TestContext, size: Size = [80, 24], filter = ''): Promise<TestTerminal> {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1']);
  const terminal = new TestTerminal(t, session.explorer, size, filter);
  await terminal.shows(/^1 of \d+ /m);
  return terminal;
}

test('the list follows what is typed, and Esc brings the filter of before back', async (t) => {
  const terminal = await demo(t, [80, 24], 'state:Failed');
  await terminal.shows(/^1 of 4 /m);
  terminal.press('/', 'ctrl-u');
  await terminal.shows(/^1 of 21 /m);
  terminal.type('finding:auth-loop');
  const typing = await terminal.shows(/^1 of 2 /m);
  assert.equal(typing[1], 'Filter: finding:auth-loop');
  assert.match(typing.at(-1) ?? '', /^Enter Keep {2}Tab Complete /);
  terminal.press('esc');
  const before = await terminal.shows(/^1 of 4 /m);
  assert.equal(before[1], 'Filter: state:Failed');
});

test('Enter keeps the filter that the list follows already', async (t) => {
  const terminal = await demo(t);
  terminal.press('/');
  terminal.type('state:Failed');
  await terminal.shows(/^1 of 4 /m);
  terminal.press('enter');
  await terminal.shows(/^Enter Show /m);
  const kept = await terminal.shows(/^Filter: state:Failed\n[^\n]*Started /m);
  assert.ok(kept.some((line) => /^1 of 4 /.test(line)));
});

test('what cannot be read keeps the last list, and is named in one line', async (t) => {
  const terminal = await demo(t);
  terminal.press('/');
  terminal.type('state:Failed mos');
  await terminal.shows(/^1 of 4 /m);
  terminal.type('<x');
  const wrong = await terminal.shows(/^character 18 \("x"\): /m);
  assert.match(wrong[2] ?? '', /^character 18 /);
  assert.ok(
    wrong.some((line) => /^1 of 4 /.test(line)),
    wrong.join('\n'),
  );
  terminal.press('enter');
  await terminal.shows(/^Filter: state:Failed mos<x\ncharacter 18 /m);
  terminal.press('delete');
  terminal.type('5');
  terminal.press('enter');
  await terminal.shows(/^Filter: state:Failed mos<5\n[^\n]*Started /m);
});

test('a key that is not known is named with the one that was meant, which Enter takes', async (t) => {
  const terminal = await demo(t);
  terminal.press('/');
  terminal.type('frm:1');
  await terminal.shows(/^character 1 \("frm"\): there is no key frm; did you mean from\? Enter takes it\.$/m);
  terminal.press('enter');
  await terminal.shows(/^Filter: from:1\n(?!character)/m);
  terminal.type(' state:Faild');
  await terminal.shows(/did you mean Failed\? Enter ta/m);
  terminal.press('enter');
  await terminal.shows(/^Filter: from:1 state:Failed\n/m);
});

test('words are offered with what they mean; Tab completes, arrows choose, Enter takes the chosen one', async (t) => {
  const terminal = await demo(t, [120, 24]);
  terminal.press('/');
  terminal.type('sta');
  await terminal.shows(/^state: {2}state of the dialog$/m);
  terminal.press('tab');
  await terminal.shows(/^Filter: state:\n.*Failed/m);
  terminal.press('down');
  const [, , chosen = ''] = await terminal.shows(/^Filter: state:$/m);
  const [first = ''] = chosen.split(' ');
  terminal.press('enter');
  await terminal.shows(new RegExp(`^Filter: state:${first}$`, 'm'));
  await terminal.shows(/^Enter Keep /m);
  terminal.press('enter');
  await terminal.shows(/^Enter Show /m);
});

test('calls only: one key, a word in the line, and it holds beside a filter and in tables', async (t) => {
  const terminal = await demo(t);
  terminal.press('i');
  const calls = await terminal.shows(/^1 of 16 /m);
  assert.equal(calls[1], 'Filter: calls only');
  assert.ok(calls.every((line) => !/ (?:ping|Register)/.test(line)));
  terminal.press('/');
  terminal.type('state:Failed');
  await terminal.shows(/^1 of 3 /m);
  terminal.press('enter', 'F');
  await terminal.shows(/^Findings: .* of calls only, state:Failed$/m);
  terminal.press('enter');
  await terminal.shows(/^Filter: calls only \(state:Failed\) finding:/m);
  terminal.press('/', 'ctrl-u', 'enter', 'i');
  await terminal.shows(/^Filter: all dialogs/m);
  await terminal.shows(/^1 of 21 /m);
});

test('the help names the keys of the line', async (t) => {
  const terminal = await demo(t, [80, 60]);
  terminal.press('?');
  await terminal.shows(/^i +Show calls alone, or registrations, OPTIONS and all others too\.$/m);
  await terminal.shows(/^While a filter is typed$[\s\S]*^Tab +Complete the word, or take the chosen one\.$/m);
});
