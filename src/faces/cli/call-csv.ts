/**
 * The call table as CSV (RFC 4180), for spreadsheets and scripts. A cell that a spreadsheet would take for a formula begins
 * with an apostrophe.
 */

import type { Call } from '../../core/call-fields.ts';
import { safeText } from '../../core/terminal-text.ts';
import { COLUMNS } from './columns.ts';

const FORMULA = /^[=+\-@]/;
/** A number or a phone number is no formula. */
const NUMBER = /^[+-]?[\d.]+$/;

/** A heading, then a line a call. Without columns, all of them. */
export function* callCsv(rows: Iterable<Call>, columns: readonly string[] | null, isUtc: boolean): Generator<string> {
  const chosen = (columns ?? [...COLUMNS.keys()]).flatMap((key) => COLUMNS.get(key) ?? []);
  yield chosen.map(({ key }) => key).join(',');
  let number = 0;
  for (const r of rows) {
    const context = { number: ++number, isUtc };
    yield chosen.map((column) => cell((column.csv ?? column.text)(r, context))).join(',');
  }
}

/** One cell: one line, no control characters, no formula. */
export function cell(text: string): string {
  const safe = safeText(text);
  const shown = FORMULA.test(safe) && !NUMBER.test(safe) ? `'${safe}` : safe;
  return /[",]/.test(shown) || shown !== shown.trim() ? `"${shown.replaceAll('"', '""')}"` : shown;
}
