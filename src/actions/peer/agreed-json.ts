/** Reads one line of the control program's JSON: an object with every agreed key, of the agreed types. */

import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** The object of a line with the agreed keys only, or null. A key more than agreed is tolerated and left out. */
export type LineReader<T> = (line: string) => T | null;

/** `schema` is an object schema of the contract, all of whose keys are required. */
export function lineReader<T extends TSchema & Pick<TObject<TProperties>, 'properties'>>(
  schema: T,
): LineReader<Static<T>> {
  const validator = Compile(schema);
  const keys = Object.keys(schema.properties);
  return (line) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return null;
    }
    if (!validator.Check(value) || typeof value !== 'object' || value === null) return null;
    const given = new Map<string, unknown>(Object.entries(value));
    // The keys and the types of their values were just checked.
    return Object.fromEntries(keys.map((key) => [key, given.get(key)])) as Static<T>;
  };
}
