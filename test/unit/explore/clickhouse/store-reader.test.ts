/** Whatever a store answers, a question gets rows of the shape that it asked for, or a sentence that says why not. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { NO_NAMES } from '../../../../src/core/names.ts';
import { COUNT, rowShape, TEXT } from '../../../../src/explore/clickhouse/row-shapes.ts';
import { SqlParameters } from '../../../../src/explore/clickhouse/sql.ts';
import { Store } from '../../../../src/explore/clickhouse/store.ts';
import { createStoreExplorer } from '../../../../src/explore/clickhouse/store-explorer.ts';
import type { StoreReader } from '../../../../src/explore/clickhouse/store-reader.ts';
import { HUB_ANSWER_BYTES, StoreReaders } from '../../../../src/explore/clickhouse/store-reader.ts';
import { Refusal } from '../../../../src/explore/refusal.ts';
import { storePlace } from '../../../helpers/fake-store.ts';
import type { StoreMode } from '../../../helpers/hostile-store.ts';
import { columnsIn, HostileStore } from '../../../helpers/hostile-store.ts';

async function startStore(t: TestContext): Promise<{ store: HostileStore; readers: StoreReaders }> {
  const store = new HostileStore();
  t.after(() => store.stop());
  const url = await store.start();
  const readers = new StoreReaders(new Store(storePlace(url), { user: null, password: null, ca: null }, 'calltap'));
  t.after(() => readers.close());
  return { store, readers };
}

const ROW = rowShape({ host: TEXT, call_id: TEXT, messages: COUNT });
const SQL = 'SELECT host, call_id, messages FROM calls FINAL WHERE (hour, host, boot, number) IN (SELECT 1)';
/** The `nth` of statements that differ. */
function read(reader: StoreReader, nth = 0) {
  const parameters = new SqlParameters();
  parameters.add(nth, 'UInt64');
  return reader.rows(ROW, SQL, parameters, 1_000);
}

async function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  const error = await answer.then(
    () => assert.fail('it was answered'),
    (why: unknown) => why,
  );
  assert.ok(error instanceof Refusal, String(error));
  return error;
}

test('rows of the shape that was asked for are the answer', async (t) => {
  const { store, readers } = await startStore(t);
  assert.deepEqual(
    await readers.read((reader) => read(reader)),
    Array(3).fill({ host: 'sbc1', call_id: 'c0', messages: 1 }),
  );
  store.asked = 0;
  await readers.read((reader) => Promise.all([read(reader), read(reader), read(reader, 1)]));
  assert.equal(store.asked, 2);
  store.mode = 'empty';
  assert.deepEqual(await readers.read((reader) => read(reader)), []);
  // A sum has a row, whatever it counts.
  assert.match(
    (await refusalOf(readers.read((reader) => reader.row(ROW, SQL, new SqlParameters())))).message,
    /no row/,
  );
});

const REFUSED: Readonly<Partial<Record<StoreMode, RegExp>>> = {
  'null rows': /a row of another form/,
  'wrong types': /a row of another form/,
  'too many rows': /more than the 1000 rows that were asked for/,
  truncated: /a row of another form/,
  'closes midway': /the connection was closed/,
  redirect: /sends calltap to another place \(307\)/,
  error: /it refuses \(·\[31mno·\[0m\. \(NO_SUCH\), code 999\)/,
  'error midway': /it refuses \(·\[31mno/,
  'error lines': /^.{0,250}$/,
  'huge error': /^.{0,400}$/,
  garbage: /does not speak HTTP/,
  'one huge row': /a row of more than 8388608 bytes/,
  'row of arrays': /a row of another form/,
  endless: /more than the 1000 rows/,
};

for (const [mode, expected] of Object.entries(REFUSED))
  test(`a store with ${mode} is away, and says so in a line`, async (t) => {
    const { store, readers } = await startStore(t);
    store.mode = mode as StoreMode;
    const { kind, message } = await refusalOf(readers.read((reader) => read(reader)));
    assert.equal(kind, 'store-away');
    assert.match(message, expected);
    assert.doesNotMatch(message, /\p{Cc}/u);
    store.mode = 'ok';
    assert.equal((await readers.read((reader) => read(reader))).length, 3);
  });

test('an answer has a cap in bytes over all of its questions, and so have all that are made', async (t) => {
  const { store, readers } = await startStore(t);
  store.call = { document: { call_id: 'x'.repeat(4 * 1024 * 1024) }, messages: [] };
  const all = async (reader: StoreReader, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await read(reader, i);
  };
  // Three rows of 4 MiB each time.
  await readers.read((reader) => all(reader, 5));
  const { message } = await refusalOf(readers.read((reader) => all(reader, 6)));
  assert.match(message, new RegExp(`larger than ${HUB_ANSWER_BYTES} bytes`));
  const crowd = await Promise.allSettled(Array.from({ length: 3 }, () => readers.read((reader) => all(reader, 5))));
  assert.ok(crowd.some(({ status }) => status === 'rejected'));
  assert.ok(readers.counters.get('crowded') > 0);
  await readers.read((reader) => all(reader, 5));
});

test('rows of null end no look for changes but this one', async (t) => {
  const { store, readers } = await startStore(t);
  const explorer = createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [] });
  store.mode = 'null rows';
  await refusalOf(Promise.resolve(explorer.changes(null)));
});

test('the columns of a statement are read from it', () => {
  assert.deepEqual(columnsIn('SELECT a, f(b, [1, 2]) AS c, d FROM x'), ['a', 'c', 'd']);
  assert.deepEqual(columnsIn('WITH (SELECT 1) AS own SELECT DISTINCT e FROM x'), ['e']);
  assert.deepEqual(columnsIn('SELECT now() AS ms'), ['ms']);
});
