/**
 * Holds what a service answers to the shapes of the contract before anything reads it: what fits them can be drawn.
 */
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AskLadder, AskMessages, AskPulse, Named } from '../../contract/index.ts';
import * as contract from '../../contract/index.ts';
import { LADDER_LIFELINES, LADDER_STEPS, LADDER_STREAMS } from '../../core/answer-limits.ts';
import { MAX_MESSAGE_BYTES, REMOTE_VALUES } from '../../core/item-limits.ts';
import { parseJson } from '../../core/json-text.ts';
import { wrongShape } from '../../net/failures.ts';

/** Named schemas, by what refers to them. */
const NAMED: Record<string, TSchema> = Object.fromEntries(
  Object.values(contract).flatMap((value) =>
    typeof value === 'object' && '$id' in value ? [[`${String(value.$id)}#`, value as TSchema]] : [],
  ),
);

const checks = new Map<TSchema, (value: unknown) => boolean>();

function checkOf(schema: TSchema): (value: unknown) => boolean {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const compiled = Compile(NAMED, schema);
  const check = (value: unknown): boolean => compiled.Check(value);
  checks.set(schema, check);
  return check;
}

/** Whether a value has this shape. */
export function holds<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
  return checkOf(schema)(value);
}

/**
 * The document of a text with at most so many arrays, objects and keys. Throws RemoteFailure where it has more, or is none of this
 * shape.
 */
export function readShape<T extends TSchema>(schema: Named<T>, text: string, most = REMOTE_VALUES): Static<T> {
  let value: unknown;
  try {
    value = parseJson(text, most);
  } catch {
    throw wrongShape();
  }
  if (!holds(schema, value)) throw wrongShape();
  return value;
}

/** Lines lead from one lifeline to another, and all of it is no more than one ladder shows. */
export function isDrawable({ lifelines, steps, media }: AskLadder): boolean {
  return (
    lifelines.length <= LADDER_LIFELINES &&
    steps.length <= LADDER_STEPS &&
    media.length <= LADDER_STREAMS &&
    [...steps, ...media].every((line) => Math.max(line.from, line.to) < lifelines.length)
  );
}

/** No message is longer than one that calltap takes from the network. */
export function isReadable({ messages }: AskMessages): boolean {
  return messages.every(({ text }) => text.length <= MAX_MESSAGE_BYTES);
}

/** The capture time of a pulse in microseconds; -Infinity without one. */
export function captureTimeUs({ capture_time }: AskPulse): number {
  return capture_time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(capture_time) * 1000;
}
