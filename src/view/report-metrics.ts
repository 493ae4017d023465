/** Metrics of what phones report: reports by kind, those that were refused, and histograms of their figures by trunk. */
import { REPORT_KINDS } from '../core/words.ts';
import type { ReportedMeasure } from '../watch/reported-quality.ts';
import { REPORTED_MEASURES } from '../watch/reported-quality.ts';
import type { Figures } from './figures.ts';
import type { MetricFamily, MetricSample } from './metrics-snapshot.ts';
import { counterFamily } from './metrics-snapshot.ts';

export function reportFamilies({ ingest, reported }: Figures): MetricFamily[] {
  const { reports, rtcp } = ingest;
  const byTrunk = [...reported.byTrunk];
  const measures = Object.entries(REPORTED_MEASURES) as [
    ReportedMeasure,
    (typeof REPORTED_MEASURES)[ReportedMeasure],
  ][];
  return [
    counterFamily(
      'calltap_phone_reports_total',
      'Reports of phones and agents on the quality of calls, by kind; those of RTCP each time.',
      'kind',
      REPORT_KINDS.map((kind) => [kind, kind === 'xr' ? rtcp.voipMetrics : reports.kept[kind]] as const),
    ),
    counterFamily('calltap_phone_reports_refused_total', 'Such reports that are not kept, by reason.', 'reason', [
      ...reports.refused,
    ]),
    {
      name: 'calltap_reported_lost_after_tap_total',
      help: 'Calls whose report says clearly more loss than was seen here.',
      type: 'counter',
      labelNames: ['trunk'],
      samples: byTrunk.map(([trunk, { lostAfterTap }]) => ({ labels: { trunk }, value: lostAfterTap })),
    },
    ...measures.map(
      ([name, { help, bounds }]): MetricFamily => ({
        name: `calltap_reported_${name}`,
        help,
        type: 'histogram',
        labelNames: ['trunk'],
        samples: byTrunk.flatMap(([trunk, { histograms }]) =>
          bucketSamples(trunk, bounds, histograms[name].snapshot()),
        ),
      }),
    ),
  ];
}

function bucketSamples(
  trunk: string,
  bounds: readonly number[],
  { counts, sum, count }: { readonly counts: readonly number[]; readonly sum: number; readonly count: number },
): MetricSample[] {
  let below = 0;
  const buckets = [...bounds.map(String), '+Inf'].map((le, i): MetricSample => {
    below += counts[i] ?? 0;
    return { suffix: '_bucket', labels: { trunk, le }, value: below };
  });
  return [
    ...buckets,
    { suffix: '_sum', labels: { trunk }, value: sum },
    { suffix: '_count', labels: { trunk }, value: count },
  ];
}
