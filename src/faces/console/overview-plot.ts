/** A picture as uPlot draws it: the mouse shows a cell, opens its calls, and pulls a span. */
import uPlot from 'uplot';
import { drawLimit } from './limit-line.ts';
import { pathsOf } from './overview-paint.ts';
import type { Picture } from './overview-series.ts';
import type { Stroke } from './overview-strokes.ts';
import { seriesAt } from './overview-strokes.ts';
import { axisWords, minuteOf } from './overview-words.ts';
import { colour } from './quality-chart.ts';
import { secondsOf, usesUtc } from './words.ts';

/** The axis of time that all pictures share. */
export type Axis = { readonly starts: readonly string[]; readonly cellSec: number };

/** What is pointed at: a cell, and a series of it where one is. */
export type Mark = { readonly cell: number; readonly series: number | null };

export type Chart = {
  readonly picture: Picture;
  readonly axis: Axis;
  readonly mark: Mark | null;
  readonly onMark: (mark: Mark | null) => void;
  readonly onOpen: (mark: Mark) => void;
  readonly onPull: (fromCell: number, toCell: number) => void;
};

/** What the canvas reads when it is drawn: it is made once, and the answers change. */
export type Now = Chart & { readonly strokes: readonly Stroke[] };

/** Also in style.css. */
export const HEIGHT_PX = 132;
/** A pull that is shorter is a click. */
const PULL_PX = 6;
export const NOTHING = { left: 0, top: 0, width: 0, height: 0 };

export function optionsOf(
  now: { readonly current: Now },
  isPulled: { current: boolean },
  width: number,
): uPlot.Options {
  const dim = colour('--dim');
  const lines = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: dim, grid: lines, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  const { picture, strokes } = now.current;
  const [bad, ground] = [colour('--bad'), colour('--ground')];
  return {
    width,
    height: HEIGHT_PX,
    legend: { show: false },
    padding: [6, 16, 0, 0],
    cursor: {
      sync: { key: 'overview', setSeries: false },
      drag: { x: true, y: false, setScale: false, dist: PULL_PX },
      points: { show: false },
      y: false,
    },
    scales: {
      x: { range: () => endsOf(now.current.axis) },
      y: { range: (_, least, most) => [...now.current.picture.range(least ?? 0, most ?? 0)] },
    },
    axes: [
      {
        ...axis,
        space: 56,
        size: 22,
        grid: { show: false },
        values: (_, times) => times.map((sec) => minuteOf(new Date(sec * 1_000).toISOString())),
      },
      {
        ...axis,
        space: 26,
        size: 46,
        gap: 3,
        values: (_, values) => values.map((value) => axisWords(now.current.picture.unit, value)),
      },
    ],
    ...(usesUtc() ? { tzDate: (sec: number) => uPlot.tzDate(new Date(sec * 1_000), 'Etc/UTC') } : {}),
    series: [
      {},
      ...strokes.map(({ kind, colour: name, dash, isPale }, i) => ({
        ...(kind === 'column' ? { fill: colour(name) } : { stroke: colour(name), width: isPale ? 1 : 1.8 }),
        dash,
        alpha: isPale ? 0.6 : 1,
        paths: pathsOf(
          () => now.current.strokes[i],
          () => now.current.axis.cellSec,
        ),
        points: { show: false },
      })),
    ],
    hooks: {
      ready: [(u) => listen(u, now, isPulled)],
      draw: [(u) => (picture.limit === undefined ? undefined : drawLimit(u, picture.limit, bad, ground))],
      setCursor: [(u) => marked(u, now)],
      setSelect: [(u) => pulled(u, now, isPulled)],
    },
  };
}

function endsOf({ starts, cellSec }: Axis): [number, number] {
  return [secondsOf(starts[0] ?? ''), secondsOf(starts.at(-1) ?? '') + cellSec];
}

/** A pull begins on this canvas, not on one that follows its cursor. */
function listen(u: uPlot, now: { readonly current: Now }, isPulled: { current: boolean }): void {
  let downX = 0;
  u.over.addEventListener('mousedown', ({ clientX }) => {
    downX = clientX;
    isPulled.current = true;
    addEventListener('mouseup', () => setTimeout(() => (isPulled.current = false)), { once: true });
  });
  u.over.addEventListener('click', ({ clientX, offsetY }) => {
    const cell = u.cursor.idx;
    if (Math.abs(clientX - downX) >= PULL_PX || cell === null || cell === undefined) return;
    const { picture, onOpen } = now.current;
    onOpen({ cell, series: seriesAt(picture.series, cell, u.posToVal(offsetY, 'y')) });
  });
}

function marked(u: uPlot, now: { readonly current: Now }): void {
  const { idx: cell } = u.cursor;
  const { mark, onMark } = now.current;
  const isOff = cell === null || cell === undefined || (u.cursor.left ?? -1) < 0;
  if (isOff ? mark === null : mark?.cell === cell) return;
  onMark(isOff ? null : { cell, series: null });
}

function pulled(u: uPlot, now: { readonly current: Now }, isPulled: { current: boolean }): void {
  const { left, width } = u.select;
  // The span that comes is another one; those that follow forget theirs too.
  u.setSelect(NOTHING, false);
  if (isPulled.current && width >= PULL_PX) now.current.onPull(u.posToIdx(left), u.posToIdx(left + width));
}
