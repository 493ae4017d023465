/**
 * Copies the calls of one hour in a store over ten days: the rows that agents shipped, with other hosts, numbers and times, and
 * other digits where a mark of store-calls.ts stands. Every column that can be inserted goes along, whatever the schema has.
 */
import { quoted } from '../src/explore/clickhouse/schema.ts';
import type { TestStore } from '../test/helpers/store.ts';
import { COPY_DIGITS, MARKS } from './store-calls.ts';

export const COPIED_TABLES = ['calls', 'ids', 'messages', 'streams', 'minute'] as const;

/** Copies go to the newest hour of each day first, then to the hour before it, then to further hosts. */
const DAYS = 10;
const HOURS = 10;
export const SLOTS = DAYS * HOURS;

const HOUR_SEC = 3_600;
/** What may be read and written at once: large parts need few merges. */
const SETTINGS = { max_query_size: '4194304', min_insert_block_size_bytes: '536870912', max_memory_usage: '0' };

type Column = { readonly name: string; readonly type: string };
/** A copy: its number, and the calls of a copy. */
type Copy = { readonly n: number; readonly calls: number; readonly hourSec: number };

/** Rejects with what the store said. */
export async function command(store: TestStore, query: string): Promise<void> {
  const { status, text } = await store.ask(query, SETTINGS);
  if (status !== 200) throw new Error(`${status} ${text}: ${query.slice(0, 200)}`);
}

/**
 * Fills the tables with so many copies of what the store has. `hourSec`: when the hour of the calls begins, in seconds since the
 * epoch.
 */
export async function copyCalls(store: TestStore, calls: number, copies: number, hourSec: number): Promise<void> {
  for (const table of COPIED_TABLES) {
    const columns = await columnsOf(store, table);
    const names = columns.map(({ name }) => `\`${name}\``).join(', ');
    await command(store, `CREATE TABLE made_${table} ENGINE = Memory AS SELECT ${names} FROM ${table} FINAL`);
    await command(store, `TRUNCATE TABLE ${table}`);
    // What merges make of half of the copies is made anew with the other half.
    await command(store, `SYSTEM STOP MERGES ${table}`);
    for (let slot = 0; slot < SLOTS; slot++) {
      const selects: string[] = [];
      for (let n = slot; n < copies; n += SLOTS) {
        const values = columns.map((column) => valueSql(column, { n, calls, hourSec })).join(', ');
        selects.push(`SELECT ${values} FROM made_${table}`);
      }
      if (selects.length > 0) await command(store, `INSERT INTO ${table} (${names}) ${selects.join('\nUNION ALL ')}`);
    }
    await command(store, `SYSTEM START MERGES ${table}`);
    await command(store, `DROP TABLE made_${table} SYNC`);
    process.stderr.write(`bench: ${table} copied\n`);
  }
}

/** Merges all parts of each partition into one. */
export async function mergeParts(store: TestStore): Promise<void> {
  const parts = await store.rows(
    `SELECT DISTINCT table, partition_id FROM system.parts
     WHERE database = 'calltap' AND active AND table IN (${COPIED_TABLES.map(quoted).join(', ')}) ORDER BY table, partition_id`,
  );
  for (const { table, partition_id: id } of parts as { table: string; partition_id: string }[])
    await command(store, `OPTIMIZE TABLE ${table} PARTITION ID ${quoted(id)} FINAL`);
}

async function columnsOf(store: TestStore, table: string): Promise<Column[]> {
  const rows = await store.rows(
    `SELECT name, type FROM system.columns WHERE database = 'calltap' AND table = ${quoted(table)}
       AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') ORDER BY position`,
  );
  return rows as Column[];
}

/** The value of a column in a copy. */
function valueSql({ name, type }: Column, copy: Copy): string {
  const column = `\`${name}\``;
  if (name === 'host') return `concat('sbc', ${quoted(String(Math.floor(copy.n / SLOTS) + 1))})`;
  if (name === 'boot') return column;
  // Streams without a call have the number 0. A later call has a greater one.
  if (name === 'number') return `if(number = 0, 0, number + ${(SLOTS - 1 - ageOf(copy.n)) * 2 * copy.calls})`;
  const element = /^Array\((.*)\)$/.exec(type)?.[1];
  const value = (of: string, what: string): string | null => {
    if (/^DateTime/.test(what)) return timeSql(of, copy.n);
    return /^(?:LowCardinality\()?(?:Nullable\()?String\b/.test(what) ? textSql(of, copy) : null;
  };
  if (element === undefined) return value(column, type) ?? column;
  const each = value('x', element);
  return each === null ? column : `arrayMap(x -> ${each}, ${column})`;
}

/** How many hours of calls are newer. */
function ageOf(n: number): number {
  return (n % DAYS) * HOURS + (Math.floor(n / DAYS) % HOURS);
}

function secondsBefore(n: number): number {
  return (n % DAYS) * 24 * HOUR_SEC + (Math.floor(n / DAYS) % HOURS) * HOUR_SEC;
}

/** The epoch says that a time is not known. */
function timeSql(of: string, n: number): string {
  return `if(toUnixTimestamp(${of}) = 0, ${of}, ${of} - toIntervalSecond(${secondsBefore(n)}))`;
}

function textSql(of: string, { n, hourSec }: Copy): string {
  const zeros = '0'.repeat(COPY_DIGITS);
  const marked = MARKS.reduce((text, [before, behind]) => {
    const [from, to] = [zeros, String(n).padStart(COPY_DIGITS, '0')].map((digits) => before + digits + behind);
    return `replaceAll(${text}, ${quoted(from ?? '')}, ${quoted(to ?? '')})`;
  }, of);
  // Documents have times as texts. Calls that begin in an hour end in the next one at the latest.
  return [0, HOUR_SEC].reduce((text, more) => {
    const [from, to] = [hourSec + more, hourSec + more - secondsBefore(n)].map((sec) =>
      new Date(sec * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH:'.length),
    );
    return `replaceAll(${text}, ${quoted(from ?? '')}, ${quoted(to ?? '')})`;
  }, marked);
}
