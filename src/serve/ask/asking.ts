/**
 * What the routes of `/ask` share: filters and selectors from a request, the few heavy answers that are made at a time, and
 * a line of the log for what leaves the process.
 */
import type { FastifyRequest } from 'fastify';
import type { ProblemKind } from '../../contract/index.ts';
import { ASK_HEAVY, ASK_HEAVY_WAITING } from '../../core/item-limits.ts';
import { Places } from '../../core/places.ts';
import type { AgentPort, Port } from '../../explore/port.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import { placeText, sortOf } from '../../explore/question.ts';
import type { Answer } from '../../explore/refusal.ts';
import { Busy, goneBy, NotHere } from '../../explore/refusal.ts';
import { parseFilter } from '../../query/parse.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { UnreadAnswers } from '../http/unread.ts';

export type AskDeps = {
  readonly readers: Port;
  readonly maxRows: number;
  /** Says whose credentials the request has, for the log. */
  readonly whose: (request: FastifyRequest) => string;
  readonly log: (line: string) => void;
  readonly unread: UnreadAnswers;
};

/** The question of a request; a filter that cannot be read is a 400 that says where and why. */
export function readQuestion({
  q = '',
  sort = '-created',
}: {
  readonly q?: string;
  readonly sort?: string;
}): CallsQuestion {
  const parsed = parseFilter(q, { isUtc: false });
  if (parsed.ok) return { filter: parsed.filter, sort: sortOf(sort) };
  throw new ProblemError(
    'invalid-parameter',
    `q, ${placeText(q, parsed.error)}: ${parsed.error.reason.replace(/[.?]$/, '')}.`,
  );
}

/** The Call-ID that the selector of a path means: an exact one, `id:…` or `ssrc:0x…`. */
export async function readSelector(readers: Pick<AgentPort, 'select'>, selector: string): Promise<string> {
  const selected = await readers.select(selector, null);
  if ('callId' in selected) return selected.callId;
  throw new NotHere('There is no such call; the selector is a Call-ID, id:CALL-ID or ssrc:0xSSRC.');
}

/** Calls, and why legs of them may be missing. */
export type CallsRead = { readonly calls: readonly string[]; readonly notes: readonly string[] };

/** The call, and with `legs` its other legs. */
export async function readCalls(
  readers: Pick<AgentPort, 'select' | 'legs'>,
  signal: AbortSignal | undefined,
  selector: string,
  legs: boolean | undefined,
): Promise<CallsRead> {
  const callId = await readSelector(readers, selector);
  const found = legs === true ? await readers.legs(callId, signal) : null;
  return { calls: [callId, ...(found?.callIds ?? [])], notes: found?.notes ?? [] };
}

/** The document of calls, and in it why legs may be missing. */
export function withNotes<T extends object>(document: T, notes: readonly string[]): T & { leg_notes?: string[] } {
  return notes.length === 0 ? document : { ...document, leg_notes: [...notes] };
}

const heavy = new Places(ASK_HEAVY, ASK_HEAVY_WAITING);

/** Makes what holds much memory: two at a time, eight wait, more are refused. */
export async function heavily<T>(signal: AbortSignal | undefined, work: () => Answer<T>): Promise<T> {
  const made = await heavy.run(goneBy(signal), async () => ({ answer: await work() }));
  if (made === null) throw new Busy();
  return made.answer;
}

/** What the routes of one call refuse. */
export const OF_CALL: readonly ProblemKind[] = ['not-found', 'uri-too-long', 'invalid-parameter'];
