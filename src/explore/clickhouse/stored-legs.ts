/**
 * The other legs of a call, on whatever host: `ids` finds which calls share an identifier, and then they are scored as on one
 * host. Agents ship no identifiers of single hops, so a branch or an origin line alone ties only calls that are found otherwise.
 */
import { messagesOf } from '../../analysis/call-messages.ts';
import { callTree } from '../../analysis/call-tree.ts';
import { correlatedLegs } from '../../analysis/correlation.ts';
import type { CallIdentifier } from '../../analysis/opening.ts';
import { openingOf, referIdentifiers } from '../../analysis/opening.ts';
import { laterTies } from '../../analysis/ties.ts';
import type { CallTree, Correlation } from '../../contract/index.ts';
import { RecalledDialogs } from '../../ingest/recalled.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { MAX_TIED } from '../../store/dialogs/identifier-index.ts';
import { toCallTree, toCorrelation } from '../../view/correlation.ts';
import { legNotes } from '../../view/leg-notes.ts';
import type { OtherLegs } from '../question-row.ts';
import { storedCalls } from './call-answers.ts';
import { KEY, readCallName } from './parts.ts';
import { rowShape, TEXT } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import type { StoredCall } from './trace.ts';
import { traceOf } from './trace.ts';

/** Calls of the store that may be legs of one. @cap */
const HUB_LEGS = 64;

/** Calls are looked for through so many others. */
const HOPS = 6;
/** Legs of a call begin within a day of each other, and what a REFER asks for within a minute of it. */
const SPAN_US = 86_400e6;
const REFER_US = 60e6;
/** Requests of a call that are read for whom it calls. */
const REQUESTS = 16;
/** Guesses by time and address: as on one host, legs begin within two seconds. */
const GUESS_SEC = 2;

const CALL_ID = rowShape({ call_id: TEXT });
const SHARED = rowShape({ text: TEXT });

type Recalled = { readonly calls: readonly StoredCall[]; readonly stores: RecalledDialogs };
type RecalledCall = { readonly root: Dialog; readonly stores: RecalledDialogs };
/** Call-IDs, itself first, and what too many calls share. */
type Tied = { readonly callIds: Set<string>; readonly common: ReadonlySet<string> };

/** Null where the call is not there, or nothing of its messages. */
async function recalled(
  reader: StoreReader,
  name: string,
  callIdHeaders: readonly string[],
  hasGuesses: boolean,
): Promise<RecalledCall | null> {
  const { callId } = readCallName(name);
  const own = await recall(reader, [callId], callIdHeaders);
  if (own.stores.dialogs.get(callId) === undefined) return null;
  const [tied, near] = await Promise.all([
    tiedTo(reader, callId, own, callIdHeaders),
    hasGuesses ? nearTo(reader, callId) : [],
  ]);
  const callIds = [...new Set([...tied.callIds, ...near])].slice(0, HUB_LEGS);
  const { stores } = callIds.length === 1 ? own : await recall(reader, callIds, callIdHeaders);
  // Those that are near in time share it too.
  for (const text of tied.common) stores.identifiers.bar(text);
  const root = stores.dialogs.get(callId);
  return root === undefined ? null : { root, stores };
}

async function recall(
  reader: StoreReader,
  callIds: readonly string[],
  callIdHeaders: readonly string[],
): Promise<Recalled> {
  const calls = await storedCalls(reader, callIds);
  const stores = new RecalledDialogs(HUB_LEGS, callIdHeaders);
  const { messages } = await traceOf(reader, calls);
  await reader.inTurns(stores.addAll(messages));
  return { calls, stores };
}

/** Those that share an identifier with it, or with one of them. */
async function tiedTo(
  reader: StoreReader,
  callId: string,
  own: Recalled,
  callIdHeaders: readonly string[],
): Promise<Tied> {
  const known = new Set([callId]);
  const common = new Set<string>();
  let newest = own;
  for (let hop = 0; hop < HOPS && newest.calls.length > 0 && known.size < HUB_LEGS; hop++) {
    const named = namedBy(newest, callIdHeaders);
    for (const text of await sharedByMany(reader, named)) common.add(text);
    const names = named.names.filter((text) => !common.has(text));
    const alike = await namedAlike(reader, { ...named, names });
    const others = alike.filter((text) => !known.has(text)).slice(0, HUB_LEGS - known.size);
    if (others.length === 0) break;
    for (const text of others) known.add(text);
    newest = await recall(reader, others, callIdHeaders);
  }
  return { callIds: known, common };
}

/** Of these names those that more than MAX_TIED calls of one host are tied by within the span: they name no call. */
async function sharedByMany(reader: StoreReader, { names, first, last }: CallNames): Promise<string[]> {
  const parameters = new SqlParameters();
  const wanted = parameters.add(names, 'Array(String)');
  const [from, to] = [parameters.time(first - SPAN_US), parameters.time(last + SPAN_US)];
  const rows = await reader.rows(
    SHARED,
    `SELECT DISTINCT text FROM (
       SELECT text FROM ids
       WHERE ${digests(wanted)} AND has(${wanted}, text) AND kind = 'correlation' AND hour BETWEEN toStartOfHour(${from}) AND ${to}
       GROUP BY text, host HAVING uniqUpTo(${MAX_TIED})(boot, number) > ${MAX_TIED})`,
    parameters,
    names.length,
  );
  return rows.map((row) => row.text);
}

/** What calls are known by: their own names and what they name, whom a REFER sent them to, whom they called, and when they were. */
type CallNames = {
  readonly names: readonly string[];
  readonly referred: readonly string[];
  readonly asked: readonly string[];
  readonly first: number;
  readonly last: number;
};

/** Of one call at least. */
function namedBy({ calls, stores }: Recalled, callIdHeaders: readonly string[]): CallNames {
  const parts = calls.flatMap((call) => call.parts);
  const found = calls.flatMap(({ callId }): readonly CallIdentifier[] => {
    const d = stores.dialogs.get(callId);
    if (d === undefined) return [{ kind: 'call_id', text: callId }];
    // Each host that saw the call may have seen another request open it.
    const messages = messagesOf(d, stores.log);
    const requests = messages.filter((m) => m.isRequest);
    const opening = requests.slice(0, REQUESTS).flatMap((m) => openingOf(callIdHeaders, d, m).identifiers);
    const ties = laterTies(callIdHeaders, messages, 0).map((text): CallIdentifier => ({ kind: 'correlation', text }));
    const referred = d.referTo === null ? [] : referIdentifiers(d.referTo);
    return [...opening, ...ties, ...referred];
  });
  const texts = (...kinds: readonly CallIdentifier['kind'][]): string[] =>
    [...new Set(found.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text))].slice(0, HUB_LEGS);
  return {
    names: texts('call_id', 'correlation'),
    referred: texts('refer'),
    asked: texts('request'),
    first: parts.reduce((least, { createdUs }) => Math.min(least, createdUs), Number.POSITIVE_INFINITY),
    last: parts.reduce((most, { updatedUs }) => Math.max(most, updatedUs), Number.NEGATIVE_INFINITY),
  };
}

/** Call-IDs of calls that are named alike, or that a REFER tied together within a minute. */
async function namedAlike(reader: StoreReader, { names, referred, asked, first, last }: CallNames): Promise<string[]> {
  const parameters = new SqlParameters();
  const at = (us: number): string => parameters.time(us);
  const keys = (texts: readonly string[], kinds: string): string => {
    const wanted = parameters.add(texts, 'Array(String)');
    return `(${KEY}) IN (SELECT ${KEY} FROM ids WHERE ${digests(wanted)} AND has(${wanted}, text) AND kind IN (${kinds}))`;
  };
  const rows = await reader.rows(
    CALL_ID,
    `SELECT DISTINCT call_id FROM calls FINAL
     WHERE hour BETWEEN toStartOfHour(${at(first - SPAN_US)}) AND ${at(last + SPAN_US)} AND (
       ${keys(names, `'correlation', 'call_id'`)}
       OR (${keys(referred, `'request'`)} AND created_at BETWEEN ${at(first)} AND ${at(last + REFER_US)})
       OR (${keys(asked, `'refer'`)} AND created_at <= ${at(last)} AND updated_at >= ${at(first - REFER_US)}))
     LIMIT ${HUB_LEGS}`,
    parameters,
    HUB_LEGS,
  );
  return rows.map((row) => row.call_id);
}

const digests = (texts: string): string =>
  `id IN (SELECT substring(SHA256(x), 1, 16) FROM (SELECT arrayJoin(${texts}) AS x))`;

/** Call-IDs of calls that one address began, or got, within two seconds, the nearest first. */
async function nearTo(reader: StoreReader, callId: string): Promise<string[]> {
  const parameters = new SqlParameters();
  const text = parameters.add(callId, 'String');
  const call = `SELECT ${KEY} FROM ids WHERE id = substring(SHA256(${text}), 1, 16) AND text = ${text} AND kind = 'call_id'`;
  const rows = await reader.rows(
    CALL_ID,
    `WITH (SELECT (min(created_at), any(method), groupUniqArrayArray([src, dst])) FROM calls FINAL WHERE (${KEY}) IN (${call})) AS own
     SELECT DISTINCT call_id FROM calls FINAL
     WHERE hour BETWEEN toStartOfHour(own.1 - ${GUESS_SEC}) AND own.1 + ${GUESS_SEC}
       AND created_at BETWEEN own.1 - ${GUESS_SEC} AND own.1 + ${GUESS_SEC} AND method = own.2
       AND call_id != ${text} AND hasAny(own.3, [src, dst])
     ORDER BY abs(toUnixTimestamp64Micro(created_at) - toUnixTimestamp64Micro(own.1)), call_id LIMIT ${HUB_LEGS}`,
    parameters,
    HUB_LEGS,
  );
  return rows.map((row) => row.call_id);
}

/** The other legs, tied by identifiers; null where the call has no messages in the store. */
export async function legsOf(reader: StoreReader, name: string, headers: readonly string[]): Promise<OtherLegs | null> {
  // Guesses are no legs.
  const found = await recalled(reader, name, headers, false);
  if (found === null) return null;
  const tree = await reader.inTurns(callTree(found.root, found.stores, HUB_LEGS, false));
  const callIds = tree.nodes.flatMap(({ dialog }) => (dialog === found.root ? [] : [dialog.callId]));
  return { callIds, probable: [], notes: legNotes(tree, found.stores.identifiers) };
}

export async function treeOf(
  reader: StoreReader,
  name: string,
  headers: readonly string[],
  maxRows: number,
): Promise<CallTree | null> {
  const found = await recalled(reader, name, headers, true);
  if (found === null) return null;
  return toCallTree(found.root, await reader.inTurns(callTree(found.root, found.stores, maxRows)));
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
