/** A picture on a canvas by uPlot: the mouse shows a cell, opens its calls, and pulls a span; so do keys. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Stroke } from './overview-paint.ts';
import { dataOf, drawLimit, pathsOf, seriesAt, strokesOf } from './overview-paint.ts';
import type { Picture } from './overview-series.ts';
import { minuteOf } from './overview-span.ts';
import { colour } from './quality-chart.ts';
import { secondsOf, usesUtc } from './words.ts';

/** The axis of time that all pictures share. */
export type Axis = { readonly starts: readonly string[]; readonly cellSec: number };

/** What is pointed at: a cell, and a series of it where one is. */
export type Mark = { readonly cell: number; readonly series: number | null };

type Props = {
  readonly picture: Picture;
  readonly axis: Axis;
  readonly mark: Mark | null;
  readonly words: string;
  readonly themed: number;
  readonly onMark: (mark: Mark | null) => void;
  readonly onOpen: (mark: Mark) => void;
  readonly onPull: (fromCell: number, toCell: number) => void;
};

const HEIGHT_PX = 132;
/** A pull that is shorter is a click. */
const PULL_PX = 6;

/** What the canvas reads when it is drawn: it is made once, and the answers change. */
type Now = Props & { readonly strokes: readonly Stroke[] };

export function OverviewChart(props: Props): ComponentChild {
  const { picture, axis, mark, words, themed } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const strokes = strokesOf(picture);
  const now = useRef<Now>({ ...props, strokes });
  now.current = { ...props, strokes };
  /** Where keys began to choose a span. */
  const anchor = useRef<number | null>(null);
  const isPulled = useRef(false);
  const shape = `${themed} ${strokes.map((s) => `${s.kind}${s.colour}${s.dash.join()}`).join(' ')}`;
  useEffect(() => {
    const at = box.current;
    if (at === null) return undefined;
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: at.clientWidth, height: HEIGHT_PX }));
    const stop = soon(() => {
      const { axis: first, strokes: drawn } = now.current;
      plot.current = new uPlot(optionsOf(now, isPulled, at.clientWidth), dataOf(drawn, middlesOf(first)), at);
      observer.observe(at);
    });
    return () => {
      stop();
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape]);
  // Not below the hand that pulls.
  useEffect(
    () =>
      soon(() => {
        if (!isPulled.current) plot.current?.setData(dataOf(strokes, middlesOf(axis)));
      }),
    [picture, axis],
  );
  const point = (cell: number, series: number | null): void => {
    const u = plot.current;
    const middle = u?.data[0][cell];
    if (u === null || u === undefined || middle === undefined) return;
    u.setCursor({ left: u.valToPos(middle, 'x'), top: 1 });
    now.current.onMark({ cell, series });
  };
  const clear = (): void => {
    anchor.current = null;
    plot.current?.setSelect(NOTHING, false);
  };
  const last = axis.starts.length - 1;
  const onKey = (event: KeyboardEvent): void => {
    const cell = mark?.cell ?? last;
    const to = targetOf(event.key, mark === null ? null : cell, last);
    if (to !== null) {
      if (event.shiftKey) choose(plot.current, anchor, cell, to, axis);
      else clear();
      point(to, mark?.series ?? null);
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      point(cell, nextSeries(mark?.series ?? null, event.key === 'ArrowUp' ? 1 : -1, picture.series.length));
    } else if (event.key === 'Enter' && anchor.current !== null) {
      props.onPull(Math.min(anchor.current, cell), Math.max(anchor.current, cell));
      clear();
    } else if (event.key === 'Enter' && mark !== null) props.onOpen(mark);
    else if (event.key === 'Escape') {
      clear();
      props.onMark(null);
    } else return;
    event.preventDefault();
  };
  return h('div', {
    class: 'plot',
    ref: box,
    role: 'slider',
    tabIndex: 0,
    'aria-label': `${picture.title}, by time`,
    'aria-orientation': 'horizontal',
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuenow': mark?.cell ?? last,
    'aria-valuetext': words,
    onKeyDown: onKey,
    onFocusOut: clear,
  });
}

/** Runs it in a task of its own: pictures that are drawn in one would hold up the hand. */
function soon(draw: () => void): () => void {
  const timer = setTimeout(draw);
  return () => clearTimeout(timer);
}

const NOTHING = { left: 0, top: 0, width: 0, height: 0 };

function middlesOf({ starts, cellSec }: Axis): number[] {
  return starts.map((at) => secondsOf(at) + cellSec / 2);
}

/** The cell that a key leads to; null of other keys. */
function targetOf(key: string, cell: number | null, last: number): number | null {
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
  if (step === 0) return null;
  return cell === null ? last : Math.min(last, Math.max(0, cell + step));
}

/** Up and down through the series, and through the cell as a whole. */
function nextSeries(series: number | null, step: number, count: number): number | null {
  const next = ((series ?? -1) + 1 + step + count + 1) % (count + 1);
  return next === 0 ? null : next - 1;
}

/** Marks the span from where keys began to this cell. */
function choose(
  u: uPlot | null,
  anchor: { current: number | null },
  from: number,
  to: number,
  { cellSec }: Axis,
): void {
  if (u === null) return;
  anchor.current ??= from;
  const [a, b] = [Math.min(anchor.current, to), Math.max(anchor.current, to)];
  const left = u.valToPos((u.data[0][a] ?? 0) - cellSec / 2, 'x');
  const width = u.valToPos((u.data[0][b] ?? 0) + cellSec / 2, 'x') - left;
  u.setSelect({ left, width, top: 0, height: u.over.clientHeight }, false);
}

function optionsOf(now: { readonly current: Now }, isPulled: { current: boolean }, width: number): uPlot.Options {
  const dim = colour('--dim');
  const lines = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: dim, grid: lines, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  const { picture, strokes } = now.current;
  const bad = colour('--bad');
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
        values: (_, values) => values.map((value) => axisWords(value, now.current.picture)),
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
      draw: [(u) => (picture.limit === undefined ? undefined : drawLimit(u, picture.limit, bad))],
      setCursor: [(u) => marked(u, now)],
      setSelect: [(u) => pulled(u, now, isPulled)],
    },
  };
}

function endsOf({ starts, cellSec }: Axis): [number, number] {
  return [secondsOf(starts[0] ?? ''), secondsOf(starts.at(-1) ?? '') + cellSec];
}

/** Whole numbers for calls; short ones else. */
function axisWords(value: number, { written, name }: Picture): string {
  if (name === 'Post-dial delay') return `${Number((value / 1_000).toFixed(2))} s`;
  if (name === 'MOS') return value.toFixed(1);
  if (name === 'ASR and NER' || name === 'Loss') return `${Number(value.toFixed(1))} %`;
  return Number.isInteger(value) ? written(value) : '';
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
