/**
 * Names what is wrong with a call, one word each: the words of the call table, of the filter language and of lists.
 */
import type { DialogFacts } from './dialog-facts.ts';
import type { FindingRow } from './finding-row.ts';
import { CALL_FINDINGS } from './finding-table.ts';
import { audible } from './stream-quality.ts';

export type FindingName = keyof typeof CALL_FINDINGS;

/** The keys of the table are its names; Object.entries() widens them. */
export function rowsOf<Name extends string>(table: Readonly<Record<Name, FindingRow>>) {
  return Object.entries(table) as [Name, FindingRow][];
}

const ROWS = rowsOf(CALL_FINDINGS);
export const FINDING_NAMES: readonly FindingName[] = ROWS.map(([name]) => name);

/** What was found in the call, in the order of the table. */
export function findingNames(facts: DialogFacts): FindingName[] {
  return found(facts, ROWS);
}

/** Those of `rows` that the call proves. */
export function found<Name>(facts: DialogFacts, rows: readonly (readonly [Name, FindingRow])[]): Name[] {
  const heard = facts.streams.map(({ quality }) => audible(quality));
  return rows.filter(([, { has }]) => has?.(facts, heard) === true).map(([name]) => name);
}
