/** Names of wide characters, of several code points, and with marks: columns stay where they are. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { charactersOf } from '../../src/faces/tui/cells.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { isAsWritten, PROGRAM } from './demo.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const NAMES = [
  '2001',
  '\u6771\u4eac\u672c\u793e\u53d7\u4ed8\u7dcf\u52d9\u90e8',
  '\ud55c\uad6d',
  'Jose\u0301 Nu\u0301n\u0303ez',
  '\u{1f469}\u200d\u{1f4bb} Zoe\u0308 \u{1f1eb}\u{1f1f7}',
  '\u05e9\u05dc\u05d5\u05dd',
];

/** The cell in which a text begins. */
function cellOf(line: string, what: RegExp): number {
  const before = line.slice(0, line.search(what));
  return charactersOf(before).reduce((sum, { width }) => sum + width, 0);
}

test('wide names, and marks on characters: rows, head and ladder are aligned', { skip: skipWithoutTmux }, async (t) => {
  const folder = temporaryFolder(t);
  const calls = NAMES.map((name, i) => {
    const caller = { ...ALICE, user: name.replaceAll(' ', '_'), display: name };
    const call = new SipScript({ callId: `wide-${i}`, caller, callee: BOB, startUs: EPOCH_US + i * 1_000_000 });
    const invite = call.request('INVITE', 0);
    call.respond(invite, 486, 50, { reason: `${name} busy` });
    call.ack(invite, 486, 60);
    return call;
  });
  writeFileSync(join(folder, 'wide.pcap'), new Capture().add(calls.flatMap(({ messages }) => messages)).pcap());
  const tmux = new Tmux(t, [...PROGRAM, '-i', 'wide.pcap', '--sort', 'created'], [80, 24], [`--chdir=${folder}`]);
  const lines = await tmux.settled(/^1 of 6 /m);
  isAsWritten('wide-80x24', lines);
  const rows = lines.filter((line) => / Failed /.test(line));
  assert.equal(rows.length, NAMES.length);
  assert.deepEqual([...new Set(rows.map((row) => cellOf(row, / 486 /)))].length, 1, rows.join('\n'));
  for (const name of NAMES) {
    await tmux.press('Enter');
    const call = await tmux.settled(/^ +1 .* 486 /m);
    const bars = call.filter((line) => /^ +[012] +/.test(line)).map((line) => cellOf(line, /\|/));
    assert.deepEqual([...new Set(bars)].length, 1, name);
    await tmux.press('Escape', 'j');
  }
});
