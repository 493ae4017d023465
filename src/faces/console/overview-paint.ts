/** How cells are drawn on a canvas: columns on top of each other, lines with gaps, and a limit with its value. */
import type uPlot from 'uplot';
import type { Picture, Series, Values } from './overview-series.ts';

/** One line of a canvas; `base` is what a column stands on. */
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

/** What stands on a canvas, the pale lines first, so that the others cover them. */
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

/** Columns of uPlot: the middle of each cell, and the values; what is missing at the end of an older span is nothing. */
export function dataOf(strokes: readonly Stroke[], middles: readonly number[]): uPlot.AlignedData {
  return [[...middles], ...strokes.map(({ values }) => middles.map((_, i) => values[i] ?? null))];
}

/** The series of a stack under this value of a cell; null above all of them. */
export function seriesAt(series: readonly Series[], cell: number, value: number): number | null {
  let top = 0;
  for (const [i, { kind, values }] of series.entries()) {
    if (kind !== 'column') return null;
    top += values[cell] ?? 0;
    if (value <= top) return i;
  }
  return null;
}

/** A path of uPlot. `now` gives the stroke as it is when it is drawn, `cellSec` the width of a cell. */
export function pathsOf(now: () => Stroke | undefined, cellSec: () => number): uPlot.Series.PathBuilder {
  return (u) => {
    const stroke = now();
    const path = new Path2D();
    const half = cellSec() / 2;
    const x = (sec: number): number => u.valToPos(sec, 'x', true);
    const y = (value: number): number => u.valToPos(value, 'y', true);
    const [middles] = u.data;
    if (stroke?.kind === 'column') columns(path, stroke, middles, half, x, y);
    else if (stroke !== undefined) line(path, stroke.values, middles, half, x, y);
    return stroke?.kind === 'column' ? { fill: path, stroke: null } : { stroke: path, fill: null };
  };
}

type Scale = (value: number) => number;

/** Between columns is a gap, where they are wide enough for one. */
function columns(
  path: Path2D,
  { values, base }: Stroke,
  at: ArrayLike<number>,
  half: number,
  x: Scale,
  y: Scale,
): void {
  for (let i = 0; i < at.length; i++) {
    const [low, high] = [base[i] ?? 0, values[i] ?? 0];
    if (high <= low) continue;
    const [left, right] = [x((at[i] ?? 0) - half), x((at[i] ?? 0) + half)];
    const gap = right - left > 4 ? Math.min(6, (right - left) * 0.15) : 0;
    const top = y(high);
    // A single call among thousands is seen.
    path.rect(left + gap / 2, top, right - left - gap, Math.max(1, y(low) - top));
  }
}

/** Through the middles of cells; a cell alone is a dash as wide as it is. */
function line(path: Path2D, values: Values, at: ArrayLike<number>, half: number, x: Scale, y: Scale): void {
  for (let i = 0; i < at.length; i++) {
    const value = values[i] ?? null;
    if (value === null) continue;
    const sec = at[i] ?? 0;
    const isAlone = (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null;
    if (isAlone) path.moveTo(x(sec - half), y(value));
    if (!isAlone && (values[i - 1] ?? null) === null) path.moveTo(x(sec), y(value));
    else path.lineTo(x(isAlone ? sec + half : sec), y(value));
  }
}

/** The limit as a dashed line with its value at the right end. */
export function drawLimit(
  { ctx, bbox, valToPos }: uPlot,
  { at, text }: { readonly at: number; readonly text: string },
  colour: string,
): void {
  const y = valToPos(at, 'y', true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText(text, bbox.left + bbox.width - 2, y - 1);
  ctx.restore();
}
