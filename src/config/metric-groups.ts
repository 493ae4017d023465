/** The groups of metrics that the options choose. */
import { failure } from '../core/errors.ts';
import type { MetricGroup } from '../core/metric-groups.ts';
import { METRIC_GROUPS, readMetricGroups } from '../core/metric-groups.ts';
import type { Config } from './config.ts';
import { oneLine } from './option-value.ts';

/** Throws METRICS_FAMILIES_INVALID. */
export function metricGroupsOf({ metricsFamilies }: Pick<Config, 'metricsFamilies'>): ReadonlySet<MetricGroup> {
  const read = readMetricGroups(metricsFamilies);
  if (read.ok) return read.value;
  const choices = ['default', 'all', ...METRIC_GROUPS].join(', ');
  throw failure('METRICS_FAMILIES_INVALID', { reason: oneLine(read.reason), choices });
}
