/**
 * Holds what a service answers to the shapes of the contract before anything reads it: what fits them can be drawn.
 */
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Named } from '../../contract/index.ts';
import * as contract from '../../contract/index.ts';
import { parseJson } from '../../core/json-text.ts';
import { wrongShape } from '../../net/failures.ts';

/** Arrays, objects and keys of a document of a service. @cap */
const REMOTE_VALUES = 1_000_000;

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
