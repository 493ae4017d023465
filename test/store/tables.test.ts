/** The tables of the store: what an agent writes comes back, the newest version alone, and the questions find it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readSchema, tablesOf } from '../../src/explore/clickhouse/schema.ts';
import {
  fleetStatements,
  INSERT_SETTINGS,
  skipWithoutStore,
  startMigratedStore,
  type TestStore,
} from '../helpers/store.ts';
import { STORE_ROWS, TODAY } from '../helpers/store-rows.ts';

const skip = skipWithoutStore();
async function insert(store: TestStore, table: string, ...rows: readonly object[]): Promise<void> {
  const { status, text } = await store.insert(table, rows);
  assert.equal(status, 200, text);
}

test('each table gives a row back as an agent wrote it, and skips fields that it does not have', {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  assert.deepEqual(Object.keys(STORE_ROWS), tablesOf(readSchema()));
  for (const [table, row] of Object.entries(STORE_ROWS)) {
    await insert(store, table, { ...row, field_of_a_later_version: [1, { a: null }] });
    assert.deepEqual(await store.rows(`SELECT * FROM ${table} FINAL`), [row], table);
  }
});

test('a row of a greater version replaces, one of a smaller does not, and none is there twice', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  for (const [table, row] of Object.entries(STORE_ROWS)) {
    const versions = [row, { ...row, version: 9 }, { ...row, version: 5 }, row, { ...row, version: 9 }];
    for (const one of versions) await insert(store, table, one);
    const found = await store.rows(`SELECT version FROM ${table} FINAL`);
    assert.deepEqual(found, [{ version: 9 }], table);
    await insert(store, table, ...versions);
    await store.ask(`OPTIMIZE TABLE ${table} FINAL`);
    assert.deepEqual(await store.rows(`SELECT version FROM ${table}`), [{ version: 9 }], `${table}, merged`);
  }
});

test('rows with another key stay beside each other', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const others = {
    calls: { number: 8 },
    ids: { kind: 'from' },
    messages: { message: 3 },
    streams: { stream: 13 },
    minute: { direction: 'in' },
    agents: { boot: 'ffeeddccbbaa99887766554433221100' },
  };
  for (const [table, row] of Object.entries(STORE_ROWS)) {
    const other = Object.entries(others).find(([name]) => name === table)?.[1];
    await insert(store, table, row, { ...row, ...other }, { ...row, host: 'sbc2' });
    assert.deepEqual(await store.rows(`SELECT count() AS n FROM ${table} FINAL`), [{ n: 3 }], table);
  }
});

test('rows of 40 days ago go, and those of yesterday stay', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  for (const [table, row] of Object.entries(STORE_ROWS)) {
    const column = 'hour' in row ? 'hour' : 'minute' in row ? 'minute' : 'at';
    // A partition for each, in two parts: what is to go goes when parts are merged.
    for (const days of [1, 40])
      for (const host of ['a', 'b']) await insert(store, table, { ...row, host, [column]: ago(days) });
    await store.ask(`OPTIMIZE TABLE ${table} FINAL`);
    const found = await store.rows(
      `SELECT host, toDate(${column}) < today() - 30 AS is_old FROM ${table} FINAL ORDER BY host`,
    );
    assert.deepEqual(
      found,
      ['a', 'b'].map((host) => ({ host, is_old: 0 })),
      table,
    );
  }
});

test('an identifier is found by the digest of its text, and a ladder by its key', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const { ids, messages } = STORE_ROWS;
  const kinds = ['call_id', 'correlation', 'from', 'to', 'request'];
  for (let n = 0; n < 3_000; n += 1_000)
    await insert(
      store,
      'ids',
      ...Array.from({ length: 1_000 }, (_, i) => ({ ...ids, text: `id-${n + i}`, number: n + i, kind: kinds[i % 5] })),
    );
  const text = 'id-1234';
  const digest = createHash('sha256').update(text).digest().subarray(0, 16).toString('hex').toUpperCase();
  const asked = { param_text: text };
  const where = 'WHERE id = substring(SHA256({text:String}), 1, 16) AND text = {text:String}';
  const found = await store.rows(`SELECT hex(id) AS digest, host, boot, number, kind FROM ids FINAL ${where}`, asked);
  assert.deepEqual(found, [{ digest, host: ids.host, boot: ids.boot, number: 1_234, kind: kinds[4] }]);
  await store.ask('OPTIMIZE TABLE ids FINAL');
  const { text: plan } = await store.ask(`EXPLAIN indexes = 1 SELECT number FROM ids ${where}`, asked);
  assert.match(plan, /PrimaryKey[\s\S]*Granules: 1\/3\b/);

  await insert(store, 'messages', ...[3, 1, 2].map((message) => ({ ...messages, message })));
  await insert(store, 'messages', { ...messages, number: 8 });
  const ladder = await store.rows(
    `SELECT message FROM messages FINAL WHERE hour = parseDateTimeBestEffort({hour:String}, 'UTC') AND host = {host:String}
     AND boot = {boot:String} AND number = {number:UInt64} ORDER BY message`,
    {
      param_hour: messages.hour,
      param_host: messages.host,
      param_boot: messages.boot,
      param_number: String(messages.number),
    },
  );
  assert.deepEqual(ladder, [{ message: 1 }, { message: 2 }, { message: 3 }]);
});

test('a row whose host is not that of its user is refused where the constraint of docs/fleet.md stands', {
  skip,
}, async (t) => {
  const store = await startMigratedStore(t);
  const statement = fleetStatements().find((one) => /^ALTER TABLE calltap\.calls ADD CONSTRAINT/.test(one));
  const added = await store.ask(statement ?? '');
  assert.equal(added.status, 200, added.text);
  const refused = await store.insert('calls', [STORE_ROWS.calls]);
  assert.deepEqual([refused.status, refused.code], [500, 469], refused.text);
  await insert(store, 'calls', { ...STORE_ROWS.calls, host: 'default' });
  assert.deepEqual(await store.rows('SELECT host FROM calls'), [{ host: 'default' }]);
});

test('a segment that the store refuses leaves no row, and its number says why', { skip }, async (t) => {
  const store = await startMigratedStore(t);
  const good = JSON.stringify(STORE_ROWS.calls);
  const many = Array.from({ length: 2_000 }, (_, i) => JSON.stringify({ ...STORE_ROWS.calls, number: i })).join('\n');
  // Two of them come with 500, as a store in trouble answers: the number decides, not the status.
  const bad: readonly (readonly [table: string, body: string, status: number, code: number])[] = [
    ['calls', `${many}\n{"host":"a","number":`, 500, 32],
    ['calls', `${many}\n{"host":"a","number":"seven"}`, 400, 27],
    ['calls', `${many}\n{"host":"a","number":-1}`, 400, 72],
    ['calls', `${many}\nnonsense`, 400, 27],
    ['calls', good.replace(`"${TODAY}T10:00:00Z"`, '"soon"'), 400, 41],
    ['calls', good.replace('"codecs":[', '"codecs":7,"x":['), 500, 130],
    // Half of a surrogate pair: whoever writes rows makes texts well-formed first.
    ['calls', JSON.stringify({ ...STORE_ROWS.calls, from_user: 'a\ud800' }), 400, 25],
    ['minute', JSON.stringify({ ...STORE_ROWS.minute, codes: { busy: 1 } }), 400, 27],
    ['nobody', good, 404, 60],
  ];
  for (const [table, body, status, code] of bad) {
    const answer = await store.ask(`INSERT INTO ${table} FORMAT JSONEachRow`, INSERT_SETTINGS, body);
    assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
  }
  const nowhere = await store.ask(
    'INSERT INTO calls FORMAT JSONEachRow',
    { ...INSERT_SETTINGS, database: 'nowhere' },
    good,
  );
  assert.deepEqual([nowhere.status, nowhere.code], [404, 81], nowhere.text);
  assert.deepEqual(await store.rows('SELECT count() AS n FROM calls'), [{ n: 0 }]);
  await insert(store, 'calls', STORE_ROWS.calls);
});
