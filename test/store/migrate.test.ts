/** `calltap hub --migrate` on an engine: it makes what is missing, once, and leaves the store of a newer version alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/explore/clickhouse/migrate.ts';
import { readStore, type StorePlace } from '../../src/explore/clickhouse/place.ts';
import { forCluster, readSchema, schemaNumber } from '../../src/explore/clickhouse/schema.ts';
import { run } from '../cli/run-program.ts';
import { skipWithoutStore, startStore, type TestStore } from '../helpers/store.ts';
import { STORE_ROWS, TODAY } from '../helpers/store-rows.ts';

const skip = skipWithoutStore();
const NUMBER = schemaNumber(readSchema());
const NOBODY = { user: null, password: null, ca: null } as const;

function placeOf(store: TestStore): StorePlace {
  const place = readStore(store.url);
  assert.ok(!('reason' in place));
  return place;
}

test('a run makes the database and its tables, and a second run makes nothing', { skip }, async (t) => {
  const store = await startStore(t);
  const url = `${store.url}/calls_of_2026`;
  const tables = (): Promise<unknown[]> =>
    store.rows(`SELECT create_table_query AS text FROM system.tables WHERE database = 'calls_of_2026'`, {
      database: 'default',
    });
  const first = await run(['hub', '--migrate', '--store', url]);
  assert.deepEqual([first.code, first.stderr], [0, '']);
  assert.equal(first.stdout, `calltap: the store at ${url} has schema ${NUMBER}: 6 tables made\n`);
  const before = await tables();
  assert.equal(before.length, 6);
  const second = await run(['hub', '--migrate', '--store', `${url}/`]);
  assert.equal(second.stdout, `calltap: the store at ${url} has schema ${NUMBER}: nothing is missing\n`);
  assert.deepEqual(await tables(), before);
  // The default name of a database.
  const other = await run(['hub', '--migrate', '--store', store.url]);
  assert.equal(other.stdout, `calltap: the store at ${store.url}/calltap has schema ${NUMBER}: 6 tables made\n`);
});

test('a later schema adds its columns, keeps the rows, and is not taken back', { skip }, async (t) => {
  const store = await startStore(t);
  const place = placeOf(store);
  assert.deepEqual(await migrate(place, NOBODY, null), { schema: NUMBER, tables: 6, columns: 0 });
  await store.insert('agents', [{ host: 'sbc1', boot: 'a', version: 1, at: new Date().toISOString() }]);
  const next = [
    ...readSchema().slice(0, -1),
    'ALTER TABLE agents ADD COLUMN IF NOT EXISTS zone String, ADD COLUMN IF NOT EXISTS rack String',
    `ALTER TABLE agents MODIFY COMMENT 'calltap schema ${NUMBER + 1}'`,
  ];
  assert.deepEqual(await migrate(place, NOBODY, null, next), { schema: NUMBER + 1, tables: 0, columns: 2 });
  assert.deepEqual(await migrate(place, NOBODY, null, next), { schema: NUMBER + 1, tables: 0, columns: 0 });
  assert.deepEqual(await store.rows('SELECT host, zone FROM agents'), [{ host: 'sbc1', zone: '' }]);
  const older = await run(['hub', '--migrate', '--store', store.url]);
  assert.equal(older.code, 1);
  const line = `calltap: --store ${store.url}/calltap: a newer calltap gave it schema ${NUMBER + 1}; run that version\n`;
  assert.equal(older.stderr, line);
});

/** The statements of the schema before the one that has this column first, and what gives a store its number. */
function schemaBefore(column: string): string[] {
  const first = readSchema().findIndex((statement) => statement.includes(`EXISTS ${column} `));
  assert.ok(first > 0, column);
  return [...readSchema().slice(0, first), `ALTER TABLE agents MODIFY COMMENT 'calltap schema 3'`];
}

test('rows of schema 3 stay readable, its agents ship on, and later ones ship documents', { skip }, async (t) => {
  const store = await startStore(t);
  const place = placeOf(store);
  await migrate(place, NOBODY, null, schemaBefore('retransmits'));
  // An agent of schema 3 knows no other columns.
  const { retransmits: _1, final_status_code: _2, final_status_reason: _3, frame: _4, ...others } = STORE_ROWS.calls;
  const { from_host: _5, to_host: _6, not_known: _7, ...calls } = others;
  const document = {
    ...{
      call_id: 'in-document',
      state: 'Failed',
      method: 'INVITE',
      msg_count: 12,
      duration_sec: 1.25,
      from: 'a',
      to: 'b',
    },
    ...{ created_at: `${TODAY}T10:00:00.654321Z`, updated_at: `${TODAY}T10:00:01.904321Z`, input_origin: 'hep' },
    ...{ timing: { retransmits: 3, pdd_ms: 55 }, final_status_code: 503, final_status_reason: 'No', frame: 'f#1@2' },
  };
  const shipped = { ...calls, number: 1, document: JSON.stringify(document) };
  const key = ({ host, boot, hour }: typeof calls) => ({ host, boot, hour });
  await store.insert('calls', [shipped]);
  const { columns, tables } = await migrate(place, NOBODY, null);
  assert.ok(columns > 3 && tables === 0, `${columns}`);
  await store.insert('calls', [{ ...shipped, number: 2 }]);
  await store.insert('calls', [{ ...key(calls), number: 3, version: 1, document }]);
  const names = 'call_id, from_user, messages, created_at, retransmits, final_status_code, pdd_ms, origin';
  const old = { call_id: calls.call_id, from_user: calls.from_user, messages: 9, created_at: calls.created_at };
  const said = { retransmits: 3, final_status_code: 503 };
  assert.deepEqual(await store.rows(`SELECT number, ${names} FROM calls FINAL ORDER BY number`), [
    { number: 1, ...old, ...said, pdd_ms: 210, origin: 'wire' },
    { number: 2, ...old, ...said, pdd_ms: 210, origin: 'wire' },
    {
      ...{ number: 3, call_id: 'in-document', from_user: 'a', messages: 12, created_at: document.created_at },
      ...{ ...said, pdd_ms: 55, origin: 'hep' },
    },
  ]);
});

test('messages of an older schema get the hour that they were sent in', { skip }, async (t) => {
  const store = await startStore(t);
  const place = placeOf(store);
  await migrate(place, NOBODY, null);
  const today = new Date().toISOString().slice(0, 10);
  await store.ask('DROP TABLE messages');
  await store.ask(
    "CREATE TABLE messages (number UInt64, version UInt64, at DateTime64(6, 'UTC')) ENGINE = ReplacingMergeTree(version) ORDER BY number",
  );
  await store.insert('messages', [{ number: 7, version: 1, at: `${today}T10:59:59.999999Z` }]);
  assert.deepEqual(await migrate(place, NOBODY, null), { schema: NUMBER, tables: 0, columns: 1 });
  assert.deepEqual(await store.rows('SELECT number, toString(hour) AS hour FROM messages'), [
    { number: 7, hour: `${today} 10:00:00` },
  ]);
});

test('calls of schema 3 say what their first message did, and what their document has', { skip }, async (t) => {
  const store = await startStore(t);
  const place = placeOf(store);
  const before = readSchema().filter((statement) => !/request_uris|schema \d/.test(statement));
  await migrate(place, NOBODY, null, [...before, "ALTER TABLE agents MODIFY COMMENT 'calltap schema 3'"]);
  const call = {
    ...{
      host: 'sbc1',
      boot: 'a',
      number: 1,
      version: 1,
      hour: new Date().toISOString(),
      transport: 'UDP',
      origin: 'hep',
    },
    ...{ src: '192.0.2.1:5060', dst: '[2001:db8::1]:5061', user_agent: 'phone/1', reason: 'Busy Here', numbers: ['7'] },
    document: '{"tags":["transferred"],"from_display":"Al"}',
  };
  assert.equal(
    (await store.insert('calls', [call, { ...call, number: 2, src: '', user_agent: '', reason: '' }])).status,
    200,
  );
  await migrate(place, NOBODY, null);
  const columns =
    'tags, from_display, to_display, src_host, dst_host, user_agents, reasons, numbers, addresses, ports, transports, origins, domains';
  const old = {
    ...{ tags: ['transferred'], from_display: 'Al', to_display: '', src_host: '192.0.2.1', dst_host: '2001:db8::1' },
    ...{ user_agents: ['phone/1'], reasons: ['Busy Here'], numbers: ['7'], addresses: ['192.0.2.1', '2001:db8::1'] },
    ...{ ports: [5060, 5061], transports: ['UDP'], origins: ['hep'], domains: [] },
  };
  assert.deepEqual(await store.rows(`SELECT ${columns} FROM calls FINAL ORDER BY number`), [
    old,
    { ...old, src_host: '', user_agents: [], reasons: [], addresses: ['2001:db8::1'], ports: [5061] },
  ]);
});

test('what a cluster gets is SQL of this engine, and a cluster that is not there is named', { skip }, async (t) => {
  const store = await startStore(t);
  await migrate(placeOf(store), NOBODY, null);
  const statements = forCluster([...readSchema(), 'ALTER TABLE calls ADD COLUMN IF NOT EXISTS zone String'], `it's`);
  // A local table and a distributed one each; the number of the schema stands once.
  assert.equal(statements.length, 2 * (readSchema().length + 1) - 1);
  for (const statement of statements) {
    const { status, text } = await store.ask(`EXPLAIN AST ${statement}`);
    assert.equal(status, 200, `${statement}\n${text}`);
  }
  const missing = await run(['hub', '--migrate', '--store', store.url, '--cluster', 'nowhere']);
  assert.equal(missing.code, 1);
  assert.match(
    missing.stderr,
    /: it has no cluster of this name; give one that SELECT cluster FROM system\.clusters lists\n$/,
  );
});
