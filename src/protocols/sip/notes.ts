/** The notes of a message by their names (note-bits.ts says what each means). */

import * as BITS from './note-bits.ts';

/** The scanner's compiler knows no objects, so its names are constants in capitals: `CALL_ID_START` is `callIdStart`. */
export type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<S>;

/** The same of a name that is only known at run time. */
export function camelOf(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Names and bits in bit order. A module lists its names by the alphabet. */
const ENTRIES = Object.entries(BITS)
  .sort(([, bit], [, other]) => bit - other)
  .map(([name, bit]) => [camelOf(name), bit] as const);

export const NOTE = Object.fromEntries(ENTRIES) as { readonly [Name in keyof typeof BITS as Camel<Name>]: number };

/** Notes that name legal form, not a fault. */
const INFORMATIVE_NOTES = NOTE.folded | NOTE.compactForm | NOTE.bodyExtra | NOTE.nulInHeaders;

/** Names of the set bits, in bit order. */
export function noteNames(notes: number): string[] {
  const names: string[] = [];
  for (const [name, bit] of ENTRIES) if ((notes & bit) !== 0) names.push(name);
  return names;
}

/** Whether any note says the message breaks the grammar or the mandatory headers. */
export function hasFault(notes: number): boolean {
  return (notes & ~INFORMATIVE_NOTES) !== 0;
}
