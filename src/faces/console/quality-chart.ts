/** One measure of all streams over time, drawn by uPlot; the charts of a call share their cursor and their axis of time. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { drawLimit } from './limit-line.ts';
import type { Line, Window } from './quality-data.ts';
import { columnsOf } from './quality-data.ts';
import { clock, usesUtc } from './words.ts';

export type Measure = {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  /** From here on a listener notices it. */
  readonly limit: number;
  readonly range: (max: number) => [number, number];
  readonly read: (window: Window) => number | null;
};

type Props = {
  readonly lines: readonly Line[];
  readonly measure: Measure;
  /** Ends of the axis, in seconds of the epoch. */
  readonly span: readonly [fromSec: number, toSec: number];
  /** Where the sound is, in seconds of the epoch; null while none plays. */
  readonly playedSec: number | null;
  readonly themed: number;
};

const HEIGHT_PX = 140;
/** Lines differ by their dashes too. */
const DASHES = [[], [8, 4], [3, 3], [12, 3, 3, 3]];
const COLOURS = ['--a', '--b', '--c', '--d'];

/** A colour of the style sheet as a canvas takes it. */
export function colour(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

export function QualityChart({ lines, measure, span, playedSec, themed }: Props): ComponentChild {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const played = useRef(playedSec);
  played.current = playedSec;
  useEffect(() => {
    const at = box.current;
    if (at === null) return undefined;
    const made = new uPlot(optionsOf(lines, measure, span, at.clientWidth, played), dataOf(lines, measure), at);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height: HEIGHT_PX }));
    observer.observe(at);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [lines, themed]);
  useEffect(() => plot.current?.redraw(false), [playedSec]);
  const { title, unit, limit } = measure;
  const label = `${title} of ${lines.length} streams over time, with a line at ${limit}${unit === '' ? '' : ` ${unit}`}; the table below has the numbers`;
  return h('div', { class: 'chart', ref: box, role: 'img', 'aria-label': label });
}

function dataOf(lines: readonly Line[], { read }: Measure): uPlot.AlignedData {
  return uPlot.join(lines.map(({ windows }) => columnsOf(windows, read)));
}

function optionsOf(
  lines: readonly Line[],
  { title, unit, digits, limit, range }: Measure,
  [from, to]: Props['span'],
  width: number,
  played: { readonly current: number | null },
): uPlot.Options {
  const dim = colour('--dim');
  const axis = { stroke: dim, grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } };
  const number = (value: number | null): string =>
    value === null || value === undefined ? '\u2013' : value.toFixed(digits);
  const named = { at: limit, text: unit === '' ? String(limit) : `${limit} ${unit}` };
  return {
    width,
    height: HEIGHT_PX,
    title: unit === '' ? title : `${title}, ${unit}`,
    cursor: { sync: { key: 'quality' }, drag: { x: false, y: false } },
    scales: { x: { range: [from, to] }, y: { range: (_, _min, max) => range(max ?? 0) } },
    axes: [
      {
        ...axis,
        space: 90,
        size: 30,
        values: (_, times) => times.map((time) => clock(new Date(time * 1000).toISOString(), 0)),
      },
      { ...axis, size: 46 },
    ],
    ...(usesUtc() ? { tzDate: (sec: number) => uPlot.tzDate(new Date(sec * 1000), 'Etc/UTC') } : {}),
    series: [
      { label: 'Time', value: (_, sec) => (sec === null ? '\u2013' : clock(new Date(sec * 1000).toISOString(), 0)) },
      ...lines.map(({ letter }, i) => ({
        label: letter,
        stroke: colour(COLOURS[i % COLOURS.length] ?? '--a'),
        width: 2,
        dash: DASHES[i % DASHES.length] ?? [],
        paths: uPlot.paths.stepped?.({ align: 1 }) ?? (() => null),
        points: { show: false },
        value: (_: uPlot, value: number | null) => number(value),
      })),
    ],
    hooks: {
      drawClear: [(u) => (title === 'MOS' ? hatchUnscored(u, lines, dim) : undefined)],
      draw: [
        (u) => drawLimit(u, named, colour('--bad'), colour('--ground')),
        (u) => drawPlayed(u, played.current, colour('--bad')),
      ],
    },
  };
}

/** Windows without a score are hatched: no line there means neither good nor bad. */
function hatchUnscored(u: uPlot, lines: readonly Line[], stroke: string): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.globalAlpha = 0.45;
  for (const { windows } of lines) {
    for (const { fromSec, toSec, mos } of windows) {
      if (mos !== null) continue;
      const [left, right] = [u.valToPos(fromSec, 'x', true), u.valToPos(toSec, 'x', true)];
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, bbox.top, right - left, bbox.height);
      ctx.clip();
      ctx.beginPath();
      for (let x = left - bbox.height; x < right; x += 9) {
        ctx.moveTo(x, bbox.top + bbox.height);
        ctx.lineTo(x + bbox.height, bbox.top);
      }
      ctx.stroke();
      ctx.restore();
    }
  }
  ctx.restore();
}

function drawPlayed({ ctx, bbox, valToPos }: uPlot, sec: number | null, stroke: string): void {
  if (sec === null) return;
  const x = valToPos(sec, 'x', true);
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
