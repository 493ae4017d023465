/** Lists and tables as files: what the screen is of, as the command line prints it. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../../src/core/package.ts';
import type { TerminalPort } from '../../../../src/explore/port.ts';
import { ALL_CALLS } from '../../../../src/explore/question.ts';
import { Away } from '../../../../src/explore/refusal.ts';
import { saveList } from '../../../../src/faces/tui/save.ts';
import { readCaptureFile, temporaryFolder } from '../../../helpers/read-capture.ts';
import { readStrictly } from '../../../helpers/strict-page.ts';
import { TestTerminal } from '../../../helpers/tui-screen.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');

function inFolder(t: TestContext): (name: string) => string[] {
  const [before, folder] = [process.cwd(), temporaryFolder(t)];
  process.chdir(folder);
  t.after(() => process.chdir(before));
  return (name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
}

async function demo(t: TestContext, filter = '') {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1', '--ask']);
  const terminal = new TestTerminal(t, session.explorer, [80, 24], filter);
  await terminal.shows(/^1 of \d+ /m);
  return { terminal, port: session.explorer };
}

test('s C and s J write the list that is shown, and no dialog besides', async (t) => {
  const written = inFolder(t);
  const { terminal } = await demo(t, 'state:Failed');
  terminal.press('s');
  // The choices take two lines of 80 columns.
  const prompt = await terminal.shows(/^Save as: a anonymized, for somebody else {2}A as page {2}p pcapng/m);
  assert.match(prompt.slice(-2).join(' '), /w WAV +C list +as CSV +J list +as JSON$/);
  terminal.press('C');
  await terminal.shows(/^dialogs\.csv$/m);
  const [heading = '', ...rows] = written('dialogs.csv');
  assert.match(heading, /^started,.*,ended-by,.*,callid$/);
  assert.doesNotMatch(heading, /\brow\b/);
  assert.equal(rows.length, 4);
  assert.ok(rows.every((row) => row.includes('Failed')));
  assert.equal(statSync('dialogs.csv').mode & 0o777, 0o600);
  terminal.press('s', 'J');
  await terminal.shows(/^dialogs\.json$/m);
  assert.deepEqual(
    written('dialogs.json').map((line) => (JSON.parse(line) as { state: string }).state),
    ['Failed', 'Failed', 'Failed', 'Failed'],
  );
});

test('s h writes the page of the call', async (t) => {
  const written = inFolder(t);
  const { terminal } = await demo(t, 'callid:packet-loss*');
  terminal.press('s', 'h');
  await terminal.shows(/^packet-loss@pbx\.example\.com\.html$/m);
  const page = written('packet-loss@pbx.example.com.html').join('\n');
  assert.match(readStrictly(page).text, /Packet loss from 203\.0\.113\.40:30140/);
});

test('s A writes a page that names nobody, s a says how much was replaced', async (t) => {
  const written = inFolder(t);
  const { terminal } = await demo(t, 'callid:packet-loss*');
  terminal.press('s', 'A');
  await terminal.shows(/^anonymized\.html$/m);
  const { text } = readStrictly(written('anonymized.html').join('\n'));
  assert.match(text, /Packet loss from .*Anonymized \d+ frames\./s);
  assert.doesNotMatch(text, /203\.0\.113|example/);
  terminal.press('s', 'a');
  await terminal.shows(/^anonymized\.pcapng: \d+ bytes; anonymized \d+ frames; replaced: /m);
});

test('each table has its file, with the names of the wire, and nothing is written over', async (t) => {
  const written = inFolder(t);
  const { terminal } = await demo(t);
  for (const [key, table, heading] of [
    ['F', 'findings', /^finding,/],
    ['R', 'registrations', /^user,/],
    ['T', 'trunks', /^trunk,.*figures\.asr_pct/],
    ['S', 'attackers', /^at,|^kind,|,source,/],
  ] as const) {
    terminal.press(key);
    await terminal.shows(/^Esc Back .* s Save /m);
    terminal.press('s', 'C');
    await terminal.shows(new RegExp(`^${table}\\.csv$`, 'm'));
    assert.match(written(`${table}.csv`)[0] ?? '', heading);
    terminal.press('s', 'J');
    await terminal.shows(new RegExp(`^${table}\\.json$`, 'm'));
    terminal.press('esc');
  }
  assert.equal(written('trunks.csv').length, 1 + written('trunks.json').length);
  assert.ok(written('findings.csv').some((line) => line.startsWith('auth-loop,')));
  terminal.press('T');
  await terminal.shows(/^Trunks: /m);
  terminal.press('s', 'C');
  await terminal.shows(/^trunks-2\.csv$/m);
});

test('a long list is read page by page, with one heading; one that ends in between leaves no file', async (t) => {
  const written = inFolder(t);
  const { port } = await demo(t);
  const [call] = (await port.page(ALL_CALLS, 1, '')).calls;
  assert.ok(call !== undefined);
  let last = 5;
  const pages: Pick<TerminalPort, 'page'> = {
    async page(_question, limit, cursor) {
      const n = Number(cursor);
      if (n > 5) throw new Away('agent-away', 'The agent pbx1 does not answer.');
      const calls = Array.from({ length: limit }, (_, i) => ({ ...call, call_id: `${n}-${i}` }));
      return { schema_version: 1, total: 9_999, calls, ...(n < last ? { next_cursor: String(n + 1) } : {}) };
    },
  };
  const saved = await saveList(pages, ALL_CALLS, 'csv', true);
  assert.deepEqual(saved, { said: 'dialogs.csv', isSaved: true });
  const lines = written('dialogs.csv');
  assert.equal(lines.length, 1 + 6 * 500);
  assert.equal(lines.filter((line) => line === lines[0]).length, 1);
  last = 9;
  assert.deepEqual(await saveList(pages, ALL_CALLS, 'json', true), {
    said: 'The agent pbx1 does not answer.',
    isSaved: false,
  });
  assert.throws(() => written('dialogs.json'), /ENOENT/);
});
