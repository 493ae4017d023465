/** Lines of CSV (RFC 4180), for spreadsheets and scripts. */
import { safeText } from './terminal-text.ts';

const FORMULA = /^[=+\-@]/;
/** A number or a phone number is no formula. */
const NUMBER = /^[+-]?[\d.]+$/;

/** A line of cells. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(cell).join(',');
}

/** One cell: one line, no control characters, no formula. It begins with an apostrophe where a spreadsheet would take it for one. */
export function cell(text: string): string {
  const safe = safeText(text);
  const shown = FORMULA.test(safe) && !NUMBER.test(safe) ? `'${safe}` : safe;
  return /[",]/.test(shown) || shown !== shown.trim() ? `"${shown.replaceAll('"', '""')}"` : shown;
}
