/**
 * The text of a family, as prom-client writes it: in the format of Prometheus (text format 0.0.4), or in OpenMetrics 1.0 for
 * exemplars, where a counter is named without `_total`.
 */
import type { Gauge, OpenMetricsContentType } from 'prom-client';
import { Registry } from 'prom-client';
import type { BucketSnapshot, Exemplar } from '../../core/counters.ts';
import type { MetricSample } from '../../view/metrics/family.ts';
import type { MetricRow } from '../../view/metrics/row.ts';

export type MetricsFormat = 'text' | 'openmetrics';

const OPEN = new Registry<OpenMetricsContentType>();
OPEN.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
const REGISTRIES = { text: new Registry(), openmetrics: OPEN } as const;
/** What stands after the last family. */
export const ENDS: Readonly<Record<MetricsFormat, string>> = { text: '', openmetrics: '# EOF\n' };

const TOTAL = /_total$/;
/** OpenMetrics allows so many characters of labels in an exemplar, names included. */
const EXEMPLAR_CHARS = 128;
const EXEMPLAR_NAME = 'call_id';

/** As prom-client takes it. */
type Value = {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly exemplar?: { readonly labelSet: Readonly<Record<string, string>>; value: number; timestamp: number };
};

export function contentTypeOf(format: MetricsFormat): string {
  return REGISTRIES[format].contentType;
}

/** Every family has its head, also one without samples. */
export async function familyText(
  name: string,
  row: MetricRow,
  samples: Iterable<MetricSample>,
  format: MetricsFormat,
): Promise<string> {
  const isCut = format === 'openmetrics' && row.type === 'counter';
  const family = { name: isCut ? name.replace(TOTAL, '') : name, help: row.help, type: row.type, aggregator: 'sum' };
  const values = [...samples].flatMap((sample) => valuesOf(name, row, sample));
  const registry = REGISTRIES[format];
  // Of a gauge prom-client asks for nothing but get(), and it writes each type and name of a sample that it finds.
  const shown: unknown = { name: family.name, get: () => Promise.resolve({ ...family, values }) };
  registry.removeSingleMetric(family.name);
  registry.registerMetric(shown as Gauge);
  return `${await registry.getSingleMetricAsString(family.name)}\n`;
}

function valuesOf(name: string, { labels: names, type, bounds = [] }: MetricRow, sample: MetricSample): Value[] {
  const labels = Object.fromEntries(names.map((label, i) => [label, sample.labels[i] ?? '']));
  const { value } = sample;
  if (typeof value === 'number') return [{ labels, value }];
  const sums = [
    { metricName: `${name}_sum`, labels, value: value.sum },
    { metricName: `${name}_count`, labels, value: value.count },
  ];
  return type === 'summary' ? sums : [...bucketsOf(`${name}_bucket`, bounds, labels, value), ...sums];
}

function bucketsOf(
  metricName: string,
  bounds: readonly number[],
  labels: Value['labels'],
  { counts, count, exemplars = [] }: BucketSnapshot,
): Value[] {
  let below = 0;
  return [...bounds.map(String), '+Inf'].map((le, i) => {
    below += counts[i] ?? 0;
    const exemplar = exemplars[i] ?? null;
    const isLast = i === bounds.length;
    return {
      ...{ metricName, labels: { ...labels, le }, value: isLast ? count : below },
      ...(exemplar !== null && fits(exemplar) && { exemplar: exemplarOf(exemplar) }),
    };
  });
}

function fits({ callId }: Exemplar): boolean {
  return EXEMPLAR_NAME.length + [...callId].length <= EXEMPLAR_CHARS;
}

function exemplarOf({ callId, value, atSec }: Exemplar): NonNullable<Value['exemplar']> {
  return { labelSet: { [EXEMPLAR_NAME]: callId }, value, timestamp: atSec };
}
