/** Calls over time as charts: a row for each figure, all in the same columns of time. */
import type { OverviewCell, OverviewSpan } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import { codesText, FIGURE_COLUMNS, figureText } from '../cli/overview-columns.ts';
import type { Area } from './app.ts';
import type { Cells, Look } from './cells.ts';
import { LOOK } from './cells.ts';
import { levelLook, levelOf } from './overview-levels.ts';
import type { Axis, Chosen, Grid, PageRow } from './overview-rows.ts';
import { callsIn, cellsIn, msOf } from './overview-rows.ts';
import { barOf } from './quality-bars.ts';

/** What one chart shows. */
type Chart = {
  readonly title: string;
  readonly from: number;
  /** Where the chart ends; null: at the highest value. */
  readonly to: number | null;
  readonly places: number;
  /** The lowest value is looked at first. */
  readonly isLowBad: boolean;
  /** What the calls behind a cell have besides. */
  readonly terms: readonly string[];
  of(cell: OverviewCell): number | null;
  look(value: number): Look;
};

const plain = (): Look => LOOK.cyan;
const some = (n: number): number | null => (n === 0 ? null : n);
const counts = { from: 0, to: null, places: 0, isLowBad: false, terms: [], look: plain } as const;

const CHARTS: readonly Chart[] = [
  { ...counts, title: 'calls', of: ({ attempts }) => some(attempts) },
  { ...counts, title: 'failed', of: ({ failed }) => some(failed), terms: ['state:Failed'], look: () => LOOK.red },
  { ...counts, title: 'talking', of: ({ most_talking }) => some(most_talking) },
  {
    ...{ title: 'ASR', from: 0, to: 100, places: 0, isLowBad: true, terms: [] },
    of: ({ asr_pct }) => asr_pct ?? null,
    look: (value) => levelLook(levelOf('asr', value)),
  },
  {
    ...{ title: 'PDD95', from: 0, to: null, places: 0, isLowBad: false, terms: [] },
    of: ({ pdd_ms }) => pdd_ms?.p95 ?? null,
    look: (value) => levelLook(levelOf('pdd', value)),
  },
  {
    ...{ title: 'MOS05', from: 1, to: 4.5, places: 1, isLowBad: true, terms: [] },
    of: ({ mos }) => mos?.p05 ?? null,
    look: (value) => levelLook(levelOf('mos', value)),
  },
];
export const CHART_COUNT = CHARTS.length;
/** Failures are looked at first. */
export const FIRST_CHART = 'failed';

/** `left`: cells in front of the columns of time. `clock` writes the time of day. */
export function chartRows(
  { cells: row, to }: OverviewSpan,
  cellSec: number,
  axis: Axis,
  left: number,
  height: number,
  hasColor: boolean,
  clock: (ms: number) => string,
): PageRow[] {
  const starts = row.map(({ at }) => msOf(at));
  const grid: Grid = { fromMs: axis.fromMs, cellMs: cellSec * 1000, count: row.length };
  const endOf = (at: number): number => starts[at + 1] ?? msOf(to);
  return CHARTS.map((chart) => {
    const values = row.map((cell) => chart.of(cell));
    const known = values.map((value, at) => ({ value, at })).filter(({ value }) => value !== null);
    const worst = known.reduce<(typeof known)[number] | null>(
      (kept, one) => (kept === null || isWorse(chart, one.value, kept.value) ? one : kept),
      null,
    );
    return {
      key: chart.title,
      height,
      count: row.length,
      starts,
      worst: worst?.at ?? row.length - 1,
      mark(at) {
        const cell = row[at];
        const [fromMs, toMs] = [starts[at] ?? Number.NaN, endOf(at)];
        return {
          words: cell === undefined ? '' : `${clock(fromMs)} to ${clock(toMs)}: ${cellWords(cell)}`,
          opens: { filter: callsIn(fromMs, toMs, ...chart.terms) },
        };
      },
      draw: (cells, area, chosen) =>
        drawChart(cells, area, { chart, values, axis, grid, left, hasColor, starts }, chosen),
    };
  });
}

/** All of a cell. */
function cellWords(cell: OverviewCell): string {
  const F = FIGURE_COLUMNS;
  const parts = [
    `${counted(cell.attempts, 'call')}, ${cell.answered} answered, ${cell.failed} failed`,
    `most talking ${cell.most_talking}`,
    ...[F.asr, F.ner, F.pdd, F.mos, F.loss].flatMap((column) =>
      column.of(cell) === undefined ? [] : [`${column.title} ${figureText(column, cell)}`],
    ),
    ...(cell.codes.length === 0 ? [] : [`codes ${codesText(cell.codes)}`]),
  ];
  return parts.join(', ');
}

function isWorse({ isLowBad }: Chart, a: number | null, b: number | null): boolean {
  if (a === null || b === null) return b === null;
  return isLowBad ? a < b : a > b;
}

type Drawn = {
  readonly chart: Chart;
  readonly values: readonly (number | null)[];
  readonly axis: Axis;
  readonly grid: Grid;
  readonly left: number;
  readonly hasColor: boolean;
  readonly starts: readonly number[];
};

function drawChart(cells: Cells, { x, y, width, height }: Area, of: Drawn, chosen: Chosen): void {
  const { chart, values, axis, grid, left, hasColor, starts } = of;
  const room = width - left;
  const most = values.reduce<number>((sum, value) => Math.max(sum, value ?? 0), 0);
  const to = chart.to ?? Math.max(1, most);
  const top = chart.to === null && most === 0 ? '' : to.toFixed(chart.places);
  const title = chart.title.padEnd(Math.max(0, left - 1 - top.length)).slice(0, left - 1 - top.length);
  cells.put(x, y, `${title}${top}|`, LOOK.dim, left);
  if (chosen.mark !== null) cells.mark(x, y, chart.title.length, LOOK.reverse);
  for (let row = 1; row < height; row++)
    cells.put(x, y + row, `${(row === height - 1 ? String(chart.from) : '').padStart(left - 1)}|`, LOOK.dim, left);
  for (let column = 0; column < room; column++) {
    const { from, to: end } = cellsIn(column, room, axis, grid);
    let value: number | null = null;
    for (let at = from; at < end; at++) if (isWorse(chart, values[at] ?? null, value)) value = values[at] ?? value;
    const look = value === null || !hasColor ? LOOK.plain : chart.look(value);
    for (let row = 0; row < height; row++) {
      const bar = barOf(value, { from: chart.from, to }, row, height, cells.isUtf8);
      cells.put(x + left + column, y + height - 1 - row, bar, look, 1);
    }
    const isChosen = chosen.atMs !== null && from <= placeOf(starts, chosen.atMs) && placeOf(starts, chosen.atMs) < end;
    if (isChosen) for (let row = 0; row < height; row++) cells.mark(x + left + column, y + row, 1, LOOK.reverse);
  }
}

/** The cell that a time lies in. */
export function placeOf(starts: readonly number[], atMs: number): number {
  const after = starts.findIndex((start) => start > atMs);
  return Math.max(0, (after < 0 ? starts.length : after) - 1);
}

/** Times of day below the charts, where there is room for them. */
export function axisText(axis: Axis, left: number, width: number, clock: (ms: number) => string): string {
  const room = width - left;
  let text = ' '.repeat(left);
  for (let part = 0; part < AXIS_PARTS; part++) {
    const at = left + Math.floor((room * part) / AXIS_PARTS);
    const time = clock(axis.fromMs + ((axis.toMs - axis.fromMs) * part) / AXIS_PARTS);
    if (at >= text.length && at + time.length <= width) text = `${text.padEnd(at)}${time} `;
  }
  return text.trimEnd();
}

const AXIS_PARTS = 4;
