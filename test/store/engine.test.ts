/** The engine of the tests: what it acknowledged survives SIGKILL, and it answers as ClickHouse's HTTP interface does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { untilHolds } from '../helpers/patience.ts';
import { INSERT_SETTINGS, skipWithoutStore, startStore, type TestStore } from '../helpers/store.ts';

const skip = skipWithoutStore();
const TABLE = 'CREATE TABLE t (n UInt32, version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY n';
const INSERT = 'INSERT INTO t FORMAT JSONEachRow';

test('rows that were acknowledged are there after SIGKILL, whatever was under way', { skip }, async (t) => {
  const store = await startStore(t);
  await store.ask('CREATE DATABASE calltap', { database: 'default' });
  await store.ask(TABLE);
  let stored = 0;
  for (let round = 1; round <= 3; round++) {
    const inserting = insertUntilGone(store, (rows) => {
      stored += rows;
    });
    await untilHolds(() => stored >= round * 5_000);
    await store.kill();
    await inserting;
    await store.start();
    const [row] = await store.rows('SELECT count() AS n FROM t FINAL');
    assert.ok(typeof row === 'object' && row !== null && 'n' in row);
    // The last one may have been written without an answer.
    assert.ok(row.n === stored || row.n === stored + ROWS, `${String(row.n)} rows, ${stored} acknowledged`);
    stored = Number(row.n);
  }
});

const ROWS = 1_000;
let next = 0;

/** Inserts rows with new numbers until the store does not answer any more; tells each time that it acknowledged them. */
async function insertUntilGone(store: TestStore, onStored: (rows: number) => void): Promise<void> {
  for (;;) {
    const n = next;
    next += ROWS;
    const lines = Array.from({ length: ROWS }, (_, i) => `{"n":${n + i},"version":1}\n`).join('');
    const answer = await store.ask(INSERT, INSERT_SETTINGS, lines).catch(() => null);
    if (answer === null) return;
    assert.equal(answer.status, 200, answer.text);
    onStored(ROWS);
  }
}

test('bodies in gzip and in chunks, parameters, settings for one query, and the summary', { skip }, async (t) => {
  const store = await startStore(t);
  await store.ask('CREATE DATABASE calltap', { database: 'default' });
  await store.ask(TABLE);
  const line = '{"n":1,"version":1,"more":true}\n';
  const query = new URLSearchParams({ database: 'calltap', query: INSERT, ...INSERT_SETTINGS });
  const zipped = await fetch(`${store.url}/?${query}`, {
    method: 'POST',
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(line.repeat(3)),
  });
  assert.equal(zipped.status, 200, await zipped.text());
  assert.match(zipped.headers.get('x-clickhouse-summary') ?? '', /"written_rows": "3"/);
  const chunked = await fetch(`${store.url}/?${query}`, {
    method: 'POST',
    body: new Blob([line.replace('1', '2')]).stream(),
    duplex: 'half',
  });
  assert.equal(chunked.status, 200, await chunked.text());
  const found = await store.rows('SELECT n FROM t FINAL WHERE n >= {least:UInt32} ORDER BY n', { param_least: '2' });
  assert.deepEqual(found, [{ n: 2 }]);
  // The settings of the queries before are gone.
  const strict = await store.ask(INSERT, { input_format_skip_unknown_fields: '0' }, line);
  assert.deepEqual([strict.status, strict.code], [400, 117], strict.text);
  const again = await store.ask(INSERT, {}, line);
  assert.equal(again.status, 200, again.text);
});

test('what it refuses has the status and the number of ClickHouse', { skip }, async (t) => {
  const store = await startStore(t);
  const cases: readonly (readonly [query: string, parameters: Record<string, string>, status: number, code: number])[] =
    [
      ['SELEC 1', { database: 'default' }, 400, 62],
      ['SELECT 1', {}, 404, 81],
      ['SELECT * FROM t', { database: 'default' }, 404, 60],
      ['SELECT x', { database: 'default' }, 404, 47],
      ['SELECT 1', { database: 'default', no_such_setting: '1' }, 404, 115],
    ];
  for (const [query, parameters, status, code] of cases) {
    const answer = await store.ask(query, parameters);
    assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
    assert.match(answer.text, new RegExp(`^Code: ${code}\\. DB::Exception: `));
  }
  const half = gzipSync('{"n":1}').subarray(0, 12);
  const cut = await fetch(`${store.url}/?query=SELECT%201`, {
    method: 'POST',
    headers: { 'Content-Encoding': 'gzip' },
    body: half,
  });
  assert.deepEqual([cut.status, cut.headers.get('x-clickhouse-exception-code')], [500, '354']);
  assert.equal((await fetch(`${store.url}/ping`)).status, 200);
});
