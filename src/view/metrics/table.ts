/**
 * The families of metrics: what a scrape can show, a row each. Makers fill a row by its name; type, labels and the largest number of
 * series stand in the rows alone, and docs/metrics.md is made from them. A family without a row does not compile.
 */
import { CALL_ROWS } from './call-rows.ts';
import type { MetricRow } from './row.ts';
import { RUN_ROWS } from './run-rows.ts';

export const METRICS = { ...RUN_ROWS, ...CALL_ROWS };
export type MetricName = keyof typeof METRICS;

/** The label values of a sample, in the order of the row. */
export type LabelsOf<Name extends MetricName> = Texts<(typeof METRICS)[Name]['labels']>;
type Texts<L extends readonly string[]> = { readonly [K in keyof L]: string };

/** The names are those of the table; Object.entries() widens them. */
export const METRIC_ROWS: readonly (readonly [MetricName, MetricRow])[] = Object.entries<MetricRow>(METRICS) as [
  MetricName,
  MetricRow,
][];

/** Series of a family at most. */
export function seriesOf({ type, values, bounds }: Pick<MetricRow, 'type' | 'values' | 'bounds'>): number {
  if (type === 'summary') return values * 2;
  // Each bound, the bucket beyond them, the sum and the count.
  return bounds === undefined ? values : values * (bounds.length + 3);
}
