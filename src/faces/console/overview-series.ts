/** The pictures of the overview as series: what each draws for each cell, its sum, and the filter of the calls behind it. */
import type { AskOverview, OverviewCell, OverviewFigures, OverviewSpan } from '../../contract/index.ts';
import { lengthWords } from './overview-span.ts';

/** What a figure counts. */
export type Unit = 'calls' | 'percent' | 'loss' | 'delay' | 'mos';

export type Values = readonly (number | null)[];

export type Series = {
  readonly label: string;
  /** A colour of style.css. */
  readonly colour: string;
  readonly kind: 'column' | 'line';
  readonly values: Values;
  /** Of the whole span. */
  readonly total: number | null;
  /** Chooses the calls of this series among those of a cell; '' are all. */
  readonly filter: string;
  /** The same a span before, and a day before; empty where not kept. */
  readonly before: Values;
  readonly dayBefore: Values;
};

export type Picture = {
  readonly name: string;
  readonly title: string;
  readonly isWide?: boolean;
  readonly series: readonly Series[];
  readonly unit: Unit;
  readonly range: (least: number, most: number) => readonly [low: number, high: number];
  /** A line that is drawn, and beyond which it is bad. */
  readonly limit?: { readonly at: number; readonly text: string };
  /** Brings the worst calls of a cell to the top. */
  readonly sort: string;
};

/** Codes with a colour of their own. */
const CODES_DRAWN = 6;
/** Below this many users are dissatisfied (ITU-T G.107). */
export const MOS_LIMIT = 3.6;
/** Above this loss is heard. */
export const LOSS_LIMIT_PCT = 1;

type Read = (cell: OverviewCell) => number | undefined;
type Whole = (figures: OverviewFigures) => number | undefined;

const fromZero =
  (least: number) =>
  (_: number, most: number): [number, number] => [0, Math.max(least, most * 1.08)];

/** All pictures of an answer, in the order of the page. */
export function picturesOf(answer: AskOverview & { readonly span: OverviewSpan }): Picture[] {
  const { span, span_before: before, day_before: dayBefore, cell_sec: cellSec } = answer;
  const column = (of: Pick<Series, 'label' | 'colour' | 'filter'>, read: Read, total: number): Series => {
    return { ...of, kind: 'column', values: valuesOf(span, read), total, before: [], dayBefore: [] };
  };
  const line = (label: string, colour: string, read: Read, whole: Whole, filter = ''): Series => ({
    label,
    colour,
    kind: 'line',
    values: valuesOf(span, read),
    total: whole(span.figures) ?? null,
    filter,
    before: before === undefined ? [] : valuesOf(before, read),
    dayBefore: dayBefore === undefined ? [] : valuesOf(dayBefore, read),
  });
  const most = (read: (cell: OverviewCell) => number): number => span.cells.reduce((n, c) => Math.max(n, read(c)), 0);
  const { figures, cells } = span;
  return [
    {
      name: 'Calls',
      title: cellSec === 60 ? 'Calls a minute' : `Calls in ${lengthWords(cellSec)}`,
      isWide: true,
      series: [
        column({ label: 'answered', colour: '--calm', filter: 'code:2xx' }, (c) => c.answered, figures.answered),
        column({ label: 'canceled', colour: '--alert', filter: 'state:Canceled' }, (c) => c.canceled, figures.canceled),
        column(
          { label: 'other', colour: '--rest', filter: '-code:2xx -state:Failed,Canceled' },
          restOf,
          restOf(figures),
        ),
        column({ label: 'failed', colour: '--harm', filter: 'state:Failed' }, (c) => c.failed, figures.failed),
      ],
      unit: 'calls',
      range: fromZero(4),
      sort: '',
    },
    {
      name: 'Concurrent calls',
      title: 'Concurrent calls',
      series: [
        line(
          'most at once',
          '--a',
          (c) => c.most_talking,
          () => most((c) => c.most_talking),
        ),
        line(
          'at its end',
          '--c',
          (c) => c.talking,
          () => cells.at(-1)?.talking,
        ),
      ],
      unit: 'calls',
      range: fromZero(4),
      sort: '',
    },
    {
      name: 'Codes of failures',
      title: 'Codes of failures',
      series: codesOf(span, column),
      unit: 'calls',
      range: fromZero(4),
      sort: '',
    },
    {
      name: 'ASR and NER',
      title: 'ASR and NER',
      series: [
        line(
          'ASR',
          '--a',
          (c) => c.asr_pct,
          (f) => f.asr_pct,
        ),
        line(
          'NER',
          '--b',
          (c) => c.ner_pct,
          (f) => f.ner_pct,
        ),
      ],
      unit: 'percent',
      range: () => [0, 103],
      sort: '',
    },
    {
      name: 'Post-dial delay',
      title: 'Post-dial delay',
      series: [
        line(
          'median',
          '--a',
          (c) => c.pdd_ms?.p50,
          (f) => f.pdd_ms?.p50,
        ),
        line(
          'p95',
          '--b',
          (c) => c.pdd_ms?.p95,
          (f) => f.pdd_ms?.p95,
        ),
      ],
      unit: 'delay',
      range: fromZero(1_000),
      sort: '-pdd',
    },
    {
      name: 'MOS',
      title: 'MOS of ended calls',
      series: [
        line(
          'p05',
          '--b',
          (c) => c.mos?.p05,
          (f) => f.mos?.p05,
        ),
        line(
          'median',
          '--a',
          (c) => c.mos?.p50,
          (f) => f.mos?.p50,
        ),
      ],
      unit: 'mos',
      // Without a score nothing is below the usual.
      range: (least) => [least < 1 ? 3 : Math.max(1, Math.min(3, least - 0.1)), 4.6],
      limit: { at: MOS_LIMIT, text: '3.6' },
      sort: 'mos',
    },
    {
      name: 'Loss',
      title: 'Loss of RTP',
      series: [
        line(
          'loss',
          '--b',
          (c) => c.loss_pct,
          (f) => f.loss_pct,
        ),
      ],
      unit: 'loss',
      range: fromZero(1.5),
      limit: { at: LOSS_LIMIT_PCT, text: '1 %' },
      sort: '-loss',
    },
  ];
}

function valuesOf({ cells }: OverviewSpan, read: Read): Values {
  return cells.map((cell) => read(cell) ?? null);
}

/** Neither answered, failed nor canceled: those that still ring, and those that were redirected. */
function restOf({ attempts, answered, failed, canceled }: OverviewFigures | OverviewCell): number {
  return Math.max(0, attempts - answered - failed - canceled);
}

type Column = (of: Pick<Series, 'label' | 'colour' | 'filter'>, read: Read, total: number) => Series;

/** The most frequent codes by number, so that a colour stays with its code, and the rest as one. */
function codesOf({ figures: { codes } }: OverviewSpan, column: Column): Series[] {
  const own = codes
    .slice(0, CODES_DRAWN)
    .map(({ code }) => code)
    .sort((a, b) => a - b);
  const callsOf = (cell: Pick<OverviewCell, 'codes'>, isOf: (code: number) => boolean): number =>
    cell.codes.reduce((n, { code, calls }) => (isOf(code) ? n + calls : n), 0);
  const isOther = (code: number): boolean => !own.includes(code);
  const series = own.map((code, i) => {
    const read = (cell: Pick<OverviewCell, 'codes'>): number => callsOf(cell, (other) => other === code);
    return column({ label: String(code), colour: `--k${i}`, filter: `code:${code}` }, read, read({ codes }));
  });
  if (codes.length <= CODES_DRAWN) return series;
  const filter = `code:300..699 -code:${own.join(',')}`;
  const rest = (cell: Pick<OverviewCell, 'codes'>): number => callsOf(cell, isOther);
  return [...series, column({ label: 'other', colour: '--rest', filter }, rest, rest({ codes }))];
}
