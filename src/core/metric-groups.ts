/** The groups of metrics that `--metrics-families` chooses from. */
import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

export const METRIC_GROUPS = [
  'service',
  'capture',
  'process',
  'security',
  'trunks',
  'rfc6076',
  'codes',
  'calls',
  'media',
  'findings',
  'devices',
  'countries',
  'reports',
] as const;
export type MetricGroup = (typeof METRIC_GROUPS)[number];

/** Those of the interface: they are there whatever is chosen. */
const ALWAYS: MetricGroup = 'service';
/** What `default` stands for. */
export const DEFAULT_METRIC_GROUPS: readonly MetricGroup[] = [ALWAYS, 'capture', 'process', 'security', 'trunks'];

const BY_WORD: ReadonlyMap<string, readonly MetricGroup[]> = new Map<string, readonly MetricGroup[]>([
  ['default', DEFAULT_METRIC_GROUPS],
  ['all', METRIC_GROUPS],
  ...METRIC_GROUPS.map((group): [string, readonly MetricGroup[]] => [group, [group]]),
]);

/** Words between commas; or what is wrong with one of them. */
export function readMetricGroups(text: string): Result<ReadonlySet<MetricGroup>, string> {
  const chosen = new Set<MetricGroup>([ALWAYS]);
  for (const part of text.split(',')) {
    const word = part.trim();
    const groups = BY_WORD.get(word);
    if (groups === undefined) return fail(`there is no group ${word.slice(0, 40) || '""'}`);
    for (const group of groups) chosen.add(group);
  }
  return ok(chosen);
}
