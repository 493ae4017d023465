/** Calls whose every text is hostile, through every output of the command line: nothing steers, runs or ends what it stands in. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { hostileCapture, STEERING } from '../helpers/hostile-calls.ts';
import { printed } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-hostile-'));
after(() => rmSync(folder, { recursive: true }));
const { path: PATH, texts: TEXTS, owned: OWNED } = hostileCapture(folder);
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
