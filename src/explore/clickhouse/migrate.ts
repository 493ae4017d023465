/**
 * Makes the tables of a store, or adds what a store of an older schema lacks. A second run changes nothing. A store that a
 * newer calltap made is left alone.
 */
import type { Static, TObject } from 'typebox';
import { Turns } from '../../core/turns.ts';
import { RemoteFailure } from '../../net/failures.ts';
import { storeFailure } from './failures.ts';
import type { StoreLogin, StorePlace } from './place.ts';
import { COUNT, rowShape, TEXT } from './row-shapes.ts';
import { forCluster, named, quoted, readSchema, SCHEMA_COMMENT, schemaNumber } from './schema.ts';
import { Store } from './store.ts';
import { readRows } from './store-rows.ts';

/** Milliseconds that one statement of `calltap hub --migrate` may take. @cap */
const STORE_TIMEOUT_MS = 60_000;

/** Rows that a store tells of itself: one a table. @cap */
const STORE_ROWS = 100_000;

export type Migrated = {
  readonly schema: number;
  /** Made by this run; on a cluster a local and a distributed one for each. */
  readonly tables: number;
  /** Added to tables that were there. */
  readonly columns: number;
};

/** `cluster` is null for one server; tests give statements of their own. Rejects with RemoteFailure. */
export async function migrate(
  place: StorePlace,
  login: StoreLogin,
  cluster: string | null,
  statements: readonly string[] = readSchema(),
): Promise<Migrated> {
  const schema = schemaNumber(statements);
  try {
    await withStore(place, login, null, (store) => makeDatabase(store, place.database, cluster));
    return await withStore(place, login, place.database, async (store) => {
      const before = await columnsOf(store);
      const found = await numberIn(store);
      if (found > schema) throw isNewer(found);
      for (const sql of cluster === null ? statements : forCluster(statements, cluster))
        await store.command({ sql }, STORE_TIMEOUT_MS);
      return { schema, ...added(before, await columnsOf(store)) };
    });
  } catch (error) {
    throw error instanceof RemoteFailure ? error : storeFailure(error);
  }
}

async function withStore<T>(
  place: StorePlace,
  login: StoreLogin,
  database: string | null,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = new Store(place, login, database);
  try {
    return await use(store);
  } finally {
    store.close();
  }
}

/** Who may make tables in a database may not always make databases: asked for only where it is missing. */
async function makeDatabase(store: Store, database: string, cluster: string | null): Promise<void> {
  const query = `SELECT name FROM system.databases WHERE name = ${quoted(database)}`;
  if ((await rows(store, rowShape({ name: TEXT }), query)).length > 0) return;
  const where = cluster === null ? '' : ` ON CLUSTER ${quoted(cluster)}`;
  await store.command({ sql: `CREATE DATABASE IF NOT EXISTS ${named(database)}${where}` }, STORE_TIMEOUT_MS);
}

/** How many columns each table has. */
async function columnsOf(store: Store): Promise<ReadonlyMap<string, number>> {
  const query = 'SELECT table, count() AS n FROM system.columns WHERE database = currentDatabase() GROUP BY table';
  const found = await rows(store, rowShape({ table: TEXT, n: COUNT }), query);
  return new Map(found.map(({ table, n }) => [table, n]));
}

/** The number of the schema that is there; 0 where none is. */
export async function numberIn(store: Store): Promise<number> {
  const query =
    "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name IN ('agents', 'agents_local')";
  const found = await rows(store, rowShape({ comment: TEXT }), query);
  return Math.max(0, ...found.map(({ comment }) => Number(SCHEMA_COMMENT.exec(comment)?.[1] ?? 0)));
}

/** What the store tells of itself. */
async function rows<T extends TObject>(store: Store, shape: T, query: string): Promise<Static<T>[]> {
  const statement = {
    sql: `${query}\nFORMAT JSONEachRow`,
    settings: { output_format_json_quote_64bit_integers: 0 },
  };
  const answer = await store.open(statement, STORE_TIMEOUT_MS);
  const bounds = { rows: STORE_ROWS, ms: STORE_TIMEOUT_MS, count: () => undefined };
  return readRows(answer, shape, bounds, new Turns(() => performance.now()));
}

function added(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Omit<Migrated, 'schema'> {
  let [tables, columns] = [0, 0];
  for (const [table, count] of after) {
    const had = before.get(table);
    if (had === undefined) tables++;
    else columns += count - had;
  }
  return { tables, columns };
}

function isNewer(found: number): RemoteFailure {
  return new RemoteFailure('no', `a newer calltap gave it schema ${found}`, 'run that version');
}
