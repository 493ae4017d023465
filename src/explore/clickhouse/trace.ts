/**
 * The messages of calls over all hosts, in one order: by time, clocks of hosts brought together, and by cause. A message that
 * two hosts saw, one as it left and one as it came, is there once.
 */
import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { AskMessage, AskMessages } from '../../contract/index.ts';
import { socketOf } from '../../core/ip.ts';
import { timestampText, usOf } from '../../core/timestamp.ts';
import type { Steps } from '../../core/turns.ts';
import { MESSAGE_NOTES, ORIGINS } from '../../core/words.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { parseSip, type SipMessage } from '../../protocols/sip/message.ts';
import { MAX_MESSAGE_BYTES } from '../../protocols/sip/scanner/scan-bounds.ts';
import { hasSdp } from '../../view/call-trace.ts';
import type { LadderMessage } from '../../view/ladder.ts';
import { messagesDocument, messagesShown } from '../../view/shown-messages.ts';
import type { ClockOffsets } from './clocks.ts';
import { clocksOf } from './clocks.ts';
import type { Part } from './parts.ts';
import { HUB_PARTS, KEY } from './parts.ts';
import { COUNT, rowShape, TEXT, TEXTS, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

/** Messages of a call that are asked of the store. @cap */
const HUB_MESSAGES = 20_000;

/** A call by its Call-ID, where it is, and how many messages it had there. */
export type StoredCall = { readonly callId: string; readonly parts: readonly (Part & { readonly messages: number })[] };

/** A message, by the clock of the first host. */
export type TracedMessage = {
  readonly callId: string;
  readonly index: number;
  readonly atUs: number;
  readonly hosts: readonly string[];
  readonly row: MessageRow;
  /** The rows of other hosts that saw it. */
  readonly copies: readonly MessageRow[];
};

export type Trace = {
  readonly messages: readonly TracedMessage[];
  /** Null where one host saw all. */
  readonly clocks: ClockOffsets | null;
  readonly notKept: number;
};

const MESSAGE_ROW = rowShape({
  host: TEXT,
  boot: TEXT,
  number: COUNT,
  message: COUNT,
  at: TIME,
  src: TEXT,
  dst: TEXT,
  transport: TEXT,
  origin: TEXT,
  summary: TEXT,
  notes: TEXTS,
  text: Type.String({ maxLength: MAX_MESSAGE_BYTES }),
});
export type MessageRow = Static<typeof MESSAGE_ROW>;

/** Rejects with a refusal. */
export async function traceOf(reader: StoreReader, calls: readonly StoredCall[]): Promise<Trace> {
  const parts = calls.flatMap(({ parts: all }) => all);
  const rows = parts.length === 0 ? [] : await rowsOf(reader, parts);
  return reader.inTurns(traced(calls, rows));
}

function* traced(calls: readonly StoredCall[], rows: readonly MessageRow[]): Steps<Trace> {
  const parts = calls.flatMap(({ parts: all }) => all);
  const notKept = Math.max(0, parts.reduce((sum, { messages }) => sum + messages, 0) - rows.length);
  const callIdOf = new Map(
    calls.flatMap(({ callId, parts: all }) => all.map((part) => [keyOf(part), callId] as const)),
  );
  const hosts = [...new Set(parts.map(({ host }) => host))];
  const isAlone = parts.length === 1;
  const named: Placed[] = [];
  for (const row of rows) {
    const callId = callIdOf.get(keyOf(row));
    // Of one host none are compared.
    if (callId !== undefined) named.push({ row, callId, atUs: usOf(row.at), same: isAlone ? '' : sameText(row) });
    yield;
  }
  if (isAlone || hosts.length === 0)
    return {
      messages: named.map((one) => ({ ...one, index: one.row.message, hosts: [one.row.host], copies: [] })),
      clocks: null,
      notKept,
    };
  const clocks = clocksOf(named, hosts.slice(0, HUB_PARTS));
  const merged = yield* merge(named.map((one) => ({ ...one, atUs: one.atUs - clocks.aheadUs(one.row.host) })));
  const ofCall = new Map<string, number>();
  const messages = (yield* byCause(merged)).map((one) => {
    const index = ofCall.get(one.callId) ?? 0;
    ofCall.set(one.callId, index + 1);
    return { ...one, index };
  });
  return { messages, clocks: hosts.length === 1 ? null : clocks, notKept };
}

/** What two texts share that are the same. A map compares all keys of one length that are longer than this. */
function sameText({ text }: MessageRow): string {
  return text.length > SHORT_CHARS ? hash('sha256', text) : text;
}

const SHORT_CHARS = 1_024;

export const keyOf = ({ host, boot, number }: Pick<Part, 'host' | 'boot' | 'number'>): string =>
  `${host} ${boot} ${number}`;

function rowsOf(reader: StoreReader, parts: readonly Part[]): Promise<MessageRow[]> {
  const parameters = new SqlParameters();
  const keys = parts.map(
    ({ hour, host, boot, number }) =>
      `(toDateTime(${parameters.add(usOf(hour) / 1e6, 'UInt32')}, 'UTC'), ${parameters.add(host, 'String')}, ${parameters.add(boot, 'String')}, ${parameters.add(number, 'UInt64')})`,
  );
  return reader.rows(
    MESSAGE_ROW,
    `SELECT host, boot, number, message, at, src, dst, transport, origin, summary, notes,
       substring(text, 1, ${MAX_MESSAGE_BYTES}) AS text FROM messages
     WHERE (${KEY}) IN (${keys.join(', ')})
     ORDER BY host, boot, number, message, version DESC LIMIT 1 BY host, boot, number, message LIMIT ${HUB_MESSAGES}`,
    parameters,
    HUB_MESSAGES,
  );
}

type Placed = Omit<TracedMessage, 'index' | 'hosts' | 'copies'> & { readonly same: string };
type Merged = Placed & { hosts: string[]; copies: MessageRow[] };

/** Oldest first; what two hosts saw is where the first one saw it. */
function* merge(all: readonly Placed[]): Steps<Merged[]> {
  const merged: Merged[] = [];
  const seen = new Map<string, { readonly of: Merged[]; readonly counts: Map<string, number> }>();
  for (const one of [...all].sort((a, b) => a.atUs - b.atUs)) {
    const { host } = one.row;
    const known = seen.get(one.same) ?? { of: [], counts: new Map<string, number>() };
    seen.set(one.same, known);
    const nth = known.counts.get(host) ?? 0;
    known.counts.set(host, nth + 1);
    // The second time that a host saw it is the second time that it was sent.
    const copied = known.of[nth];
    if (copied !== undefined && !copied.hosts.includes(host)) {
      copied.hosts.push(host);
      copied.copies.push(one.row);
    } else {
      const first = { ...one, hosts: [host], copies: [] };
      known.of.push(first);
      merged.push(first);
    }
    yield;
  }
  return merged;
}

/** No answer before its request (RFC 3261 section 17.1.3), whatever the clocks say. */
function* byCause<T extends { readonly row: MessageRow }>(messages: readonly T[]): Steps<T[]> {
  const keys: string[] = [];
  const requests = new Set<string>();
  for (const { row } of messages) {
    const key = transactionOf(row);
    keys.push(key);
    if (!isResponse(row)) requests.add(key);
    yield;
  }
  const asked = new Set<string>();
  const waiting = new Map<string, T[]>();
  const ordered: T[] = [];
  for (const [i, one] of messages.entries()) {
    const key = keys[i] ?? '';
    if (isResponse(one.row) && requests.has(key) && !asked.has(key)) {
      const answers = waiting.get(key) ?? [];
      waiting.set(key, answers);
      answers.push(one);
      continue;
    }
    ordered.push(one);
    if (isResponse(one.row) || asked.has(key)) continue;
    asked.add(key);
    for (const answer of waiting.get(key) ?? []) ordered.push(answer);
  }
  return ordered;
}

const isResponse = ({ text }: MessageRow): boolean => text.startsWith('SIP/2.0 ');
const BRANCH = /^(?:via|v)[ \t]*:[^\r\n]*?;[ \t]*branch[ \t]*=[ \t]*([^;,\s]+)/im;
const CSEQ = /^cseq[ \t]*:[ \t]*(\d+)[ \t]+(\S+)/im;

/** Branch, number and method of its transaction; what has none is one of its own kind. */
function transactionOf({ text }: MessageRow): string {
  const [, number = '', method = ''] = CSEQ.exec(text) ?? [];
  return `${BRANCH.exec(text)?.[1] ?? ''} ${number} ${method}`;
}

/** The request that opened a call, by its messages in order; where none of them is that, the first. */
export function openingMessage([first, ...others]: readonly TracedMessage[]): TracedMessage | undefined {
  if (first === undefined || !isResponse(first.row)) return first;
  const transaction = transactionOf(first.row);
  return others.find(({ row }) => !isResponse(row) && transactionOf(row) === transaction) ?? first;
}

/** The message as SIP; null where it is none. */
export function parsed({ text }: MessageRow): SipMessage | null {
  const bytes = Buffer.from(text);
  const read = parseSip(bytes, 0, bytes.length);
  return read.ok ? read.value : null;
}

export function factsOf({ callId, index, atUs, hosts, row }: TracedMessage): Omit<AskMessage, 'text'> {
  const message = parsed(row);
  return {
    call_id: callId,
    index,
    at: timestampText(atUs),
    src: row.src,
    dst: row.dst,
    transport: row.transport,
    origin: ORIGINS.find((name) => name === row.origin) ?? 'wire',
    summary: row.summary,
    notes: MESSAGE_NOTES.filter((note) => row.notes.includes(note)),
    has_sdp: message !== null && (hasSdp(message) || saysSdp(message)),
    hosts: [...hosts],
  };
}

/** Agents may leave bodies out. */
function saysSdp(message: SipMessage): boolean {
  const isThere = Number(message.value(HEADER.CONTENT_LENGTH)) > 0;
  return isThere && /application\/sdp|multipart\//i.test(message.value(HEADER.CONTENT_TYPE));
}

/** A step a message. */
export function* ladderMessages({ messages }: Trace): Steps<LadderMessage[]> {
  const made: LadderMessage[] = [];
  for (const one of messages) {
    const { callId, row, atUs } = one;
    const ends = { src: socketOf(row.src), dst: socketOf(row.dst) };
    made.push({ callId, ...ends, tsUs: atUs, isResponse: isResponse(row), facts: () => factsOf(one) });
    yield;
  }
  return made;
}

export function* askMessages(
  callIds: readonly string[],
  moreCalls: number,
  { messages, clocks, notKept }: Trace,
): Steps<AskMessages> {
  const shown = yield* messagesShown(
    messages,
    ({ callId }) => callId === callIds[0],
    (one) => ({ ...factsOf(one), text: one.row.text }),
  );
  const document = messagesDocument(callIds, shown, { calls: moreCalls, notKept });
  return clocks === null ? document : { ...document, clocks: clocks.shown() };
}
