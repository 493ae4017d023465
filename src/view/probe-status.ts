/** What the statistics, the metrics and the summary say of the TLS probes: what they are attached to and what they saw. */

import type { Caveats } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import type { Figures, Probes } from './figures.ts';
import { lossCounters } from './losses.ts';
import type { MetricFamily } from './metrics/family.ts';
import { countsOf } from './metrics/family.ts';

type ProbeStatus = Pick<
  Caveats,
  'uprobe_libraries' | 'uprobe_processes' | 'uprobe_refused' | 'uprobe_unseen_processes' | 'uprobe_weak_addresses'
>;

/** Caveats that only say that probes are at work. */
export const PROBE_STATUS: ReadonlySet<string> = new Set(['uprobe_libraries', 'uprobe_processes']);

/** Members of `caveats`: how the probes stand. */
export function probeStatus(tls: Probes | null): ProbeStatus {
  const discovery = tls?.source.discovery;
  return {
    uprobe_libraries: discovery?.files.attached ?? 0,
    uprobe_processes: discovery?.files.processes ?? 0,
    uprobe_refused: discovery?.files.refused ?? 0,
    uprobe_unseen_processes: tls?.source.unseen.count ?? 0,
    uprobe_weak_addresses: tls?.ingest.streams.counters.weak ?? 0,
  };
}

/** Families of the metrics; none without probes. */
export function probeFamilies(tls: Probes | null): MetricFamily[] {
  if (tls === null) return [];
  const { ingest, source } = tls;
  const stream = Object.entries(ingest.streams.counters).map(([name, value]) => [name, Number(value)] as const);
  const { uprobe_weak_addresses: _counted, ...attached } = probeStatus(tls);
  const status = Object.entries(attached).map(([name, value]) => [name.replace('uprobe_', ''), value] as const);
  return [
    countsOf(
      'calltap_uprobe_total',
      source.counterNames.map((name) => [name, source.counter(name)] as const),
    ),
    countsOf('calltap_uprobe_stream_total', [...stream, ['both_ends', ingest.bothEnds.seconds]]),
    countsOf('calltap_uprobe_attached', status),
  ];
}

/** The summary's line; null without probes. */
export function probeLine(f: Figures): string | null {
  if (f.tls === null) return null;
  const { discovery } = f.tls.source;
  const { counters } = f.tls.ingest.streams;
  const losses = Object.entries(lossCounters(f))
    .filter(([name, n]) => name.startsWith('uprobe_') && n > 0)
    .map(([name, n]) => `${name.replace('uprobe_', '').replaceAll('_', ' ')} ${n}`);
  if (counters.weak > 0) losses.push(`addresses likely, not proven ${counters.weak}`);
  return (
    `TLS probes: ${counted(discovery.files.attached, 'library', 'libraries')} in ${counted(discovery.files.processes, 'process', 'processes')}, ` +
    `${counted(counters.connections, 'connection')}, ${counted(counters.messages, 'message')}` +
    (losses.length === 0 ? '' : `; ${losses.join(', ')}`)
  );
}
