/** The notes of a message by their names (note-bits.ts says what each means). */

import { type Camel, camelOf } from './constant-names.ts';
import * as BITS from './note-bits.ts';

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
