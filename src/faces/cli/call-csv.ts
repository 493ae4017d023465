/**
 * The call table as CSV, with the columns of `--columns`.
 */

import type { Call } from '../../core/call-fields.ts';
import { csvLine } from '../../core/csv.ts';
import { COLUMNS } from './columns.ts';

/** A heading, then a line a call. Without columns, all of them. */
export function* callCsv(rows: Iterable<Call>, columns: readonly string[] | null, isUtc: boolean): Generator<string> {
  const chosen = (columns ?? [...COLUMNS.keys()]).flatMap((key) => COLUMNS.get(key) ?? []);
  yield csvLine(chosen.map(({ key }) => key));
  let number = 0;
  for (const r of rows) {
    const context = { number: ++number, isUtc };
    yield csvLine(chosen.map((column) => (column.csv ?? column.text)(r, context)));
  }
}
