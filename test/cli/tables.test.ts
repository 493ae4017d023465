/** Everything that is a table is CSV and JSON too, by the names of the wire; --limit and --calls choose of its rows. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import type { AskOverview } from '../../src/contract/index.ts';
import { asJson } from '../helpers/json.ts';
import { Talk } from '../helpers/numbers.ts';
import { freePort, listen } from '../helpers/patience.ts';
import { DEMO, finished, printed, run, start } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-tables-'));
after(() => rmSync(folder, { recursive: true }));

/** [options, columns that a script would look for, rows of the demo] */
const TABLES: readonly (readonly [options: string, columns: string, rows: number])[] = [
  ['--show findings', 'finding calls newest_at call_ids code reason trunk direction since', 16],
  ['--show registrations', 'user src state failed last_at contacts expires_granted_sec', 2],
  ['--show trunks', 'trunk direction state figures.attempts figures.codes figures.asr_pct figures.mos.p05', 15],
  ['--trunks', 'trunk direction', 15],
  ['--show attackers --kill-ua DeskPhone', 'kind behaviour source at count methods text', 9],
  ['--compare row:2 --compare row:6', 'group what a b differs', 0],
  ['--quality row:2', 'call_id ssrc src dst codec timestamp mos loss_pct jitter_ms', 0],
];

async function lines(words: string): Promise<string[]> {
  // Alerts are lines of standard error too.
  const r = await run([DEMO, ...words.split(' ').filter((word) => word !== '')]);
  assert.equal(r.code, 0, r.stderr);
  return r.stdout.trimEnd().split('\n');
}

for (const [options, columns, count] of TABLES)
  test(`${options}: CSV and JSON have the same rows`, async () => {
    const [head = '', ...csv] = await lines(`${options} --csv`);
    const names = head.split(',');
    for (const column of columns.split(' ')) assert.ok(names.includes(column), `${column} of ${head}`);
    const rows = (await lines(`${options} --json`)).map((line) => asJson(JSON.parse(line)));
    assert.equal(csv.length, rows.length);
    if (count > 0) assert.equal(rows.length, count);
    assert.ok(rows.length > 1);
    // No field of a row lacks a column.
    for (const row of rows)
      for (const key of Object.keys(row))
        assert.ok(
          names.some((name) => name.split('.')[0] === key),
          key,
        );
    for (const line of csv) assert.ok(line.split(',').length >= names.length, line);
    assert.equal((await lines(`${options} --csv --limit 1`)).length, 2);
    assert.deepEqual(await lines(`${options} --json --limit 1`), [JSON.stringify(rows[0])]);
  });

test('a cell of CSV: lists have blanks, codes have their calls, and nothing is a formula', async () => {
  const [head = '', ...rows] = await lines('--trunks --csv');
  const at = head.split(',').indexOf('figures.codes');
  assert.ok(rows.map((row) => row.split(',')[at]).includes('200:10 407:1 487:1'));
  const [names = '', first = ''] = await lines('--show findings --csv');
  const ids = first.split(',')[names.split(',').indexOf('call_ids')];
  assert.equal(ids, 'register-failed@pbx.example.com auth-loop@pbx.example.com');
});

test('--messages as JSON: an object a message, as /ask has it', async () => {
  const messages = (await lines('--messages busy --json')).map((line) => asJson(JSON.parse(line)));
  assert.deepEqual(
    messages.map(({ index }) => index),
    messages.map((_, i) => i),
  );
  assert.match(String(messages[0]?.['text']), /^INVITE sip:/);
});

test('--limit shows the first calls, in every form', async () => {
  const table = await printed([DEMO, '--limit', '2', '--sort', 'mos']);
  assert.match(table, /\n\n2 of 21 dialogs are shown \(--limit\)\n/);
  assert.equal(table.split('\n\n')[0]?.split('\n').length, 3);
  assert.equal((await lines('--csv --limit 3')).length, 4);
  assert.equal((await lines('--json --limit 3')).length, 3);
  assert.equal((await lines('--show registrations --limit 1')).at(-1), '1 more are not shown.');
  // No call is left out: nothing is said of it.
  assert.ok(!(await printed([DEMO, '--limit', '21'])).includes('--limit'));
});

test('--calls leaves registrations and OPTIONS out', async () => {
  const methods = async (words: string): Promise<string[]> => (await lines(`--csv --columns method ${words}`)).slice(1);
  assert.ok((await methods('')).includes('REGISTER'));
  assert.deepEqual([...new Set(await methods('--calls'))], ['INVITE']);
  assert.equal((await methods('-c')).length, 16);
  assert.deepEqual(
    await methods('-c --filter from:2001'),
    (await methods('--filter from:2001')).filter((m) => m === 'INVITE'),
  );
  assert.match((await lines('--calls')).join('\n'), /\n16 of 21 dialogs match the filter\n/);
  const wrong = await run([DEMO, '--calls', '--filter', 'frm:2001']);
  assert.match(wrong.stderr, /character 1 \("frm/);
});

test('--for ends a live capture as a signal does', async () => {
  const r = await run(['-L', '127.0.0.1:0', '-E', '--for', '1s']);
  assert.equal(r.code, 0, r.stderr);
  assert.match(r.stdout, /^0 frames, 0 SIP messages, 0 dialogs/m);
  assert.ok(r.elapsedMs >= 1000);
});

test('--limit ends a live capture when so many calls have ended', async () => {
  const port = await freePort();
  const live = start(['-L', `127.0.0.1:${port}`, '-E', '--calls', '--json', '--limit', '3']);
  const done = finished(live);
  await listen(live).said(/hep listening on/);
  await run([DEMO, '-H', `tcp://127.0.0.1:${port}`]);
  const r = await done;
  assert.equal(r.code, 0, r.stderr);
  const calls = r.stdout
    .trimEnd()
    .split('\n')
    .map((line) => asJson(JSON.parse(line)));
  assert.deepEqual(
    calls.map(({ method }) => method),
    ['INVITE', 'INVITE', 'INVITE'],
  );
});

test('--overview says that a long capture has more calls than it counts', async () => {
  const path = join(folder, 'days.pcap');
  const say = /^Calls before that are left out: an overview has the newest 48 hours\.$/m;
  for (const [days, hasMore] of [
    [1, false],
    [3, true],
  ] as const) {
    writeFileSync(
      path,
      new Talk()
        .call(0, [[1, 200]])
        .call(days * 86_400, [[1, 200]])
        .capture.pcap(),
    );
    const shown = await printed([path, '--overview']);
    assert.match(shown, hasMore ? /^Calls 1 /m : /^Calls 2 /m);
    assert.equal(say.test(shown), hasMore, `${days} days`);
  }
});

test('--overview of RTP alone is a minute of nothing', async () => {
  const path = join(folder, 'rtp.pcap');
  const made = callCases().find(({ name }) => name === 'orphan-rtp') ?? assert.fail();
  writeFileSync(path, made.bytes);
  const { span } = JSON.parse(await printed([path, '--overview', '--json'])) as AskOverview;
  assert.deepEqual(
    span?.cells.map(({ attempts, messages }) => [attempts, messages]),
    [[0, 0]],
  );
});

test('--overview: JSON is the document of /ask/overview, CSV has its cells, and the text its figures', async () => {
  const [document = ''] = await lines('--overview --json');
  const { span, is_counting, troubles } = JSON.parse(document) as AskOverview;
  assert.ok(is_counting && span !== undefined && troubles.length > 0);
  // The whole file, and no more.
  assert.deepEqual(
    span.cells.map(({ at, attempts }) => [at.slice(11, 16), attempts]),
    [
      ['09:00', 15],
      ['09:01', 1],
    ],
  );
  const [head = '', ...rows] = await lines('--overview --csv');
  const cellOf = (row: string): Record<string, string> => {
    const values = row.split(',');
    return Object.fromEntries(head.split(',').map((name, i) => [name, values[i] ?? '']));
  };
  const text = (value: number | undefined): string => (value === undefined ? '' : String(value));
  assert.deepEqual(
    rows.map(cellOf),
    span.cells.map((cell) => ({
      at: cell.at,
      attempts: text(cell.attempts),
      answered: text(cell.answered),
      effective: text(cell.effective),
      failed: text(cell.failed),
      canceled: text(cell.canceled),
      asr_pct: text(cell.asr_pct),
      ner_pct: text(cell.ner_pct),
      'pdd_ms.count': text(cell.pdd_ms?.count),
      'pdd_ms.p50': text(cell.pdd_ms?.p50),
      'pdd_ms.p95': text(cell.pdd_ms?.p95),
      'mos.count': text(cell.mos?.count),
      'mos.p05': text(cell.mos?.p05),
      'mos.p50': text(cell.mos?.p50),
      loss_pct: text(cell.loss_pct),
      codes: cell.codes.map(({ code, calls }) => `${code}:${calls}`).join(' '),
      talking: text(cell.talking),
      most_talking: text(cell.most_talking),
      messages: text(cell.messages),
    })),
  );
  const shown = (await lines('--overview')).join('\n');
  assert.match(shown, /^Calls 16 {2}Answered 12 {2}Failed 3 {2}Canceled 1 {2}ASR 75\.0 % /m);
  assert.match(shown, /^192\.0\.2\.10 +out +up +10 of 12 +83\.3$/m);
  assert.equal((await lines('--show overview --csv --limit 1')).length, 2);
});
