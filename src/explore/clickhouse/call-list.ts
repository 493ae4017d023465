/**
 * Lists of calls: a row a part, sorted and paged by the store. A cursor names the last row of the page before by its figure and
 * its key, so that calls which come and go meanwhile neither repeat nor skip others.
 */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { AskCalls, Call, DialogSummary, HiddenBy } from '../../contract/index.ts';
import { SUMMARY_FIELDS } from '../../core/call-fields.ts';
import { counted } from '../../core/counted.ts';
import type { Names } from '../../core/names.ts';
import { NO_NAMES } from '../../core/names.ts';
import { timestampText, usOf } from '../../core/timestamp.ts';
import type { CallsQuestion, Sort } from '../question.ts';
import { callOfStored, listedBut, SORT_SQL } from './field-sql.ts';
import type { Asking } from './filter-sql.ts';
import { filterSql } from './filter-sql.ts';
import { KEY } from './parts.ts';
import { AMOUNT_OR_NULL, COUNT, rowShape, TEXT, TEXTS, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

/** A part of a call has these columns. */
const PLACE = { host: TEXT, boot: TEXT, number: COUNT, call_id: TEXT, created_at: TIME, updated_at: TIME };
/** What else is asked of a row by name. */
const ALSO = { messages: COUNT, hints: TEXTS, explanation: TEXT, from_display: TEXT, to_display: TEXT };
const FIELDS_LISTED = listedBut([...Object.keys(PLACE), 'messages']);
const LISTED = { ...FIELDS_LISTED.shapes, ...ALSO };
const LIST_COLUMNS = `${FIELDS_LISTED.sql}, ${Object.keys(ALSO).join(', ')}`;

export const LIST_ROW = rowShape({ ...LISTED, ...PLACE });
export type CallListRow = Static<typeof LIST_ROW>;
export const LISTED_OF_PART = { sql: LIST_COLUMNS, shapes: LISTED };
export const LIST_ROW_COLUMNS = `${Object.keys(PLACE).join(', ')}, ${LIST_COLUMNS}`;

/** What a call is sorted by; null goes last, whichever way. */
const sortSql = (by: string): string => SORT_SQL.get(by) ?? 'duration_sec';

type Cursor = {
  readonly key: number | null;
  readonly createdUs: number;
  readonly host: string;
  readonly boot: string;
  readonly number: number;
};

const SORTED_ROW = rowShape({ ...LISTED, ...PLACE, sorted_by: AMOUNT_OR_NULL });
type SortedRow = Static<typeof SORTED_ROW>;

/** Rejects with a refusal. */
export async function pageOf(
  reader: StoreReader,
  asking: Asking,
  question: CallsQuestion,
  limit: number,
  cursor: string,
): Promise<AskCalls> {
  const parameters = new SqlParameters();
  const { where, isNewestHour, isDear } = filterSql(question.filter, asking, parameters);
  const keys = isDear ? `groupArray(${KEYS})((toUnixTimestamp(hour), host, boot, number))` : '[]';
  const matched = await reader.row(
    MATCHED,
    `SELECT uniqExact(call_hash) AS calls, count() AS parts, toUnixTimestamp64Micro(min(created_at)) AS first,
       toUnixTimestamp64Micro(max(created_at)) AS last, ${keys} AS keys
     FROM calls FINAL WHERE ${where}`,
    parameters,
  );
  const answer: AskCalls = { schema_version: 1, total: matched.calls, calls: [] };
  if (matched.parts === 0) return { ...answer, hidden_by: await hiddenBy(reader, asking, isNewestHour) };
  const after = readCursor(cursor);
  let rows: SortedRow[] = [];
  for (const found of wheres(asking, question, matched, after, limit)) {
    rows = await rowsOf(reader, found, question.sort, after, limit);
    if (rows.length > limit) break;
  }
  const page = rows.slice(0, limit);
  answer.calls = page.map((row) => listedCall(row, asking.names));
  const last = page.at(-1);
  if (rows.length > limit && last !== undefined) answer.next_cursor = writeCursor(last);
  return answer;
}

/** Keys of so many parts: all of them where no more match. */
const KEYS = 512;

/**
 * How many calls and parts of calls a filter leaves, and when the first and the last of them began (µs). Where it took long to
 * find them, the keys of some.
 */
const MATCHED = rowShape({
  calls: COUNT,
  parts: COUNT,
  first: Type.Integer(),
  last: Type.Integer(),
  keys: Type.Array(Type.Tuple([COUNT, TEXT, TEXT, COUNT]), { maxItems: KEYS }),
});
type Matched = Static<typeof MATCHED>;

type Where = { readonly where: string; readonly parameters: SqlParameters };

/** The newest calls are looked for where so many pages of them most likely are. */
const PAGES = 4;

/**
 * Where the rows of a page are, each wider than the one before, so that the filter need not look at all calls a second time:
 * the few that it left, or the newest of the many.
 */
function wheres(
  asking: Asking,
  { filter, sort }: CallsQuestion,
  { parts, first, last, keys }: Matched,
  after: Cursor | null,
  limit: number,
): Where[] {
  const parameters = new SqlParameters();
  if (keys.length === parts) return [{ where: amongKeys(keys, parameters), parameters }];
  const all = { where: filterSql(filter, asking, parameters).where, parameters };
  const share = (PAGES * (limit + 1)) / parts;
  if (sort.by !== 'created' || !sort.isDescending || share > 0.5) return [all];
  const fromUs = Math.min(last, after?.createdUs ?? last) - share * (last - first);
  const ofNewest = new SqlParameters();
  return [{ where: filterSql(filter, asking, ofNewest, fromUs).where, parameters: ofNewest }, all];
}

function amongKeys(keys: Matched['keys'], parameters: SqlParameters): string {
  const columns = [
    `arrayMap(x -> toDateTime(x, 'UTC'), ${parameters.add(
      keys.map(([hour]) => hour),
      'Array(UInt32)',
    )})`,
    parameters.add(
      keys.map(([, host]) => host),
      'Array(String)',
    ),
    parameters.add(
      keys.map(([, , boot]) => boot),
      'Array(String)',
    ),
    parameters.add(
      keys.map(([, , , number]) => number),
      'Array(UInt64)',
    ),
  ];
  return `(${KEY}) IN (SELECT arrayJoin(arrayZip(${columns.join(', ')})))`;
}

/** The rows behind a place, one more than a page has. */
function rowsOf(
  reader: StoreReader,
  { where, parameters }: Where,
  sort: Sort,
  after: Cursor | null,
  limit: number,
): Promise<SortedRow[]> {
  const order = orderOf(sort);
  const rest = after === null ? '' : ` AND ${behind(after, sort, parameters)}`;
  const chosen = `SELECT ${KEY} FROM calls FINAL WHERE ${where}${rest} ORDER BY ${order} LIMIT ${limit + 1}`;
  return reader.rows(
    SORTED_ROW,
    `SELECT ${LIST_ROW_COLUMNS}, ${sortSql(sort.by)} AS sorted_by FROM calls FINAL WHERE (${KEY}) IN (${chosen}) ORDER BY ${order}`,
    parameters,
    limit + 1,
  );
}

function orderOf({ by, isDescending }: Sort): string {
  const way = isDescending ? 'DESC' : 'ASC';
  // Equals stay in order of arrival, but creation goes backwards as a whole.
  const ties = by === 'created' ? way : 'ASC';
  return `isNull(${sortSql(by)}), ${sortSql(by)} ${way}, created_at ${ties}, host ${ties}, boot ${ties}, number ${ties}`;
}

/** What comes behind a place in that order. */
function behind(
  { key, createdUs, host, boot, number }: Cursor,
  { by, isDescending }: Sort,
  parameters: SqlParameters,
): string {
  const sorted = sortSql(by);
  const isBack = by === 'created' && isDescending;
  const place = `(${parameters.time(createdUs)}, ${parameters.add(host, 'String')}, ${parameters.add(boot, 'String')}, ${parameters.add(number, 'UInt64')})`;
  const isLater = `(created_at, host, boot, number) ${isBack ? '<' : '>'} ${place}`;
  if (key === null) return `(isNull(${sorted}) AND ${isLater})`;
  const at = parameters.add(key, 'Float64');
  return `(isNull(${sorted}) OR ${sorted} ${isDescending ? '<' : '>'} ${at} OR (${sorted} = ${at} AND ${isLater}))`;
}

function writeCursor(row: SortedRow): string {
  const place = [row.sorted_by, usOf(row.created_at), row.host, row.boot, row.number];
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Null for what is no cursor. */
function readCursor(text: string): Cursor | null {
  try {
    const [key, createdUs, host, boot, number]: readonly unknown[] = JSON.parse(
      Buffer.from(text, 'base64url').toString('utf8'),
    );
    if (typeof key !== 'number' && key !== null) return null;
    if (typeof createdUs !== 'number' || !Number.isSafeInteger(number)) return null;
    if (typeof host !== 'string' || typeof boot !== 'string' || typeof number !== 'number' || number < 0) return null;
    return { key: key ?? null, createdUs, host, boot, number };
  } catch {
    return null;
  }
}

export function listedCall(row: CallListRow, names: Names): Call {
  return callOfStored(row, row.host, names);
}

/** A list row of `/v1`. */
export function summaryOf(row: CallListRow): DialogSummary {
  const call: Readonly<Record<string, unknown>> = callOfStored(row, row.host, NO_NAMES);
  const fields = SUMMARY_FIELDS.flatMap((name) => (call[name] === undefined ? [] : [[name, call[name]]]));
  // Its fields are some of those of a call.
  return Object.fromEntries(fields) as DialogSummary;
}

/** What could hide the calls of a question that found none. */
async function hiddenBy(reader: StoreReader, { nowUs }: Asking, isNewestHour: boolean): Promise<HiddenBy[]> {
  const row = await reader.row(
    rowShape({ calls: COUNT, hosts: COUNT, first: TIME, last: TIME }),
    'SELECT count() AS calls, uniq(host) AS hosts, min(created_at) AS first, max(updated_at) AS last FROM calls',
    new SqlParameters(),
  );
  if (row.calls === 0)
    return [
      {
        what: 'no-packets',
        text: 'The store has no call: no agent has shipped one (--ship), or all are older than it keeps.',
      },
    ];
  const found: HiddenBy[] = [];
  if (isNewestHour)
    found.push({
      what: 'span',
      text: `Without a time the newest hour is looked at, from ${timestampText(nowUs - 3_600e6)}; add since:1d, or a whole number or Call-ID.`,
    });
  found.push({
    what: 'span',
    text: `The store has rows of ${counted(row.hosts, 'host')}, from ${row.first} to ${row.last}.`,
  });
  return found;
}
