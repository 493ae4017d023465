/** The language of the table of metrics: what a row says, and makers of rows of each type. */
import type { MetricGroup } from '../../core/metric-groups.ts';
import { NUMBER_BOUNDS } from '../../watch/numbers/bounds.ts';
import { TRUNK_SEATS } from '../../watch/trunks/seats.ts';

/** What a row may say beside its type, labels and meaning. */
type More = {
  /** How a ratio or a mean is made of it, with the section of the RFC. */
  readonly formula?: string;
  readonly query?: string;
  /** Only a hub shows it, which captures nothing. */
  readonly isOfHub?: true;
  /** A label value may leave with its seat, and come back with what it had. */
  readonly isSeated?: true;
};

type Row = More & {
  /** A summary is a sum and a count here: quantiles cannot be added up. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: readonly string[];
  /** Combinations of label values at most: more are left out and counted. */
  readonly values: number;
  readonly help: string;
  /** Of a histogram: its upper bounds. */
  readonly bounds?: readonly number[];
};

export type MetricRow = Row & { readonly group: MetricGroup };

/** What goes in and comes out of trunks: 50 rows of trunk and direction, and two of all others. */
export const ROWS = TRUNK_SEATS + 2;
/** The same without direction. */
export const TRUNKS = TRUNK_SEATS + 1;
export const OF_ROW = ['trunk', 'direction'] as const;
export const SEATED = { isSeated: true } as const;

export const counter = <const L extends readonly string[]>(
  labels: L,
  values: number,
  help: string,
  more: More = {},
) => ({
  ...more,
  type: 'counter' as const,
  labels,
  values,
  help,
});
export const gauge = <const L extends readonly string[]>(labels: L, values: number, help: string, more: More = {}) => ({
  ...more,
  type: 'gauge' as const,
  labels,
  values,
  help,
});
export const histogram = <const L extends readonly string[]>(
  labels: L,
  values: number,
  bounds: readonly number[],
  help: string,
  more: More = {},
) => ({ ...more, type: 'histogram' as const, labels, values, bounds, help });

/** Of a trunk and direction. */
export const ofRow = (help: string, more: More = {}) => counter(OF_ROW, ROWS, help, { ...SEATED, ...more });
export const summaryOfRow = (help: string, more: More = {}) => ({
  ...SEATED,
  ...more,
  type: 'summary' as const,
  labels: OF_ROW,
  values: ROWS,
  help,
});
export const gaugeOfRow = (help: string, more: More = {}) => gauge(OF_ROW, ROWS, help, { ...SEATED, ...more });
export const ofTrunk = (name: keyof typeof NUMBER_BOUNDS, help: string, more: More = {}) =>
  histogram(['trunk'], TRUNKS, NUMBER_BOUNDS[name], help, { ...SEATED, query: p95(name), ...more });

function p95(name: string): string {
  return `histogram_quantile(0.95, sum by (trunk, le) (rate(${name}_bucket[15m])))`;
}

/** `sum(rate(a)) / sum(rate(b))`, by trunk. */
export function share(part: string, whole: string): string {
  return `sum by (trunk) (rate(${part}[15m])) / sum by (trunk) (rate(${whole}[15m]))`;
}

export type InGroup<T> = { readonly [Name in keyof T]: T[Name] & { readonly group: MetricGroup } };

export function of<const T extends Readonly<Record<string, Row>>>(group: MetricGroup, rows: T): InGroup<T> {
  const placed = Object.entries(rows).map(([name, row]) => [name, { ...row, group }] as const);
  // The names and rows are those that were given; fromEntries widens them.
  return Object.fromEntries(placed) as InGroup<T>;
}
