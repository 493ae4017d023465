/**
 * Rows of every table as CSV (RFC 4180) or as one JSON object a line, for spreadsheets and scripts. Names are those of the wire;
 * a field inside another is `figures.asr_pct` in CSV.
 */
import { csvLine } from '../../core/csv.ts';
import type { WireTable } from './wire-columns.ts';

/** How an answer is printed. */
export type Form = 'text' | 'csv' | 'json';

/** `table` names the columns of CSV. */
export async function* rowLines(
  table: WireTable,
  rows: Iterable<object>,
  form: 'csv' | 'json',
): AsyncGenerator<string> {
  if (form === 'json') {
    for (const row of rows) yield JSON.stringify(row);
    return;
  }
  // The schemas take long to load, and few runs need them.
  const { WIRE_COLUMNS } = await import('./wire-columns.ts');
  const columns = WIRE_COLUMNS[table];
  yield csvLine(columns);
  for (const row of rows) yield csvLine(columns.map((column) => textOf(valueAt(row, column))));
}

function valueAt(row: object, column: string): unknown {
  return column
    .split('.')
    .reduce<unknown>((of, name) => (typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined), row);
}

/** A list is its items with blanks between them; an item of several values, such as a code and its calls, is `486:3`. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  if (typeof value === 'object') return Object.values(value).map(textOf).join(':');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
