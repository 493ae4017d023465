/**
 * Makes the tables of a store, or adds what a store of an older schema lacks. A second run changes nothing. A store that a
 * newer calltap made is left alone.
 */
import type { ClickHouseClient } from '@clickhouse/client';
import { RemoteFailure } from '../remote/failures.ts';
import { storeFailure } from './failures.ts';
import type { StoreLogin, StorePlace } from './place.ts';
import { forCluster, named, quoted, readSchema, SCHEMA_COMMENT, schemaNumber } from './schema.ts';
import { openStore } from './store.ts';

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
    await withClient(place, login, null, (client) => makeDatabase(client, place.database, cluster));
    return await withClient(place, login, place.database, async (client) => {
      const before = await columnsOf(client);
      const found = await numberIn(client);
      if (found > schema) throw isNewer(found);
      for (const query of cluster === null ? statements : forCluster(statements, cluster))
        await client.command({ query });
      return { schema, ...added(before, await columnsOf(client)) };
    });
  } catch (error) {
    throw error instanceof RemoteFailure ? error : storeFailure(error);
  }
}

async function withClient<T>(
  place: StorePlace,
  login: StoreLogin,
  database: string | null,
  use: (client: ClickHouseClient) => Promise<T>,
): Promise<T> {
  const client = await openStore(place, login, database);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Who may make tables in a database may not always make databases: asked for only where it is missing. */
async function makeDatabase(client: ClickHouseClient, database: string, cluster: string | null): Promise<void> {
  const query = `SELECT name FROM system.databases WHERE name = ${quoted(database)}`;
  if ((await rows<{ name: string }>(client, query)).length > 0) return;
  const where = cluster === null ? '' : ` ON CLUSTER ${quoted(cluster)}`;
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${named(database)}${where}` });
}

/** How many columns each table has. */
async function columnsOf(client: ClickHouseClient): Promise<ReadonlyMap<string, number>> {
  const query = 'SELECT table, count() AS n FROM system.columns WHERE database = currentDatabase() GROUP BY table';
  const found = await rows<{ table: string; n: string }>(client, query);
  return new Map(found.map(({ table, n }) => [table, Number(n)]));
}

/** The number of the schema that is there; 0 where none is. */
export async function numberIn(client: ClickHouseClient): Promise<number> {
  const query =
    "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name IN ('agents', 'agents_local')";
  const found = await rows<{ comment: string }>(client, query);
  return Math.max(0, ...found.map(({ comment }) => Number(SCHEMA_COMMENT.exec(comment)?.[1] ?? 0)));
}

async function rows<T>(client: ClickHouseClient, query: string): Promise<T[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json<T>();
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
