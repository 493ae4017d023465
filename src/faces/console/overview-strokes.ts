/** The lines and columns of a picture as they stand on a canvas: in what order, on what, and which of them is under a point. */
import type { Picture, Series, Values } from './overview-series.ts';

/** `base` is what a column stands on. */
export type Stroke = {
  readonly kind: Series['kind'];
  readonly colour: string;
  readonly values: Values;
  readonly base: Values;
  readonly dash: number[];
  readonly isPale: boolean;
};

const BEFORE = [6, 4];
const DAY_BEFORE = [1.5, 3.5];

/** The pale lines first, so that the others cover them. */
export function strokesOf({ series }: Picture): Stroke[] {
  const strokes: Stroke[] = [];
  for (const { colour, before, dayBefore } of series) {
    const pale = { kind: 'line' as const, colour, base: [], isPale: true };
    if (before.length > 0) strokes.push({ ...pale, values: before, dash: BEFORE });
    if (dayBefore.length > 0) strokes.push({ ...pale, values: dayBefore, dash: DAY_BEFORE });
  }
  let base: Values = [];
  for (const { kind, colour, values } of series) {
    const under = base;
    const top = kind === 'column' ? values.map((value, i) => (value ?? 0) + (under[i] ?? 0)) : values;
    strokes.push({ kind, colour, values: top, base: under, dash: [], isPale: false });
    if (kind === 'column') base = top;
  }
  return strokes;
}

/** Columns for uPlot: the middle of each cell, and the values; what is missing at the end of an older span is nothing. */
export function dataOf(strokes: readonly Stroke[], middles: readonly number[]): [number[], ...(number | null)[][]] {
  return [[...middles], ...strokes.map(({ values }) => middles.map((_, i) => values[i] ?? null))];
}

/** The series of a stack under this value of a cell; null above all of them, and of lines. */
export function seriesAt(series: readonly Series[], cell: number, value: number): number | null {
  let top = 0;
  for (const [i, { kind, values }] of series.entries()) {
    if (kind !== 'column') return null;
    top += values[cell] ?? 0;
    if (value <= top) return i;
  }
  return null;
}
