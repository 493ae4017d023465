/** Families of metrics as their makers give them: a row of the table by its name, filled with samples. */
import type { BucketSnapshot } from '../../core/counters.ts';
import type { LabelsOf, MetricName } from './table.ts';

/** Label values stand in the order of the row; a histogram has buckets in place of a number. */
export type MetricSample = {
  readonly labels: readonly string[];
  readonly value: number | BucketSnapshot;
};

export type MetricFamily = { readonly name: MetricName; readonly samples: readonly MetricSample[] };

export type LabelledCount = readonly [label: string, value: number];

/** Families with so many labels as `L` has. */
type NamesWith<L> = {
  [Name in MetricName]: LabelsOf<Name> extends L ? (L extends LabelsOf<Name> ? Name : never) : never;
}[MetricName];
export type PlainName = NamesWith<readonly []>;
export type LabelledName = NamesWith<readonly [string]>;

/** Fills a row of the table. */
export function familyOf<Name extends MetricName>(
  name: Name,
  samples: readonly (MetricSample & { readonly labels: LabelsOf<Name> })[],
): MetricFamily {
  return { name, samples };
}

/** Numbers that differ in one label. */
export function countsOf(name: LabelledName, counts: readonly LabelledCount[]): MetricFamily {
  return { name, samples: counts.map(([label, value]) => ({ labels: [label], value })) };
}

/** One number, or one histogram, without labels. */
export function numberOf(name: PlainName, value: number | BucketSnapshot): MetricFamily {
  return { name, samples: [{ labels: [], value }] };
}
