/** The trunks of an overview over all hosts, of the minutes that agents ship: those that do worst, and how they did over time. */
import type { Static } from 'typebox';
import { Type } from 'typebox';
import type { AskOverviewQuery, OverviewTrunk, OverviewTrunks } from '../../contract/index.ts';
import type { OverviewFigure } from '../../core/overview-words.ts';
import { rounded } from '../../core/rounded.ts';
import type { Steps } from '../../core/turns.ts';
import { percent } from '../../view/overview-figures.ts';
import type { CellSpan } from '../../view/overview-span.ts';
import { CELLS, minutesOf, startsOf, widened } from '../../view/overview-span.ts';
import { badnessOf, isTroubled, OVERVIEW_TRUNKS, worstFirst } from '../../view/overview-trunks.ts';
import { TrunkSpans } from '../../watch/trunks/trunk-spans.ts';
import type { Asking } from './filter-sql.ts';
import { AMOUNT_OR_NULL, COUNT, COUNTS, rowShape, TEXT } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import { MINUTE_US, textOf } from './stored-overview-cells.ts';
import type { State } from './stored-trunks.ts';
import { DELAYS, isConfigured, quantiles, SCORES, STORED_TRUNKS, statesOf } from './stored-trunks.ts';

/** Lengths of cells, as an agent has them. */
const LEVELS = new TrunkSpans().cells.map(({ minutes }) => minutes);
/** Bins of delays and scores lie between these keys (core/log-bins.ts): whoever may insert can write others. */
const [LEAST_KEY, GREATEST_KEY] = [-700, 1_100];

const NAMED = { trunk: TEXT, direction: Type.Enum(['in', 'out']), attempts: COUNT, answered: COUNT, effective: COUNT };
const COUNTED = { values: COUNT, sum: AMOUNT_OR_NULL };
const SUM_ROW = rowShape({
  ...NAMED,
  ...{ pdd_count: COUNT, pdd_sum: AMOUNT_OR_NULL, mos_count: COUNT, mos_sum: AMOUNT_OR_NULL },
});
type SumRow = Static<typeof SUM_ROW>;
const CELL_ROW = rowShape({ ...NAMED, ...COUNTED, is_sum: COUNT, cell: COUNT, zeros: COUNT, value_bins: COUNTS });
type CellRow = Static<typeof CELL_ROW>;
/** Of each row its cells and their sum, and what `WITH ROLLUP` sums besides. */
const CELL_ROWS = (OVERVIEW_TRUNKS + 2) * (CELLS + 3);

const ATTEMPTS =
  'sum(m.attempts) AS attempts, sum(least(m.answered, m.attempts)) AS answered, sum(least(m.effective, m.attempts)) AS effective';

const keyOf = ({ trunk, direction }: Pick<OverviewTrunk, 'trunk' | 'direction'>): string => `${direction} ${trunk}`;

/** Rejects with a refusal. */
export async function overviewTrunksOf(
  reader: StoreReader,
  { nowUs }: Asking,
  span: CellSpan,
  by: NonNullable<AskOverviewQuery['by']>,
): Promise<OverviewTrunks> {
  const cells = widened(span, LEVELS.find((minutes) => minutesOf(span) / minutes <= CELLS) ?? LEVELS.at(-1) ?? 1);
  const [sums, states] = await Promise.all([sumsIn(reader, cells), statesOf(reader, nowUs, null)]);
  const ranked = worstFirst(
    sums.map((row) => ({
      row,
      isTroubled: isTroubled(states.get(keyOf(row))?.state ?? 'unknown'),
      attempts: row.attempts,
      badness: badnessOf(
        by,
        row,
        { count: row.pdd_count, sum: row.pdd_sum ?? 0 },
        { count: row.mos_count, sum: row.mos_sum ?? 0 },
      ),
    })),
  );
  const shown = ranked.slice(0, OVERVIEW_TRUNKS).map(({ row }) => row);
  const found = shown.length === 0 ? [] : await cellsIn(reader, cells, by, shown);
  return {
    by,
    from: textOf(cells.from),
    to: textOf(cells.to),
    cell_sec: cells.cellMinutes * 60,
    not_shown: ranked.length - shown.length,
    rows: await reader.inTurns(rowSteps(shown, found, states, cells, by)),
  };
}

/** Of the minutes of these cells. Whoever may insert can write other directions. */
function within({ from, to }: CellSpan, parameters: SqlParameters): string {
  return `m.minute >= ${parameters.time(from * MINUTE_US)} AND m.minute < ${parameters.time(to * MINUTE_US)} AND m.direction IN ('in', 'out')`;
}

function sumsIn(reader: StoreReader, cells: CellSpan): Promise<SumRow[]> {
  const parameters = new SqlParameters();
  return reader.rows(
    SUM_ROW,
    `SELECT m.trunk AS trunk, m.direction AS direction, ${ATTEMPTS}, sum(m.pdd_count) AS pdd_count, sum(m.pdd_sum) AS pdd_sum,
       sum(m.mos_count) AS mos_count, sum(m.mos_sum) AS mos_sum
     FROM minute AS m FINAL WHERE ${within(cells, parameters)}
     GROUP BY trunk, direction HAVING attempts > 0 ORDER BY attempts DESC, trunk, direction LIMIT ${STORED_TRUNKS}`,
    parameters,
    STORED_TRUNKS,
  );
}

/** Of each trunk its cells, and their sum. Bins are read where they are what is shown. */
function cellsIn(
  reader: StoreReader,
  cells: CellSpan,
  by: OverviewFigure,
  shown: readonly SumRow[],
): Promise<CellRow[]> {
  const parameters = new SqlParameters();
  const wanted = parameters.add(shown.map(keyOf), 'Array(String)');
  const cell = parameters.add(cells.cellMinutes * 60, 'UInt32');
  const binned =
    by === 'pdd' || by === 'mos'
      ? `sum(m.${by}_count) AS values, sum(m.${by}_sum) AS sum, sum(m.${by}_zero) AS zeros,
         sumMap(mapFilter((key, n) -> key BETWEEN ${LEAST_KEY} AND ${GREATEST_KEY}, m.${by}_bins)) AS value_bins`
      : '0 AS values, 0 AS sum, 0 AS zeros, map() AS value_bins';
  return reader.rows(
    CELL_ROW,
    `SELECT m.trunk AS trunk, m.direction AS direction, grouping(cell) AS is_sum, intDiv(toUnixTimestamp(m.minute), ${cell}) AS cell,
       ${ATTEMPTS}, ${binned}
     FROM minute AS m FINAL WHERE ${within(cells, parameters)} AND has(${wanted}, concat(m.direction, ' ', m.trunk))
     GROUP BY GROUPING SETS ((trunk, direction, cell), (trunk, direction)) LIMIT ${CELL_ROWS}`,
    parameters,
    CELL_ROWS,
  );
}

/** A step a trunk. */
function* rowSteps(
  shown: readonly SumRow[],
  found: readonly CellRow[],
  states: ReadonlyMap<string, State>,
  span: CellSpan,
  by: OverviewFigure,
): Steps<OverviewTrunk[]> {
  const starts = startsOf(span);
  const byKey = new Map<string, Map<number | null, CellRow>>();
  for (const row of found) {
    const cells = byKey.get(keyOf(row)) ?? new Map<number | null, CellRow>();
    byKey.set(keyOf(row), cells.set(row.is_sum === 1 ? null : row.cell, row));
  }
  const rows: OverviewTrunk[] = [];
  for (const { trunk, direction, attempts, answered } of shown) {
    const key = keyOf({ trunk, direction });
    const cells = byKey.get(key);
    rows.push({
      trunk,
      direction,
      is_configured: isConfigured(trunk),
      state: states.get(key)?.state ?? 'unknown',
      attempts,
      answered,
      ...valued(by, cells?.get(null)),
      cells: starts.map((start) => {
        const row = cells?.get(start / span.cellMinutes);
        return { attempts: row?.attempts ?? 0, ...valued(by, row) };
      }),
    });
    yield;
  }
  return rows;
}

/** Nothing where there is nothing to tell it by, or a forged row says what is no number. */
function valued(by: OverviewFigure, row: CellRow | undefined): { value?: number } {
  const value = row === undefined ? undefined : figureOf(by, row);
  return value === undefined || !Number.isFinite(value) ? {} : { value };
}

function figureOf(by: OverviewFigure, row: CellRow): number | undefined {
  const { attempts, answered, effective, values, sum, zeros, value_bins: bins } = row;
  switch (by) {
    case 'asr':
      return attempts === 0 ? undefined : percent(answered, attempts);
    case 'ner':
      return attempts === 0 ? undefined : percent(effective, attempts);
    case 'pdd':
      return values === 0 ? undefined : rounded(quantiles(values, sum ?? 0, zeros, bins, DELAYS).p95, 0);
    default:
      return values === 0 ? undefined : quantiles(values, sum ?? 0, zeros, bins, SCORES).p05;
  }
}
