/**
 * A page of rows, some of which have marks that can be chosen: cells of time, codes, or the row as a whole. Cells of all rows lie
 * on one axis of time.
 */
import { CALLS_ONLY } from '../../core/call-fields.ts';
import { timestampText, usOf } from '../../core/timestamp.ts';
import { begunBetween } from '../../query/write.ts';
import type { Area } from './app.ts';
import type { Cells, Look } from './cells.ts';
import { LOOK } from './cells.ts';

/** What Enter opens: the calls of a filter, or a call; nothing where there is neither. */
export type Opens = { readonly filter: string } | { readonly callId: string } | null;

export type Mark = {
  /** What stands there, in whole. */
  readonly words: string;
  readonly opens: Opens;
};

/** Where somebody stands: which mark of this row, and at which time in all rows. */
export type Chosen = { readonly mark: number | null; readonly atMs: number | null };

export type PageRow = {
  /** By which it is found again when the page was read anew. */
  readonly key: string;
  readonly height: number;
  /** Marks side by side; 0 of a row that only says something. */
  readonly count: number;
  /** When each mark begins; null where marks are no cells of time. */
  readonly starts: readonly number[] | null;
  /** The mark to look at first. */
  readonly worst: number;
  mark(at: number): Mark;
  draw(cells: Cells, area: Area, chosen: Chosen): void;
};

/** Lines without marks. */
export function textRow(lines: readonly { readonly text: string; readonly look: Look }[]): PageRow {
  return {
    key: '',
    height: lines.length,
    ...{ count: 0, starts: null, worst: 0 },
    mark: () => NO_MARK,
    draw(cells, { x, y, width }) {
      for (const [i, { text, look }] of lines.entries()) cells.put(x, y + i, text, look, width);
    },
  };
}

export const NO_MARK: Mark = { words: '', opens: null };

/** A row that is one mark. */
export function lineRow(key: string, lines: readonly string[], mark: Mark, look: Look = LOOK.plain): PageRow {
  const { height, draw } = textRow(lines.map((text) => ({ text, look })));
  return {
    ...{ key, height, count: 1, starts: null, worst: 0 },
    mark: () => mark,
    draw(cells, area, chosen) {
      draw(cells, area, chosen);
      if (chosen.mark === null) return;
      for (let i = 0; i < height; i++) cells.mark(area.x, area.y + i, area.width, LOOK.reverse);
    },
  };
}

/** From when to when columns of the screen reach. */
export type Axis = { readonly fromMs: number; readonly toMs: number };
/** Cells of time, equally long. */
export type Grid = { readonly fromMs: number; readonly cellMs: number; readonly count: number };

/** The cells that a column of the screen shows, `to` not among them: one or a part of it, or several where there is no room. */
export function cellsIn(
  column: number,
  room: number,
  { fromMs, toMs }: Axis,
  grid: Grid,
): { readonly from: number; readonly to: number } {
  const place = (at: number): number => (fromMs + ((toMs - fromMs) * at) / room - grid.fromMs) / grid.cellMs;
  const from = Math.max(0, Math.min(grid.count - 1, Math.floor(place(column) + ROUNDING)));
  return { from, to: Math.max(from + 1, Math.min(grid.count, Math.floor(place(column + 1) + ROUNDING))) };
}

/** What a bound of a cell may miss by, in cells. */
const ROUNDING = 1e-6;

/** The calls that began in a span. */
export function callsIn(fromMs: number, toMs: number, ...terms: readonly string[]): string {
  return [CALLS_ONLY, ...terms, begunBetween(timestampText(fromMs * 1000), timestampText(toMs * 1000))].join(' ');
}

/** Of times as the wire has them. */
export const msOf = (at: string): number => usOf(at) / 1000;
