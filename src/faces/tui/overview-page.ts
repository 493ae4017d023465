/** An overview as rows of a page, what matters most on top: small screens begin with it, and scroll to the rest. */
import type { AskOverview } from '../../contract/index.ts';
import { LOOK } from './cells.ts';
import { axisText, CHART_COUNT, chartRows } from './overview-charts.ts';
import { codesRows, healthRow, pairRows, tilesRow, troubleRows } from './overview-lists.ts';
import { mapRows } from './overview-map.ts';
import type { Axis, PageRow } from './overview-rows.ts';
import { msOf, textRow } from './overview-rows.ts';

/** Cells in front of the columns of time, by the width of the screen from which on. */
const LEFTS = [
  { width: 110, left: 34 },
  { width: 70, left: 20 },
  { width: 0, left: 9 },
] as const;
/** Rows of a chart, where there is room. */
const CHART_MOST = 5;
/** Trunks and pairs, of so many lines of the screen one each, and at least. */
const LINES_A_TRUNK = 4;
const LINES_A_PAIR = 5;
const ROWS_LEAST = 4;

export type PageStyle = { readonly hasColor: boolean; clock(ms: number): string };

/** Empty where there is nothing to show. */
export function overviewPage(overview: AskOverview, width: number, height: number, style: PageStyle): PageRow[] {
  const { span, span_before, trunks, pairs, troubles } = overview;
  if (span === undefined) return [];
  const { hasColor, clock } = style;
  const { left } = LEFTS.find((row) => width >= row.width) ?? LEFTS[2];
  const axis: Axis = { fromMs: msOf(span.from), toMs: msOf(span.to) };
  const most = (lines: number): number => Math.max(ROWS_LEAST, Math.floor(height / lines));
  const map =
    trunks === undefined || trunks.rows.length === 0
      ? []
      : mapRows(trunks, most(LINES_A_TRUNK), { axis, left, hasColor, clock });
  const above = [tilesRow(span, span_before, width, hasColor), healthRow(overview, width, hasColor, clock)];
  const below = [
    textRow([{ text: axisText(axis, left, width, clock), look: LOOK.dim }]),
    ...map,
    ...codesRows(span, width),
    ...troubleRows(troubles, width, clock),
    ...(pairs === undefined ? [] : pairRows(pairs, most(LINES_A_PAIR), width, clock)),
  ];
  const taken = [...above, ...below].reduce((sum, row) => sum + row.height, 0);
  const chart = Math.max(1, Math.min(CHART_MOST, Math.floor((height - taken) / CHART_COUNT)));
  return [...above, ...chartRows(span, overview.cell_sec, axis, left, chart, hasColor, clock), ...below];
}
