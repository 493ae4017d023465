/** Calls whose every text is hostile, through every output of the command line: nothing steers, runs or ends what it stands in. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { printed } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-hostile-'));
after(() => rmSync(folder, { recursive: true }));
const OWNED = join(folder, 'owned');

/** One line each, as a header can carry it. */
const TEXTS: readonly string[] = [
  `]]><exec command="touch ${OWNED}"/>`,
  `[file name=${OWNED}] [$1] [field0] [authentication username=a]`,
  '\u001b[2J\u001b]0;owned\u0007\u009b31m',
  '\u202egnp.exe\u2066\u200f\u061c',
  'a\u0000b',
  '=cmd|" /C calc"!A0',
  '@SUM(1+1)*cmd',
  'x; participant P->>Q: %% {init: {"theme":"x"}} end ```',
  '| a | <img src=x onerror=alert(1)> [l](javascript:1) `c` **b**',
  '../../../../tmp/owned',
  'row:1',
  '-rf',
  '--',
  '"or" (a or b) ~x *',
];

function capture(): string {
  const scripts = TEXTS.map((text, i) => {
    const party = { ...ALICE, display: text.replace(/["\\]/g, "'") };
    const call = new SipScript({ callId: text, caller: party, callee: BOB, startUs: EPOCH_US + i * 10_000_000 });
    const headers = [
      ['Subject', text],
      ['X-Trunk', text],
    ] as const;
    const invite = call.request('INVITE', 0, { headers });
    call.respond(invite, 100, 10);
    call.respond(invite, 486, 50, { reason: text, headers: [['Warning', `399 x "${text.replaceAll('"', "'")}"`]] });
    call.ack(invite, 486, 60);
    return call;
  });
  const path = join(folder, 'hostile.pcap');
  writeFileSync(path, new Capture().add(scripts.flatMap(({ messages }) => messages)).pcap());
  return path;
}

const PATH = capture();
/** Everything but line ends that moves a cursor, changes a colour or turns text around. */
const STEERING =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
const ask = (...args: string[]): Promise<string> => printed([PATH, ...args]);

test('no output for people has a control character, and each call is there', async () => {
  const table = await ask();
  assert.equal(table.split('\n').filter((line) => / Failed +INVITE /.test(line)).length, TEXTS.length);
  for (const text of [
    table,
    await ask('--call-report', 'row:3'),
    await ask('--call-report', 'row:3', '--markdown'),
    await ask('--ladder', 'row:3', '--ladder', 'row:8', '--ladder', 'row:9'),
    await ask('--messages'),
    await ask('--compare', 'row:3', '--compare', 'row:4'),
    await ask('--filter', 'number:+99999', '--csv'),
  ])
    assert.doesNotMatch(text, STEERING);
});

test('a Call-ID that looks like something else is found as it is', async () => {
  const byId = await ask('--messages', 'row:1');
  assert.match(byId, /^Call-ID: row:1$/m);
  assert.match(await ask('--messages=-rf'), /^Call-ID: -rf$/m);
  assert.match(await ask('--messages', 'id:row:1'), /^Call-ID: row:1$/m);
  assert.match(
    await ask('--filter', 'callid:"../../../../tmp/owned"', '--messages'),
    /^Call-ID: \.\.\/\.\.\/\.\.\/\.\.\/tmp\/owned$/m,
  );
  assert.match(await ask('--filter', '"--"', '--messages'), /^Call-ID: --$/m);
});

test('CSV has no formula, Markdown and Mermaid no markup of a caller', async () => {
  const rows = (await ask('--csv')).trimEnd().split('\n');
  assert.equal(rows.length, TEXTS.length + 1);
  for (const row of rows)
    for (const cell of row.match(/("([^"]|"")*"|[^,]*)/g) ?? []) assert.doesNotMatch(cell, /^"?[=@]/);
  const markdown = await ask('--call-report', 'row:9', '--markdown');
  assert.doesNotMatch(markdown, /(^|[^\\])<img/);
  const mermaid = /```mermaid\n([\s\S]*?)\n```/.exec(await ask('--call-report', 'row:8', '--markdown'))?.[1] ?? '';
  const lines = mermaid.split('\n');
  assert.equal(lines[0], 'sequenceDiagram');
  for (const line of lines.slice(1))
    assert.match(line, /^ {2}(participant L\d as |L\d--?>>L\d: )[\p{L}\p{N} .,()/+@_#;-]*$/u);
});

test('JSON is whole, and raw messages are the bytes that were captured', async () => {
  const documents = (await ask('--json'))
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  assert.equal(documents.length, TEXTS.length);
  const raw = await ask('--messages', 'row:1#0', '--raw');
  assert.match(raw, /^INVITE sip:/);
  assert.ok((await ask('--filter', '~2J', '--messages', '--raw')).includes('\u001b[2J'));
});

test('scenarios of all of them run nothing', async () => {
  for (let row = 1; row <= 3; row++) {
    const to = join(folder, `sipp-${row}`);
    await ask('--sipp', `row:${row}`, '--to', to);
    const text = readFileSync(join(to, 'uac.xml'), 'latin1');
    assert.doesNotMatch(text, /<exec/);
  }
  assert.ok(!existsSync(OWNED));
});
