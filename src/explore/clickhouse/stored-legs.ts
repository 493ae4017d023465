/**
 * The other legs of a call, on whatever host: `ids` finds which calls share an identifier, and then they are scored as on one
 * host. Agents ship no identifiers of single hops, so a branch or an origin line alone ties only calls that are found otherwise.
 */
import { callTree } from '../../analysis/call-tree.ts';
import { correlatedLegs } from '../../analysis/correlation.ts';
import type { CallTree, Correlation } from '../../contract/index.ts';
import { HUB_LEGS } from '../../core/hub-limits.ts';
import { MAX_LEGS_SHOWN } from '../../core/item-limits.ts';
import { finish } from '../../core/turns.ts';
import { RecalledDialogs } from '../../ingest/recalled.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { toCallTree, toCorrelation } from '../../view/correlation.ts';
import { storedCalls } from './call-answers.ts';
import { readCallName } from './parts.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import { traceOf } from './trace.ts';

/** Calls are looked for through so many others. */
const HOPS = 6;
/** Legs of a call begin within a day of each other, and what a REFER asks for within a minute of it. */
const SPAN_US = 86_400e6;
const REFER_US = 60e6;
/** Guesses by time and address: as on one host, legs begin within two seconds. */
const GUESS_SEC = 2;

type Found = { readonly root: Dialog; readonly stores: RecalledDialogs };

/** Null where the call is not there, or nothing of its messages. */
async function recalled(
  reader: StoreReader,
  name: string,
  callIdHeaders: readonly string[],
  hasGuesses: boolean,
): Promise<Found | null> {
  const { callId } = readCallName(name);
  const callIds = await tiedTo(reader, callId);
  if (hasGuesses) for (const near of await nearTo(reader, callId, HUB_LEGS - callIds.size)) callIds.add(near);
  const { messages } = await traceOf(reader, await storedCalls(reader, [...callIds]));
  const stores = new RecalledDialogs(HUB_LEGS, callIdHeaders);
  for (const message of messages) stores.add({ ...message.row, atUs: message.atUs });
  const root = stores.dialogs.get(callId);
  return root === undefined ? null : { root, stores };
}

/** Call-IDs that share an identifier with it, or with one of them; itself first. */
async function tiedTo(reader: StoreReader, callId: string): Promise<Set<string>> {
  const known = new Set([callId]);
  let newest = [callId];
  for (let hop = 0; hop < HOPS && newest.length > 0 && known.size < HUB_LEGS; hop++) {
    const named = await namedBy(reader, newest);
    if (named === null) break;
    newest = (await namedAlike(reader, named)).filter((text) => !known.has(text)).slice(0, HUB_LEGS - known.size);
    for (const text of newest) known.add(text);
  }
  return known;
}

/** What calls are known by: their own names and what they name, whom a REFER sent them to, whom they called, and when they were. */
type Named = {
  readonly names: string[];
  readonly referred: string[];
  readonly asked: string[];
  readonly first: number;
  readonly last: number;
};

async function namedBy(reader: StoreReader, callIds: readonly string[]): Promise<Named | null> {
  const parameters = new SqlParameters();
  const wanted = parameters.add(callIds, 'Array(String)');
  const places = `SELECT hour, host, boot, number FROM ids WHERE ${digests(wanted)} AND has(${wanted}, text) AND kind = 'call_id'`;
  const times = await reader.row<{ first: number; last: number; n: number }>(
    `SELECT toUnixTimestamp64Micro(min(created_at)) AS first, toUnixTimestamp64Micro(max(updated_at)) AS last, count() AS n
     FROM calls FINAL WHERE (hour, host, boot, number) IN (${places})`,
    parameters,
  );
  if (times === undefined || times.n === 0) return null;
  const { first, last } = times;
  const texts = (kinds: string): string => `groupUniqArrayIf(${HUB_LEGS})(text, kind IN (${kinds}))`;
  const named = await reader.row<Pick<Named, 'names' | 'referred' | 'asked'>>(
    `SELECT ${texts(`'correlation', 'call_id'`)} AS names, ${texts(`'refer'`)} AS referred, ${texts(`'request'`)} AS asked
     FROM ids WHERE hour >= toStartOfHour(${parameters.time(first)}) AND (hour, host, boot, number) IN (${places})`,
    parameters,
  );
  return named === undefined ? null : { ...named, first, last };
}

/** Call-IDs of calls that are named alike, or that a REFER tied together within a minute. */
async function namedAlike(reader: StoreReader, { names, referred, asked, first, last }: Named): Promise<string[]> {
  const parameters = new SqlParameters();
  const at = (us: number): string => parameters.time(us);
  const keys = (texts: readonly string[], kinds: string): string => {
    const wanted = parameters.add(texts, 'Array(String)');
    return `(hour, host, boot, number) IN (SELECT hour, host, boot, number FROM ids WHERE ${digests(wanted)} AND has(${wanted}, text) AND kind IN (${kinds}))`;
  };
  const rows = await reader.rows<{ call_id: string }>(
    `SELECT DISTINCT call_id FROM calls FINAL
     WHERE hour BETWEEN toStartOfHour(${at(first - SPAN_US)}) AND ${at(last + SPAN_US)} AND (
       ${keys(names, `'correlation', 'call_id'`)}
       OR (${keys(referred, `'request'`)} AND created_at BETWEEN ${at(first)} AND ${at(last + REFER_US)})
       OR (${keys(asked, `'refer'`)} AND created_at <= ${at(last)} AND updated_at >= ${at(first - REFER_US)}))
     LIMIT ${HUB_LEGS}`,
    parameters,
  );
  return rows.map((row) => row.call_id);
}

const digests = (texts: string): string =>
  `id IN (SELECT substring(SHA256(x), 1, 16) FROM (SELECT arrayJoin(${texts}) AS x))`;

/** Call-IDs of calls that one address began, or got, within two seconds. */
async function nearTo(reader: StoreReader, callId: string, most: number): Promise<string[]> {
  const parameters = new SqlParameters();
  const text = parameters.add(callId, 'String');
  const call = `SELECT hour, host, boot, number FROM ids WHERE id = substring(SHA256(${text}), 1, 16) AND text = ${text} AND kind = 'call_id'`;
  const rows = await reader.rows<{ call_id: string }>(
    `WITH (SELECT (min(created_at), any(method), groupUniqArrayArray([src, dst])) FROM calls FINAL WHERE (hour, host, boot, number) IN (${call})) AS own
     SELECT DISTINCT call_id FROM calls FINAL
     WHERE hour BETWEEN toStartOfHour(own.1 - ${GUESS_SEC}) AND own.1 + ${GUESS_SEC}
       AND created_at BETWEEN own.1 - ${GUESS_SEC} AND own.1 + ${GUESS_SEC} AND method = own.2
       AND call_id != ${text} AND hasAny(own.3, [src, dst])
     ORDER BY abs(toUnixTimestamp64Micro(created_at) - toUnixTimestamp64Micro(own.1)), call_id LIMIT ${Math.max(0, most)}`,
    parameters,
  );
  return rows.map((row) => row.call_id);
}

/** Call-IDs of the other legs, tied by identifiers; null where the call has no messages in the store. */
export async function legsOf(reader: StoreReader, name: string, headers: readonly string[]): Promise<string[] | null> {
  // Guesses are no legs.
  const found = await recalled(reader, name, headers, false);
  if (found === null) return null;
  const { nodes } = finish(callTree(found.root, found.stores, MAX_LEGS_SHOWN));
  return nodes.flatMap(({ dialog, isFollowed }) => (isFollowed && dialog !== found.root ? [dialog.callId] : []));
}

export async function treeOf(
  reader: StoreReader,
  name: string,
  headers: readonly string[],
  maxRows: number,
): Promise<CallTree | null> {
  const found = await recalled(reader, name, headers, true);
  return found === null ? null : toCallTree(found.root, finish(callTree(found.root, found.stores, maxRows)));
}

export async function correlationOf(
  reader: StoreReader,
  name: string,
  headers: readonly string[],
  maxRows: number,
): Promise<Correlation | null> {
  const found = await recalled(reader, name, headers, true);
  if (found === null) return null;
  const { legs, total } = correlatedLegs(found.root, found.stores, maxRows);
  return toCorrelation(found.root, legs, total);
}
