/** A picture on a canvas as a part of the page: it follows the answers, and keys do what the mouse does. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Axis, Chart, Now } from './overview-plot.ts';
import { HEIGHT_PX, NOTHING, optionsOf } from './overview-plot.ts';
import { dataOf, strokesOf } from './overview-strokes.ts';
import { secondsOf } from './words.ts';

type Props = Chart & {
  /** The mark in words. */
  readonly words: string;
  /** Another number where colours are others. */
  readonly themed: number;
};

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
