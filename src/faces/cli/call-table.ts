/**
 * The call table: one line a dialog. On a terminal it fits the width: columns are cut and left out in a stated order, so
 * that a call is one line. In a pipe nothing is cut.
 */

import type { Color } from '../../core/terminal-text.ts';
import { fit, layout, paint, safeText } from '../../core/terminal-text.ts';
import type { CallRow } from '../../view/call-row.ts';
import { clockOf } from '../../view/clock.ts';
import type { Column } from './columns.ts';
import { COLUMNS, USUAL_COLUMNS } from './columns.ts';

export type TableStyle = {
  /** Keys of COLUMNS; null is the usual ones, of which a narrow terminal shows fewer. */
  readonly columns: readonly string[] | null;
  readonly isUtc: boolean;
  readonly color: boolean;
  /** Characters of the terminal; null where nothing is cut. */
  readonly width: number | null;
};

/** What gives way when the table is too wide, in this order: a column is cut to so many characters, or left out with 0. */
export const NARROWING: readonly (readonly [key: string, most: number])[] = [
  ['callid', 16],
  ['src', 0],
  ['dst', 0],
  ['pdd', 0],
  ['loss', 0],
  ['from', 14],
  ['to', 14],
  ['started', 8],
  ['duration', 0],
  ['callid', 0],
  ['method', 0],
  ['findings', 14],
  ['from', 10],
  ['to', 10],
  ['mos', 0],
  ['findings', 8],
  ['code', 0],
  ['findings', 0],
];

/** A Call-ID is never shown shorter on a terminal. */
const CALL_ID_LEAST = 8;
const GAP = 2;

/** One row's texts, and the colours of those that have one. */
type Cells = { readonly texts: string[]; readonly colors: readonly (Color | null)[]; readonly startedUs: number };

/** The table, line by line; nothing without rows. */
export function* callTable(rows: Iterable<CallRow>, style: TableStyle): Generator<string> {
  const columns = (style.columns ?? USUAL_COLUMNS).flatMap((key) => COLUMNS.get(key) ?? []);
  const cells = [...cellsOf(rows, columns, style)];
  if (cells.length === 0) return;
  if (style.width === null) yield* lines(columns, cells, style.color);
  else yield* fitted(columns, cells, style, style.width);
}

/** A row is read once and let go of: its findings take more memory than its texts. */
function* cellsOf(rows: Iterable<CallRow>, columns: readonly Column[], { isUtc }: TableStyle): Generator<Cells> {
  let number = 0;
  for (const r of rows) {
    const context = { number: ++number, isUtc };
    yield {
      texts: columns.map((column) => {
        const text = column.text(r, context);
        // Nothing is measured in the last column: its text, however long, is made safe when its line is.
        return column.key === 'callid'
          ? text
          : safeText(column.most === undefined ? text : fit(text, column.most)) || '-';
      }),
      colors: columns.map((column) => column.color?.(r) ?? null),
      startedUs: r.startedUs,
    };
  }
}

function* lines(columns: readonly Column[], cells: readonly Cells[], color: boolean): Generator<string> {
  const right = new Set(columns.flatMap(({ isRight }, i) => (isRight === true ? [i] : [])));
  yield* layout(
    columns.map(({ title }) => title),
    cells.map(({ texts }) => texts),
    right,
    (text, row, column) => {
      if (row < 0) return paint(text, 'bold', color);
      const shown = columns[column]?.key === 'callid' ? safeText(text) : text;
      return paint(shown, cells[row]?.colors[column] ?? null, color);
    },
  );
}

function* fitted(
  columns: readonly Column[],
  cells: readonly Cells[],
  style: TableStyle,
  width: number,
): Generator<string> {
  shortenStarts(columns, cells, style.isUtc);
  shortenCallIds(columns, cells);
  const widths = columns.map(({ title }, c) =>
    cells.reduce((w, { texts }) => Math.max(w, (texts[c] ?? '').length), title.length),
  );
  const most = widths.slice();
  const total = (): number => most.reduce((sum, w) => sum + (w === 0 ? 0 : w + GAP), -GAP);
  for (const [key, limit] of NARROWING) {
    if (total() <= width) break;
    const c = columns.findIndex((column) => column.key === key);
    if (c >= 0) most[c] = Math.min(most[c] ?? 0, limit);
  }
  const kept = columns.flatMap((column, c) => ((most[c] ?? 0) > 0 ? [{ column, c, most: most[c] ?? 0 }] : []));
  const shown = cells.map(({ texts, colors, startedUs }) => ({
    texts: kept.map(({ column, c, most: limit }) => {
      const text = texts[c] ?? '';
      return column.key === 'started' ? text.slice(0, limit) : fit(text, limit);
    }),
    colors: kept.map(({ c }) => colors[c] ?? null),
    startedUs,
  }));
  yield* withDates(
    lines(
      kept.map(({ column }) => column),
      shown,
      style.color,
    ),
    shown,
    style,
  );
}

/** The day stands on a line of its own, where it changes, so that each row has the time alone. */
function* withDates(table: Iterable<string>, cells: readonly Cells[], { isUtc, color }: TableStyle): Generator<string> {
  let i = -1;
  let day = '';
  for (const line of table) {
    const cell = cells[i++];
    if (cell !== undefined) {
      const { date, zone } = clockOf(cell.startedUs, isUtc);
      const today = `${date} ${zone === 'Z' ? 'UTC' : `UTC${zone}`}`;
      if (today !== day) yield paint(today, 'gray', color);
      day = today;
    }
    yield line;
  }
}

function shortenStarts(columns: readonly Column[], cells: readonly Cells[], isUtc: boolean): void {
  const c = columns.findIndex(({ key }) => key === 'started');
  if (c < 0) return;
  for (const { texts, startedUs } of cells) texts[c] = clockOf(startedUs, isUtc).time;
}

/** Each to what no other begins with; the program finds a call by that. */
function shortenCallIds(columns: readonly Column[], cells: readonly Cells[]): void {
  const c = columns.findIndex(({ key }) => key === 'callid');
  if (c < 0) return;
  const sorted = cells.map(({ texts }) => texts[c] ?? '').sort();
  const least = new Map<string, number>();
  for (const [i, id] of sorted.entries())
    least.set(id, 1 + Math.max(common(id, sorted[i - 1] ?? ''), common(id, sorted[i + 1] ?? '')));
  for (const { texts } of cells) {
    const id = texts[c] ?? '';
    texts[c] = safeText(fit(id, Math.max(CALL_ID_LEAST, (least.get(id) ?? id.length) + 1)));
  }
}

function common(a: string, b: string): number {
  let n = 0;
  while (n < a.length && n < b.length && a.charCodeAt(n) === b.charCodeAt(n)) n++;
  return n;
}
