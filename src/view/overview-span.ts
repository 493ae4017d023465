/** Which cells of time an overview has: how long they are, where they begin and end, and what lies before them. */
import type { AskOverviewQuery } from '../contract/index.ts';
import { usOf } from '../core/timestamp.ts';
import { CELL_MINUTES } from '../watch/overview/calls-over-time.ts';
import { minuteOf } from '../watch/trunks/trunk-spans.ts';

const MINUTE_US = 60e6;
/** Minutes of the last hour, for who asks for none. */
const USUAL_MINUTES = 60;
export const DAY_MINUTES = 1_440;
/** So many cells are a picture; more are longer ones. */
export const CELLS = 75;

/** Minutes are counted from the epoch; `to` is the first that is not in it. Both are bounds of cells. */
export type CellSpan = { readonly cellMinutes: number; readonly from: number; readonly to: number };

/**
 * The span that is asked for, when capture time is `nowUs`; null before anything came. `shiftUs`: how far the clock that is shown is
 * ahead of capture time.
 */
export function spanOf(
  { minutes = USUAL_MINUTES, since, until }: AskOverviewQuery,
  nowUs: number,
  shiftUs = 0,
): CellSpan | null {
  if (since !== undefined && until !== undefined) {
    const from = minuteOf(usOf(since) - shiftUs);
    return inCells(from, Math.max(from + 1, Math.ceil((usOf(until) - shiftUs) / MINUTE_US)));
  }
  if (!(nowUs > 0 && nowUs < Number.POSITIVE_INFINITY)) return null;
  const { cellMinutes, to } = inCells(minuteOf(nowUs) + 1 - minutes, minuteOf(nowUs) + 1);
  // The cell that is under way is the last one; so many whole ones are asked for.
  return { cellMinutes, from: to - Math.ceil(minutes / cellMinutes) * cellMinutes, to };
}

function inCells(from: number, to: number): CellSpan {
  const cellMinutes = CELL_MINUTES.find((minutes) => (to - from) / minutes <= CELLS) ?? CELL_MINUTES[2];
  return widened({ cellMinutes, from, to }, cellMinutes);
}

/** The same in cells of another length: it reaches as far, or less than a cell further. */
export function widened({ from, to }: CellSpan, cellMinutes: number): CellSpan {
  return {
    cellMinutes,
    from: Math.floor(from / cellMinutes) * cellMinutes,
    to: Math.ceil(to / cellMinutes) * cellMinutes,
  };
}

/** The same so many minutes earlier; these are whole cells. */
export function earlier({ cellMinutes, from, to }: CellSpan, minutes: number): CellSpan {
  return { cellMinutes, from: from - minutes, to: to - minutes };
}

export const minutesOf = ({ from, to }: CellSpan): number => to - from;

/** Where each cell begins, the oldest first. */
export function startsOf({ cellMinutes, from, to }: CellSpan): number[] {
  return Array.from({ length: (to - from) / cellMinutes }, (_, i) => from + i * cellMinutes);
}
