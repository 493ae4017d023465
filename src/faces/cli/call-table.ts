/**
 * The call table: one line a dialog. On a terminal it fits the width: columns are cut and left out in a stated order, so
 * that a call is one line. In a pipe nothing is cut.
 */

import type { Call } from '../../core/call-fields.ts';
import type { Color } from '../../core/terminal-text.ts';
import { fit, paint, safeText } from '../../core/terminal-text.ts';
import { usOf } from '../../core/timestamp.ts';
import { clockAt, clockOf } from '../../view/clock.ts';
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
  ['cause', 14],
  ['from', 10],
  ['to', 10],
  ['mos', 0],
  ['cause', 8],
  ['code', 0],
  ['cause', 0],
];

/** A Call-ID is never shown shorter on a terminal. */
const CALL_ID_LEAST = 8;
/** In a pipe it is whole; what stands behind it is moved so far at most, or one long one would lengthen each line. */
const CALL_ID_ROOM = 64;
const GAP = 2;

/**
 * A row as it is kept until all widths are known: one text, since a list of them takes four times the memory. Call-IDs are
 * kept beside it; they may be long.
 */
type PrintedRow = {
  readonly packed: string;
  readonly callId: string;
  readonly colors: string;
  /** Where a day gets a line of its own. */
  readonly startedUs: number;
};

/** Between the texts of a row; none of them has it, since they are safe for a terminal. */
const BETWEEN = '\u0000';

/** The table, line by line; nothing without rows. */
export function* callTable(rows: Iterable<Call>, style: TableStyle): Generator<string> {
  const columns = (style.columns ?? USUAL_COLUMNS).flatMap((key) => COLUMNS.get(key) ?? []);
  const widths = columns.map(({ title }) => title.length);
  const kept: PrintedRow[] = [];
  for (const r of rows) kept.push(packed(r, columns, style, kept.length + 1, widths));
  if (kept.length === 0) return;
  const idOf = style.width === null ? (callId: string) => callId : shortest(kept.map(({ callId }) => callId));
  const c = columns.findIndex(isCallId);
  const room = style.width === null ? CALL_ID_ROOM : Number.POSITIVE_INFINITY;
  if (c >= 0 && (style.width !== null || c < columns.length - 1))
    for (const { callId } of kept) widths[c] = Math.max(widths[c] ?? 0, Math.min(room, idOf(callId).length));
  const most = style.width === null ? widths : narrowed(columns, widths, style.width);
  const table = lines(columns, most, kept, idOf, style);
  yield* style.width === null ? table : withDates(table, kept, style);
}

const isCallId = ({ key }: Column): boolean => key === 'callid';

/** A row is read once and let go of: its findings take more memory than its texts. */
function packed(r: Call, columns: readonly Column[], style: TableStyle, number: number, widths: number[]): PrintedRow {
  const { isUtc, width, color } = style;
  const context = { number, isUtc };
  const texts = columns.map((column, c) => {
    if (isCallId(column)) return '';
    // On a terminal the day stands on a line of its own.
    const whole =
      column.key === 'started' && width !== null ? clockAt(r.created_at, isUtc).time : column.text(r, context);
    const text = safeText(column.most === undefined ? whole : fit(whole, column.most)) || '-';
    widths[c] = Math.max(widths[c] ?? 0, text.length);
    return text;
  });
  return {
    packed: texts.join(BETWEEN),
    callId: r.call_id,
    colors: color ? columns.map((column) => column.color?.(r) ?? '').join(',') : '',
    startedUs: width === null ? 0 : usOf(r.created_at),
  };
}

/** What each column may take on a terminal of this width; 0 leaves it out. */
function narrowed(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const most = widths.slice();
  const total = (): number => most.reduce((sum, w) => sum + (w === 0 ? 0 : w + GAP), -GAP);
  for (const [key, limit] of NARROWING) {
    if (total() <= width) break;
    const c = columns.findIndex((column) => column.key === key);
    if (c >= 0) most[c] = Math.min(most[c] ?? 0, limit);
  }
  return most;
}

function* lines(
  columns: readonly Column[],
  most: readonly number[],
  rows: readonly PrintedRow[],
  idOf: (callId: string) => string,
  { color, width }: TableStyle,
): Generator<string> {
  const shown = columns.flatMap((column, c) => ((most[c] ?? 0) > 0 ? [{ column, c, most: most[c] ?? 0 }] : []));
  const last = shown.length - 1;
  const line = (textOf: (c: number, most: number) => string, colorOf: (c: number) => Color | null): string =>
    shown
      .map(({ column, c, most: limit }, i) => {
        const text = textOf(c, limit);
        const blanks = ' '.repeat(Math.max(0, limit - text.length));
        const painted = paint(text, colorOf(c), color);
        if (column.isRight === true) return blanks + painted;
        return i === last ? painted : painted + blanks;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  yield line(
    (c) => columns[c]?.title ?? '',
    () => 'bold',
  );
  for (const row of rows) {
    const texts = row.packed.split(BETWEEN);
    const colors = row.colors.split(',');
    yield line(
      (c, limit) => {
        const column = columns[c];
        if (column === undefined) return '';
        if (isCallId(column)) return safeText(width === null ? row.callId : fit(idOf(row.callId), limit));
        const text = texts[c] ?? '';
        if (width === null) return text;
        return column.key === 'started' ? text.slice(0, limit) : fit(text, limit);
      },
      // Only names of colours were put there.
      (c) => (colors[c] || null) as Color | null,
    );
  }
}

/** Call-IDs as long as they must be for no other to begin so; the program finds a call by that. */
function shortest(callIds: readonly string[]): (callId: string) => string {
  const sorted = [...callIds].sort();
  const least = new Map<string, number>();
  for (const [i, id] of sorted.entries())
    least.set(id, 1 + Math.max(common(id, sorted[i - 1] ?? ''), common(id, sorted[i + 1] ?? '')));
  return (id) => safeText(fit(id, Math.max(CALL_ID_LEAST, (least.get(id) ?? id.length) + 1)));
}

/** The day stands on a line of its own, where it changes, so that each row has the time alone. */
function* withDates(
  table: Iterable<string>,
  rows: readonly PrintedRow[],
  { isUtc, color }: TableStyle,
): Generator<string> {
  let i = -1;
  let day = '';
  for (const line of table) {
    const row = rows[i++];
    if (row !== undefined) {
      const { date, zone } = clockOf(row.startedUs, isUtc);
      const today = `${date} ${zone === 'Z' ? 'UTC' : `UTC${zone}`}`;
      if (today !== day) yield paint(today, 'gray', color);
      day = today;
    }
    yield line;
  }
}

function common(a: string, b: string): number {
  let n = 0;
  while (n < a.length && n < b.length && a.charCodeAt(n) === b.charCodeAt(n)) n++;
  return n;
}
