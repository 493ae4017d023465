/** What `/v1/dialogs` and `/ask/changes` ask of the store, and which agents ship to it. */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { DialogList } from '../../contract/index.ts';
import type { DialogFilter } from '../../view/dialog-query.ts';
import { countByMethod } from '../../view/dialog-query.ts';
import type { Changes } from '../changes.ts';
import { MAX_CHANGES_A_TURN } from '../changes.ts';
import { LIST_ROW, LIST_ROW_COLUMNS, summaryOf } from './call-list.ts';
import type { Asking } from './filter-sql.ts';
import { newestHour } from './filter-sql.ts';
import { KEY } from './parts.ts';
import { COUNT, COUNTS, rowShape, TEXT, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader, StoreReaders } from './store-reader.ts';

/** Milliseconds between two looks for calls that changed, and for how long rows may be on their way into the store. @cap */
const HUB_CHANGES_MS = 2_000;
const HUB_SETTLE_MS = 3_000;

const METHOD = rowShape({ method: TEXT, count: COUNT });
/** Whoever may insert can name methods as he likes. */
const METHODS = 1_000;

/** Of the newest hour, newest first, a row a part. Rejects with a refusal. */
export async function dialogsOf(reader: StoreReader, asking: Asking, filter: DialogFilter): Promise<DialogList> {
  const { state, fromPattern, limit, offset } = filter;
  const parameters = new SqlParameters();
  const conditions: string[] = [...newestHour(asking, parameters)];
  if (state !== undefined) conditions.push(`state = ${parameters.add(state, 'String')}`);
  if (fromPattern !== undefined)
    conditions.push(`from_user != '' AND match(from_user, ${parameters.add(`(?-s:${fromPattern})`, 'String')})`);
  const where = conditions.join(' AND ');
  const order = 'created_at DESC, host DESC, boot DESC, number DESC';
  const [methods, rows] = await Promise.all([
    reader.rows(
      METHOD,
      `SELECT method, uniqExact(call_hash) AS count FROM calls FINAL WHERE ${where} GROUP BY method LIMIT ${METHODS}`,
      parameters,
      METHODS,
    ),
    reader.rows(
      LIST_ROW,
      `SELECT ${LIST_ROW_COLUMNS} FROM calls FINAL WHERE (${KEY}) IN (
         SELECT ${KEY} FROM calls FINAL WHERE ${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset})
       ORDER BY ${order}`,
      parameters,
      limit,
    ),
  ]);
  return {
    schema_version: 1,
    total: methods.reduce((sum, { count }) => sum + count, 0),
    by_method: countByMethod(new Map(methods.map(({ method, count }) => [method, count]))),
    offset,
    limit,
    dialogs: rows.map(summaryOf),
  };
}

/** Calls that came into the store since a moment, of those that began in the last two hours. */
export class StoredChanges {
  readonly #readers: StoreReaders;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(readers: StoreReaders) {
    this.#readers = readers;
  }

  /** A moment is the clock of the store, in milliseconds. Rejects with a refusal. */
  since(since: number | null): Promise<Changes> {
    if (since !== null && performance.now() < this.#lookedMs + HUB_CHANGES_MS)
      return Promise.resolve({ upTo: since, rows: [] });
    this.#lookedMs = performance.now();
    return this.#readers.read((reader) => changedSince(reader, since));
  }
}

async function changedSince(reader: StoreReader, since: number | null): Promise<Changes> {
  const { ms: upTo } = await reader.row(
    rowShape({ ms: Type.Integer() }),
    `SELECT toUnixTimestamp64Milli(now64(3)) - ${HUB_SETTLE_MS} AS ms`,
    new SqlParameters(),
  );
  if (since === null || upTo <= since) return { upTo: Math.max(upTo, since ?? 0), rows: [] };
  const parameters = new SqlParameters();
  const time = (ms: number): string => `fromUnixTimestamp64Milli(${parameters.add(String(ms), 'Int64')}, 'UTC')`;
  const rows = await reader.rows(
    LIST_ROW,
    `SELECT ${LIST_ROW_COLUMNS} FROM calls FINAL
       WHERE hour >= toStartOfHour(${time(upTo)}) - 7200 AND stored_at > ${time(since)} AND stored_at <= ${time(upTo)}
       LIMIT ${MAX_CHANGES_A_TURN + 1}`,
    parameters,
    MAX_CHANGES_A_TURN + 1,
  );
  return { upTo, rows: rows.length > MAX_CHANGES_A_TURN ? null : rows.map(summaryOf) };
}

/**
 * A run of an agent by its newest heartbeat, and what the store has of it. Whoever may insert can forge a row. `api` is what it
 * calls its own address: shown, never dialled. `firstNumber` and `lastNumber` are those of its calls; 0 without one.
 */
const AGENT_ROW = rowShape({
  host: TEXT,
  boot: TEXT,
  at: TIME,
  startedAt: TIME,
  product: TEXT,
  api: TEXT,
  callsBegun: COUNT,
  rowsMade: COUNT,
  rowsStored: COUNT,
  losses: COUNTS,
  storedCalls: COUNT,
  firstNumber: COUNT,
  lastNumber: COUNT,
});
export type AgentRow = Static<typeof AGENT_ROW>;

const AGENT_ROWS = 1_000;

/** The newest runs first, at most 1,000. Rejects with a refusal. */
export function agentRowsOf(reader: StoreReader): Promise<AgentRow[]> {
  return reader.rows(
    AGENT_ROW,
    `SELECT a.host AS host, a.boot AS boot, a.at AS at, a.started_at AS startedAt, a.product AS product, a.api AS api,
       a.calls_begun AS callsBegun, a.rows_made AS rowsMade, a.rows_stored AS rowsStored, a.losses AS losses,
       k.stored AS storedCalls, k.first AS firstNumber, k.last AS lastNumber
     FROM (SELECT * FROM agents FINAL ORDER BY at DESC LIMIT ${AGENT_ROWS}) AS a
     LEFT JOIN (SELECT host, boot, uniqExact(number) AS stored, min(number) AS first, max(number) AS last FROM calls GROUP BY host, boot)
       AS k ON a.host = k.host AND a.boot = k.boot
     ORDER BY at DESC, host, boot`,
    new SqlParameters(),
    AGENT_ROWS,
  );
}
