/** The trunks that do worst as a heat map: a row a trunk, over the same columns of time as the charts. */
import type { OverviewTrunk, OverviewTrunks } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import type { OverviewFigure } from '../../core/overview-words.ts';
import { safeText } from '../../core/terminal-text.ts';
import { valueText } from '../../query/write.ts';
import { FIGURE_COLUMNS } from '../cli/overview-columns.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK, widthOf } from './cells.ts';
import { placeOf } from './overview-charts.ts';
import { legendOf, levelLook, levelOf, shadeOf } from './overview-levels.ts';
import type { Axis, Chosen, Grid, PageRow } from './overview-rows.ts';
import { callsIn, cellsIn, msOf, NO_MARK } from './overview-rows.ts';

/** Calls without a figure, as without a sound. */
const UNKNOWN = '\u00b7';
/** Cells of the direction, and of the figure where there is room for it. */
const WAY = 4;
const VALUE = 7;
/** Names have less room than this only without the figure. */
const NAME_LEAST = 16;

type MapRoom = { readonly axis: Axis; readonly left: number; readonly hasColor: boolean; clock(ms: number): string };

/** The heading, and at most `most` trunks. */
export function mapRows(trunks: OverviewTrunks, most: number, room: MapRoom): PageRow[] {
  const { by, rows, not_shown } = trunks;
  const more = not_shown + Math.max(0, rows.length - most);
  const cellMs = trunks.cell_sec * 1000;
  const fromMs = msOf(trunks.from);
  return [
    heading(by, more),
    ...rows.slice(0, most).map((row) => trunkRow(row, by, { fromMs, cellMs, count: row.cells.length }, room)),
  ];
}

function heading(by: OverviewFigure, more: number): PageRow {
  return {
    ...{ key: '', height: 1, count: 0, starts: null, worst: 0 },
    mark: () => NO_MARK,
    draw(cells, { x, y, width }) {
      let at = x + cells.put(x, y, `Worst trunks by ${FIGURE_COLUMNS[by].title} (m turns)`, LOOK.bold, width) + 2;
      for (const [level, meaning] of legendOf(by)) {
        const text = `${shadeOf(level, cells.isUtf8)} ${meaning}`;
        if (at + text.length > x + width) return;
        at += cells.put(at, y, text, LOOK.dim) + 2;
      }
      if (more > 0) cells.put(at, y, `${more} more: T`, LOOK.dim, x + width - at);
    },
  };
}

function trunkRow(trunk: OverviewTrunk, by: OverviewFigure, grid: Grid, room: MapRoom): PageRow {
  const { cells: own, direction } = trunk;
  const name = safeText(trunk.trunk);
  const starts = own.map((_, at) => grid.fromMs + at * grid.cellMs);
  const { title, places } = FIGURE_COLUMNS[by];
  const figure = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(places));
  const badness = (value: number | undefined): number =>
    value === undefined ? Number.NEGATIVE_INFINITY : by === 'pdd' ? value : -value;
  const worst = own.reduce((kept, { value }, at) => (badness(value) > badness(own[kept]?.value) ? at : kept), 0);
  return {
    key: `trunk ${direction} ${trunk.trunk}`,
    height: 1,
    count: own.length,
    starts,
    worst,
    mark(at) {
      const fromMs = starts[at] ?? Number.NaN;
      const toMs = fromMs + grid.cellMs;
      const { attempts = 0, value } = own[at] ?? {};
      return {
        words:
          `${name} (${direction}) ${trunk.state}, ${room.clock(fromMs)} to ${room.clock(toMs)}: ${title} ${figure(value)} of ${counted(attempts, 'call')}; ` +
          `in all ${figure(trunk.value)} of ${trunk.attempts}, ${trunk.answered} answered`,
        opens: { filter: callsIn(fromMs, toMs, `trunk=${valueText(trunk.trunk)}`) },
      };
    },
    draw: (cells, area, chosen) => drawTrunk(cells, area, { trunk, name, by, figure, grid, starts, room }, chosen),
  };
}

type Drawn = {
  readonly trunk: OverviewTrunk;
  readonly name: string;
  readonly by: OverviewFigure;
  figure(value: number | undefined): string;
  readonly grid: Grid;
  readonly starts: readonly number[];
  readonly room: MapRoom;
};

function drawTrunk(cells: Cells, { x, y, width }: Area, of: Drawn, chosen: Chosen): void {
  const { trunk, name, by, figure, grid, starts } = of;
  const { axis, left, hasColor } = of.room;
  const hasValue = left - VALUE - WAY >= NAME_LEAST;
  const named = left - WAY - (hasValue ? VALUE : 0) - 1;
  const isTroubled = trunk.state === 'down' || trunk.state === 'refusing';
  cells.put(x, y, name, isTroubled && hasColor ? LOOK.red : LOOK.plain, named);
  if (chosen.mark !== null) cells.mark(x, y, Math.min(named, widthOf(name)), LOOK.reverse);
  cells.put(x + named + 1, y, trunk.direction, LOOK.dim, WAY);
  if (hasValue) cells.put(x + left - VALUE, y, figure(trunk.value).padStart(VALUE - 1), LOOK.plain, VALUE);
  const here = chosen.mark === null || chosen.atMs === null ? -1 : placeOf(starts, chosen.atMs);
  const columns = width - left;
  for (let column = 0; column < columns; column++) {
    const { from, to } = cellsIn(column, columns, axis, grid);
    const shown = trunk.cells.slice(from, to);
    const values = shown.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const at = x + left + column;
    if (values.length > 0) {
      const level = levelOf(by, by === 'pdd' ? Math.max(...values) : Math.min(...values));
      cells.put(at, y, shadeOf(level, cells.isUtf8), hasColor ? levelLook(level) : LOOK.plain, 1);
    } else if (shown.some(({ attempts }) => attempts > 0)) cells.put(at, y, UNKNOWN, LOOK.dim, 1);
    if (from <= here && here < to) cells.mark(at, y, 1, LOOK.reverse);
  }
}
