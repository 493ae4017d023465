/** The trunks of an overview: which do worst, and how each did over time. */
import type { OverviewTrunk, OverviewTrunks } from '../contract/index.ts';
import type { OverviewFigure } from '../core/overview-words.ts';
import { rounded } from '../core/rounded.ts';
import type { Steps } from '../core/turns.ts';
import { CellFigures } from '../watch/cell-figures.ts';
import type { Cells } from '../watch/cells.ts';
import type { TrunkRow } from '../watch/trunks/trunk-row.ts';
import { percent, within } from './overview-figures.ts';
import type { CellSpan } from './overview-span.ts';
import { CELLS, minutesOf, startsOf, widened } from './overview-span.ts';
import { quantilesOf } from './quantiles.ts';

/** Rows of the heat map. */
export const OVERVIEW_TRUNKS = 30;
/** A figure of fewer calls says little: such trunks come after the others. */
const FEW = 10;

/** A row before it is shown: what it comes to in the whole span, worse ones with a greater `badness`. */
export type RankedTrunk<Row> = {
  readonly row: Row;
  readonly isTroubled: boolean;
  readonly attempts: number;
  readonly badness: number;
};

/** Those in trouble first, then by the figure, then those of few calls. */
export function worstFirst<Row>(trunks: readonly RankedTrunk<Row>[]): RankedTrunk<Row>[] {
  return [...trunks].sort(
    (a, b) =>
      Number(b.isTroubled) - Number(a.isTroubled) ||
      Number(b.attempts >= FEW) - Number(a.attempts >= FEW) ||
      b.badness - a.badness ||
      b.attempts - a.attempts,
  );
}

type Sum = Pick<CellFigures, 'attempts' | 'answered' | 'effective'>;
type MeanOf = { readonly count: number; readonly sum: number };

/** How bad figures are, from counts and means alone: what ranks trunks need not be exact to a percent. */
export function badnessOf(by: OverviewFigure, sum: Sum, pdd: MeanOf, mos: MeanOf): number {
  switch (by) {
    case 'asr':
      return sum.attempts === 0 ? 0 : 1 - sum.answered / sum.attempts;
    case 'ner':
      return sum.attempts === 0 ? 0 : 1 - sum.effective / sum.attempts;
    case 'pdd':
      return pdd.count === 0 ? 0 : pdd.sum / pdd.count;
    default:
      return mos.count === 0 ? -10 : -mos.sum / mos.count;
  }
}

/** The figure itself; undefined where there is nothing to tell it by. */
function figureOf(by: OverviewFigure, { attempts, answered, effective, pddMs, mos }: CellFigures): number | undefined {
  switch (by) {
    case 'asr':
      return attempts === 0 ? undefined : percent(answered, attempts);
    case 'ner':
      return attempts === 0 ? undefined : percent(effective, attempts);
    case 'pdd':
      return pddMs === null ? undefined : rounded(quantilesOf(pddMs, within(pddMs), 0).p95, 0);
    default:
      return mos === null ? undefined : quantilesOf(mos, within(mos), 2).p05;
  }
}

/** A step a row. */
export function* overviewTrunks(
  rows: Iterable<TrunkRow>,
  span: CellSpan,
  by: OverviewFigure,
  nowUs: number,
  textOf: (minute: number) => string,
): Steps<OverviewTrunks> {
  const all = [...rows];
  const level = levelOf(all, span);
  const cells = widened(span, cellsAt(all[0], level)?.minutes ?? span.cellMinutes);
  const starts = startsOf(cells);
  const ranked: RankedTrunk<TrunkRow>[] = [];
  for (const row of all) {
    const sum = { attempts: 0, answered: 0, effective: 0 };
    const [pdd, mos] = [
      { count: 0, sum: 0 },
      { count: 0, sum: 0 },
    ];
    for (const start of starts) {
      const figures = cellsAt(row, level)?.at(start);
      if (figures === undefined || figures === null) continue;
      sum.attempts += figures.attempts;
      sum.answered += figures.answered;
      sum.effective += figures.effective;
      addMean(pdd, figures.pddMs);
      addMean(mos, figures.mos);
    }
    if (sum.attempts > 0)
      ranked.push({
        row,
        isTroubled: isTroubled(row.stateAt(nowUs).state),
        attempts: sum.attempts,
        badness: badnessOf(by, sum, pdd, mos),
      });
    yield;
  }
  const shown: OverviewTrunk[] = [];
  for (const { row } of worstFirst(ranked).slice(0, OVERVIEW_TRUNKS)) {
    shown.push(trunkOver(row, cellsAt(row, level), starts, by, nowUs));
    yield;
  }
  return {
    by,
    from: textOf(cells.from),
    to: textOf(cells.to),
    cell_sec: cells.cellMinutes * 60,
    not_shown: ranked.length - shown.length,
    rows: shown,
  };
}

/** Of a trunk that is down, or refuses, the picture is looked at first. */
export function isTroubled(state: OverviewTrunk['state']): boolean {
  return state === 'down' || state === 'refusing';
}

function addMean(sum: { count: number; sum: number }, more: MeanOf | null): void {
  if (more === null) return;
  sum.count += more.count;
  sum.sum += more.sum;
}

function trunkOver(
  row: TrunkRow,
  cells: Cells<CellFigures> | undefined,
  starts: readonly number[],
  by: OverviewFigure,
  nowUs: number,
): OverviewTrunk {
  const whole = new CellFigures();
  const shown: OverviewTrunk['cells'] = [];
  for (const start of starts) {
    const figures = cells?.at(start) ?? null;
    if (figures !== null) whole.merge(figures);
    shown.push({ attempts: figures?.attempts ?? 0, ...valued(figures === null ? undefined : figureOf(by, figures)) });
  }
  return {
    trunk: row.name,
    direction: row.direction,
    is_configured: row.isConfigured,
    state: row.stateAt(nowUs).state,
    attempts: whole.attempts,
    answered: whole.answered,
    ...valued(figureOf(by, whole)),
    cells: shown,
  };
}

const valued = (value: number | undefined): { value?: number } => (value === undefined ? {} : { value });

const cellsAt = (row: TrunkRow | undefined, level: number): Cells<CellFigures> | undefined => row?.spans.cells[level];

/** The shortest cells that reach over the span in every row, and are no more than a picture has. */
function levelOf(rows: readonly TrunkRow[], span: CellSpan): number {
  const [first] = rows;
  const levels = first?.spans.cells ?? [];
  const found = levels.findIndex(
    ({ minutes }, level) =>
      minutesOf(span) / minutes <= CELLS && rows.every((row) => !((cellsAt(row, level)?.keptFrom ?? 0) > span.from)),
  );
  return found < 0 ? Math.max(0, levels.length - 1) : found;
}
