/** How cells are drawn on a canvas: columns on top of each other, and lines with gaps. */
import type uPlot from 'uplot';
import type { Values } from './overview-series.ts';
import type { Stroke } from './overview-strokes.ts';

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
