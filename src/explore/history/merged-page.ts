/**
 * A page of calls of the memory and of a ring in one order. The cursor names the last call of either, so that calls which come and go
 * meanwhile neither repeat nor skip others.
 */
import type { AskCalls, Call } from '../../contract/index.ts';
import type { NamedField } from '../../core/call-fields.ts';
import { FIELDS, fieldValue, WORST_FIGURE, worstWord } from '../../core/call-fields.ts';
import { usOf } from '../../core/timestamp.ts';
import { compareKeys } from '../chosen.ts';
import type { Sort } from '../question.ts';
import type { Found, Place } from './search.ts';

export type Cursor = {
  /** Of the memory; null where it has no more. */
  readonly memory: string | null;
  /** The last call of the ring that was shown; null where none was yet. */
  readonly after: Place | null;
  /** Calls of the ring before it. */
  readonly passed: number;
};

export const FIRST: Cursor = { memory: '', after: null, passed: 0 };

export function writeCursor({ memory, after, passed }: Cursor): string {
  const place = after === null ? [] : [Number.isNaN(after.key) ? null : after.key, after.name];
  return Buffer.from(JSON.stringify([memory, passed, ...place])).toString('base64url');
}

/** An unknown cursor begins anew. */
export function readCursor(text: string): Cursor {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(read)) return FIRST;
    const [memory, passed, key, name] = read as unknown[];
    if ((memory !== null && typeof memory !== 'string') || !Number.isSafeInteger(passed)) return FIRST;
    const isPlace = typeof name === 'string' && (key === null || typeof key === 'number');
    const after = isPlace ? { key: key ?? Number.NaN, name } : null;
    return { memory, after, passed: Number(passed) };
  } catch {
    return FIRST;
  }
}

/** What a call of the memory is sorted by. */
export function keyOfCall(call: Call, by: string): number {
  const field: NamedField | undefined = FIELDS.find(({ sort }) => sort === by);
  if (field === undefined) return usOf(call.created_at);
  if (worstWord(call, field) !== undefined) return WORST_FIGURE;
  const value = fieldValue(call, field);
  if (typeof value === 'string') return usOf(value);
  return typeof value === 'number' ? value : Number.NaN;
}

export type Merged = { readonly calls: Call[]; readonly ofMemory: number; readonly ofRing: readonly Found[] };

/** The first `limit` of both; among equals those of the memory come first. */
export function mergedCalls(
  memory: AskCalls['calls'],
  ring: readonly Found[],
  toCall: (found: Found) => Call,
  sort: Sort,
  limit: number,
): Merged {
  const calls: Call[] = [];
  let [m, r] = [0, 0];
  while (calls.length < limit && (m < memory.length || r < ring.length)) {
    const [here, there] = [memory[m], ring[r]];
    const isHere =
      there === undefined || (here !== undefined && compareKeys(keyOfCall(here, sort.by), there.key, sort) <= 0);
    if (isHere && here !== undefined) {
      calls.push(here);
      m++;
    } else if (there !== undefined) {
      calls.push(toCall(there));
      r++;
    }
  }
  return { calls, ofMemory: m, ofRing: ring.slice(0, r) };
}
