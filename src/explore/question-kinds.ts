/**
 * How parameters on the wire become arguments of the port and these become parameters again: of one call, of a call with its legs,
 * of the calls of a filter, of streams.
 */

import { Type } from 'typebox';
import { DEFAULT_LIMIT } from '../contract/index.ts';
import { compilePattern } from '../core/pattern.ts';
import type { AudioSpan } from '../export/audio.ts';
import { parseFilter } from '../query/parse.ts';
import type { DialogFilter } from '../view/dialog-query.ts';
import type { StreamFilter } from '../view/stream-query.ts';
import { MCP_ROWS } from './limits.ts';
import type { CallsQuestion } from './question.ts';
import { placeText, sortOf } from './question.ts';
import type { AnswererClock, Given, ParametersRead, ReadContext } from './question-row.ts';
import { filterText } from './question-text.ts';
import { Cannot, NotHere } from './refusal.ts';

/** How many rows an agent asks for. */
export const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MCP_ROWS, default: DEFAULT_LIMIT, description: 'Rows at most.' }),
);

/** Of one call, by its selector. */
export const ofCall = {
  read: async ({ selector }: Given, { port }: ReadContext): Promise<ParametersRead<[callId: string]>> => ({
    asked: [await callOf(port, selector)],
  }),
  write: ([callId]: [callId: string]): Given => ({ selector: selectorOf(callId) }),
};

/** Of a call of `/v1`, by its Call-ID; a tool gives its selector. */
export const ofCallId = {
  read: async ({ call_id, selector }: Given, { port }: ReadContext): Promise<ParametersRead<[callId: string]>> => ({
    asked: [call_id ?? (await callOf(port, selector))],
  }),
  write: ([call_id]: [callId: string]): Given => ({ call_id }),
};

/** Of the frames of calls. */
export const ofCapture = {
  async read(
    given: Given,
    reading: ReadContext,
  ): Promise<ParametersRead<[callIds: readonly string[], isAnonymized?: boolean]>> {
    const { callIds, notes } = await callsOf(given, reading);
    return { asked: [callIds, given.anonymize === true], notes };
  },
  write: ([callIds, isAnonymized = false]: [callIds: readonly string[], isAnonymized?: boolean]): Given =>
    writeCapture(callIds, isAnonymized),
};

/** Of the legs that are tied to a call of `/v1`. */
export const ofTiedCall = {
  async read(
    { call_id, selector }: Given,
    reading: ReadContext,
  ): Promise<ParametersRead<[callId: string, maxRows: number]>> {
    const { maxRows } = reading;
    if (call_id !== undefined) return { asked: [call_id, maxRows] };
    const { callIds, notes } = await callsOf({ selector, legs: true }, reading);
    return { asked: [callIds[0] ?? '', maxRows], notes };
  },
  write: ([call_id]: [callId: string, maxRows: number]): Given => ({ call_id }),
};

/** Of the calls of a filter, whatever their order. */
export const ofFilter = {
  read: ({ q }: Given): ParametersRead<[question: CallsQuestion]> => ({
    asked: [readQuestion({ q, sort: 'created' })],
  }),
  write: ([{ filter }]: [question: CallsQuestion], { isUtc, nowUs }: AnswererClock): Given => ({
    q: filterText(filter, isUtc, nowUs),
  }),
};

/** Of everything. */
export const ofNothing = { read: (): ParametersRead<[]> => ({ asked: [] }), write: (): Given => ({}) };

type Calls = { readonly callIds: readonly string[]; readonly notes: readonly string[] };

/** The call, and with `legs` its other legs; the probable ones too where they are drawn apart. */
export async function callsOf(
  { selector, legs }: Given,
  { port, signal }: ReadContext,
  isDrawnApart = false,
): Promise<Calls> {
  const callId = await callOf(port, selector);
  const found = legs === true ? await port.legs(callId, signal) : null;
  if (found === null) return { callIds: [callId], notes: [] };
  const { callIds, probable, notes } = found;
  return { callIds: [callId, ...callIds, ...(isDrawnApart ? probable : [])], notes };
}

/** Of more than one call the first is named, with its legs. */
export function writeCalls(callIds: readonly string[]): Given {
  return { selector: selectorOf(callIds[0] ?? ''), ...(callIds.length > 1 ? { legs: true } : {}) };
}

export function writeCapture(callIds: readonly string[], isAnonymized: boolean): Given {
  return { ...writeCalls(callIds), ...(isAnonymized ? { anonymize: true } : {}) };
}

/** The Call-ID that a selector means: an exact one, `id:…` or `ssrc:0x…`. */
export async function callOf(port: Pick<ReadContext['port'], 'select'>, selector = ''): Promise<string> {
  const selected = await port.select(selector, null);
  if ('callId' in selected) return selected.callId;
  throw new NotHere('There is no such call; the selector is a Call-ID, id:CALL-ID or ssrc:0xSSRC.');
}

/** A Call-ID is its own selector, but for an empty one. */
export function selectorOf(callId: string): string {
  return callId === '' ? 'id:' : callId;
}

/** Throws Cannot where the filter cannot be read; it says where and why. */
export function readQuestion({ q = '', sort = '-created' }: Given): CallsQuestion {
  const parsed = parseFilter(q, { isUtc: false });
  if (parsed.ok) return { filter: parsed.filter, sort: sortOf(sort) };
  const { reason } = parsed.error;
  throw new Cannot('invalid-parameter', `q, ${placeText(q, parsed.error)}: ${reason.replace(/[.?]$/, '')}.`);
}

export function writeQuestion({ filter, sort }: CallsQuestion, { isUtc, nowUs }: AnswererClock): Given {
  return { q: filterText(filter, isUtc, nowUs), sort: `${sort.isDescending ? '-' : ''}${sort.by}` };
}

type MaxRows = Pick<ReadContext, 'maxRows'>;

/** Rows of a page. */
export function rowsOf({ limit = DEFAULT_LIMIT }: Given, { maxRows }: MaxRows): number {
  return Math.min(limit, maxRows);
}

/** Characters of a user part that a pattern of `/v1/dialogs` matches. @cap */
const MAX_USER_PATTERN_CHARS = 256;

const PATTERN_LIMITS = { maxProgram: 500, maxRepeats: 200 };

/** True for a user part in which the pattern is found. Throws Cannot where the pattern cannot be taken. */
export function compileUserPattern(source: string): (user: string) => boolean {
  const found = compilePattern(source, PATTERN_LIMITS);
  if (!found.ok) throw new Cannot('invalid-parameter', `from ${found.reason}.`);
  return (user) => found.value(user.slice(0, MAX_USER_PATTERN_CHARS));
}

/** Runs the compiler once, so that its own compilation holds the start and not the first request that brings a pattern. */
export function warmUserPatterns(): void {
  for (const source of ['^u[0-9]+.*x$', '(a+|b?)+$', '^\\+?44(20|161)[^0-4]{2,5}\\w$'])
    compileUserPattern(source)('u1234567890');
}

export function readDialogFilter(given: Given, reading: MaxRows): DialogFilter {
  const { state, from, offset = 0 } = given;
  const pattern = from === undefined ? null : String(from);
  return {
    limit: rowsOf(given, reading),
    offset,
    ...(state === undefined ? {} : { state }),
    ...(pattern === null ? {} : { matchesFrom: compileUserPattern(pattern), fromPattern: pattern }),
  };
}

export function readStreamFilter(given: Given, reading: MaxRows): StreamFilter {
  const { orphaned, mos_below, offset = 0 } = given;
  return {
    limit: rowsOf(given, reading),
    offset,
    ...(orphaned === undefined ? {} : { orphaned }),
    ...(mos_below === undefined ? {} : { mosBelow: mos_below }),
  };
}

/** The number of an SSRC in hex. */
export function readSsrc({ ssrc = '' }: Given): number {
  return Number.parseInt(ssrc.replace(/^0x/i, ''), 16);
}

/** Throws Cannot where the span is empty. */
export function readSpan({ from = 0, to = Number.POSITIVE_INFINITY }: Given): AudioSpan {
  const fromSec = Number(from);
  if (to <= fromSec) throw new Cannot('invalid-parameter', 'to must be greater than from.');
  return { fromSec, toSec: to };
}

export function writeSpan({ fromSec, toSec }: AudioSpan): Given {
  return { from: fromSec, ...(Number.isFinite(toSec) ? { to: toSec } : {}) };
}

/** Of a call, and with `legs` of its other legs, those that are probable among them. */
export const ofDrawnCalls = {
  async read(given: Given, reading: ReadContext): Promise<ParametersRead<[callIds: readonly string[]]>> {
    const { callIds, notes } = await callsOf(given, reading, true);
    return { asked: [callIds], notes };
  },
  write: ([callIds]: [callIds: readonly string[]]): Given => writeCalls(callIds),
};
