/**
 * What is asked of single calls: the agent's own document, its messages, its ladder, its streams, and two of them side by side.
 */
import type {
  AskCompare,
  AskExplained,
  AskHead,
  AskLadder,
  AskMessages,
  AskQuality,
  AskStream,
  CallDocument,
  PhoneReport,
} from '../../contract/index.ts';
import { grouped } from '../../core/maps.ts';
import type { Names } from '../../core/names.ts';
import { NO_NAMES } from '../../core/names.ts';
import type { Steps } from '../../core/turns.ts';
import type { Side } from '../../view/compare.ts';
import { compared, MESSAGES_COMPARED } from '../../view/compare.ts';
import { sentencesOf, withLook } from '../../view/explained.ts';
import { drawnLadder } from '../../view/ladder.ts';
import { MAX_LEGS_SHOWN } from '../limits.ts';
import { LISTED_OF_PART, listedCall } from './call-list.ts';
import type { PartKey, PartWith } from './parts.ts';
import { callName, NO_COLUMNS, partsOfAll, partsWith, readCallName } from './parts.ts';
import { COUNT, TEXT } from './row-shapes.ts';
import type { StoreReader } from './store-reader.ts';
import { explanationIn, readDocument, unreadable } from './stored-document.ts';
import type { Completed } from './stored-segments.ts';
import { streamsCompleted } from './stored-segments.ts';
import type { StoredCall, Trace } from './trace.ts';
import { askMessages, factsOf, keyOf, ladderMessages, openingMessage, parsed, traceOf } from './trace.ts';

const DOCUMENT = { sql: 'document', shapes: { document: TEXT } };
const STORED = { sql: 'messages', shapes: { messages: COUNT } };
const STORED_DOCUMENT = { sql: 'messages, document', shapes: { ...STORED.shapes, ...DOCUMENT.shapes } };
type Documented = PartWith<typeof DOCUMENT.shapes>;

/** The document of the part that saw the first message, and all hosts that saw the call. Null where it is not there. */
export async function documentOf(reader: StoreReader, name: string): Promise<CallDocument | null> {
  const parts = await partsWith(reader, name, DOCUMENT);
  const [first] = await reader.inTurns(readable(parts));
  if (first === undefined) return null;
  const { part, document } = first;
  const whole = { ...document, hosts: hostsOf(parts) };
  const { signaling_diagnosis: found } = document;
  if (parts.length === 1 || found === undefined) return whole;
  return {
    ...whole,
    signaling_diagnosis: renumbered(found, part, await traceOf(reader, await storedCalls(reader, [name]))),
  };
}

type SignalingDiagnosis = NonNullable<CallDocument['signaling_diagnosis']>;

/** Evidence names messages of the part; whoever reads the call has those of all hosts. */
function renumbered(found: SignalingDiagnosis, part: PartKey, trace: Trace): SignalingDiagnosis {
  const indexOf = numbersOf(part, trace);
  const changed = Object.entries(found).map(([name, finding]) => {
    const isProven = typeof finding === 'object' && finding !== null && 'evidence' in finding;
    return [name, isProven ? { ...finding, evidence: finding.evidence.flatMap((i) => indexOf.get(i) ?? []) } : finding];
  });
  // The same names with the same shapes.
  return Object.fromEntries(changed) as SignalingDiagnosis;
}

/** Number of each message of the part among those of all hosts. */
function numbersOf(part: PartKey, { messages }: Trace): ReadonlyMap<number, number> {
  const indexOf = new Map<number, number>();
  for (const { index, row, copies } of messages)
    for (const seen of [row, ...copies]) if (keyOf(seen) === keyOf(part)) indexOf.set(seen.message, index);
  return indexOf;
}

/** What is wrong, as all parts say it: each sentence once, and its messages by their numbers among those of all hosts. */
async function explanationOf(
  reader: StoreReader,
  name: string,
  parts: readonly PartWith<typeof LISTED_OF_PART.shapes>[],
): Promise<AskExplained[]> {
  const said = parts.map((part) => ({ part, explanation: explanationIn(part.row) }));
  if (parts.length === 1) return said.flatMap(({ explanation }) => explanation);
  const isProven = said.some(({ explanation }) => explanation.some(({ messages }) => messages !== undefined));
  const trace = isProven ? await traceOf(reader, await storedCalls(reader, [name])) : null;
  const whole = new Map<string, AskExplained>();
  for (const { part, explanation } of said) {
    const indexOf = trace === null ? null : numbersOf(part, trace);
    for (const one of explanation) {
      const { finding, texts, messages } = one;
      const key = JSON.stringify([finding, texts]);
      if (whole.has(key)) continue;
      const numbers = messages?.flatMap((i) => indexOf?.get(i) ?? []);
      whole.set(key, numbers === undefined ? one : { ...one, messages: numbers });
    }
  }
  return [...whole.values()];
}

function hostsOf(parts: readonly Documented[]): string[] {
  return [...new Set(parts.map(({ host }) => host))];
}

type Readable = { readonly part: PartKey; readonly document: CallDocument };

/** Those that can be read, in the order of the parts. Throws Away where there are parts, and none of them can. */
function* readable(parts: readonly Documented[]): Steps<Readable[]> {
  const found: Readable[] = [];
  for (const part of parts) {
    const { host, row } = part;
    const document = readDocument(row.document);
    yield;
    if (document === null) continue;
    const streams = document.streams.map((stream) => ({ ...stream, host }));
    found.push({ part, document: { ...document, host, streams } });
  }
  if (parts.length > 0 && found.length === 0) throw unreadable(hostsOf(parts));
  return found;
}

/** The streams of the documents that can be read, in the order of the parts. */
async function streamsIn(
  reader: StoreReader,
  parts: readonly Documented[],
  completed: Completed,
): Promise<AskStream[]> {
  const found = await reader.inTurns(readable(parts));
  return found.flatMap(({ part, document }) => document.streams.map((stream) => completed(part, stream)));
}

/** Its list row, and what is wrong in sentences; of several parts all sentences. */
export async function headOf(reader: StoreReader, name: string, names: Names): Promise<AskHead | null> {
  const parts = await partsWith(reader, name, LISTED_OF_PART);
  const first = parts[0]?.row;
  if (first === undefined) return null;
  const explanation = withLook(await explanationOf(reader, name, parts));
  const hints = [...new Set(sentencesOf(explanation))];
  const head: AskHead = { schema_version: 1, call: listedCall(first, names), hints, explanation };
  if (first.from_display !== '') head.from_display = first.from_display;
  if (first.to_display !== '') head.to_display = first.to_display;
  return head;
}

/** Those of the calls that are in the store. */
export function storedCalls(reader: StoreReader, names: readonly string[]): Promise<StoredCall[]> {
  return callsWith(partsOfAll(reader, names, STORED));
}

async function callsWith<P extends PartWith<typeof STORED.shapes>>(
  found: Promise<(readonly P[])[]>,
): Promise<(StoredCall & { readonly stored: readonly P[] })[]> {
  return (await found).flatMap((stored) => {
    const [first] = stored;
    const parts = stored.map((part) => ({ ...part, messages: part.row.messages }));
    return first === undefined ? [] : [{ callId: first.row.call_id, parts, stored }];
  });
}

/** Null where none of them is there. */
export async function messagesOf(reader: StoreReader, names: readonly string[]): Promise<AskMessages | null> {
  const calls = await storedCalls(reader, names.slice(0, MAX_LEGS_SHOWN));
  if (calls.length === 0) return null;
  const callIds = calls.map(({ callId }) => callId);
  return reader.inTurns(askMessages(callIds, beyond(names), await traceOf(reader, calls)));
}

function beyond(names: readonly string[]): number {
  return Math.max(0, names.length - MAX_LEGS_SHOWN);
}

export async function ladderOf(
  reader: StoreReader,
  names: readonly string[],
  called: Names,
): Promise<AskLadder | null> {
  const calls = await callsWith(partsOfAll(reader, names.slice(0, MAX_LEGS_SHOWN), STORED_DOCUMENT));
  if (calls.length === 0) return null;
  const parts = calls.flatMap((call) => call.parts);
  const trace = await traceOf(reader, calls);
  const { clocks, notKept } = trace;
  const completed = await streamsCompleted(reader, parts);
  const media: Parameters<typeof drawnLadder>[0]['media'][number][] = [];
  for (const { callId, stored } of calls)
    for (const s of worstOf(await streamsIn(reader, stored, completed)))
      media.push({
        call_id: callId,
        src: s.src,
        dst: s.dst,
        ssrc: s.ssrc,
        packets: s.packets,
        loss_pct: s.loss_pct,
        ...(s.not_known === undefined ? {} : { not_known: s.not_known }),
        first_seen: s.first_seen,
        last_seen: s.last_seen,
        ...(s.codec === undefined ? {} : { codec: s.codec }),
        ...(s.mos === undefined ? {} : { mos: s.mos }),
      });
  const drawn = drawnLadder(
    {
      callIds: calls.map(({ callId }) => callId),
      moreCalls: beyond(names),
      startedUs: parts.reduce((least, { createdUs }) => Math.min(least, createdUs), Number.POSITIVE_INFINITY),
      messages: await reader.inTurns(ladderMessages(trace)),
      media,
      notKept,
    },
    (address) => called.of(address),
  );
  const ladder = await reader.inTurns(drawn);
  return clocks === null ? ladder : { ...ladder, clocks: clocks.shown() };
}

/** Where the hosts of a call saw one stream, these stand together, in the order of the hosts. */
function byStream(streams: readonly AskStream[]): AskStream[][] {
  return [...grouped(streams, ({ ssrc, src, dst }) => `${ssrc} ${src} ${dst}`).values()];
}

/** A stream that several hosts saw is that of the host that missed most of it. */
function worstOf(streams: readonly AskStream[]): AskStream[] {
  return byStream(streams).flatMap((same) => same.toSorted((a, b) => b.loss_pct - a.loss_pct).slice(0, 1));
}

/** The streams of all hosts, each with its host: where they differ, something was lost between. */
export async function qualityOf(reader: StoreReader, name: string): Promise<AskQuality | null> {
  const parts = await partsWith(reader, name, DOCUMENT);
  const [first] = parts;
  if (first === undefined) return null;
  const streams = await streamsIn(reader, parts, await streamsCompleted(reader, parts));
  const reports = await reportsIn(reader, parts);
  return {
    schema_version: 1,
    call_id: first.row.call_id,
    streams: byStream(streams).flat(),
    ...(reports.length === 0 ? {} : { phone_reports: reports }),
  };
}

/** What phones and agents reported, each report once: several hosts may have seen it. */
async function reportsIn(reader: StoreReader, parts: readonly Documented[]): Promise<PhoneReport[]> {
  const once = new Map<string, PhoneReport>();
  for (const { document } of await reader.inTurns(readable(parts)))
    for (const one of document.phone_reports ?? []) {
      const { kind, heard, sent, user, starts, stops } = one;
      const key = JSON.stringify([kind, heard, sent, user, starts, stops]);
      if (!once.has(key)) once.set(key, one);
    }
  return [...once.values()];
}

/** Null where one of them is not there, or both are one. */
export async function comparisonOf(reader: StoreReader, a: string, b: string): Promise<AskCompare | null> {
  const [first, second] = await Promise.all([sideOf(reader, a), sideOf(reader, b)]);
  return first === null || second === null ? null : compared([first, second]);
}

async function sideOf(reader: StoreReader, name: string): Promise<Side | null> {
  // The part that saw the first message: the others saw the same call.
  const [part] = await partsWith(reader, name, LISTED_OF_PART);
  if (part === undefined) return null;
  const { row } = part;
  const { messages } = await traceOf(reader, [{ callId: row.call_id, parts: [{ ...part, messages: row.messages }] }]);
  const opening = openingMessage(messages);
  return {
    call: listedCall(row, NO_NAMES),
    opening: opening === undefined ? null : parsed(opening.row),
    messages: await reader.inTurns(shownOnce(messages)),
  };
}

function* shownOnce(messages: Trace['messages']): Steps<Side['messages'][number][]> {
  const made: Side['messages'][number][] = [];
  for (const one of messages) {
    if (made.length === MESSAGES_COMPARED) break;
    if (one.row.notes.every((note) => !REPEATED.has(note))) made.push(factsOf(one));
    yield;
  }
  return made;
}

const REPEATED: ReadonlySet<string> = new Set(['again', 'duplicate', 'copy']);

/** The name of the call that a selector means: an exact one wins over `id:…`. */
export async function selected(reader: StoreReader, selector: string): Promise<string | null> {
  const names = [...new Set([selector, selector.startsWith('id:') ? selector.slice(3) : selector])];
  const found = await partsOfAll(reader, names, NO_COLUMNS);
  const name = names.find((_, i) => (found[i]?.length ?? 0) > 0);
  return name === undefined ? null : callName(readCallName(name));
}
