/**
 * What the statistics, the metrics and the summary say of the TLS probes: what they are attached to, and every loss
 * between a TLS call and a message.
 */

import type { CaptureQuality, Caveats } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import type { Probes } from './figures.ts';
import type { MetricFamily } from './metrics-snapshot.ts';
import { counterFamily } from './metrics-snapshot.ts';

type ProbeLosses = Pick<
  CaptureQuality,
  'uprobe_lost_events' | 'uprobe_lost_bytes' | 'uprobe_unbound_messages' | 'uprobe_truncated_calls' | 'uprobe_faults'
>;
type ProbeStatus = Pick<Caveats, 'uprobe_libraries' | 'uprobe_processes' | 'uprobe_refused' | 'uprobe_weak_addresses'>;

/** Caveats that only say that probes are at work. */
export const PROBE_STATUS: ReadonlySet<string> = new Set(['uprobe_libraries', 'uprobe_processes']);

/** Native counters that are losses, by the name under which `losses` has them. */
const NATIVE_LOSSES = [
  'lost_calls',
  'lost_events',
  'lost_bytes',
  'lost_notices',
  'truncated',
  'faults',
  'return_without_entry',
  'stale_frames',
  'frames_full',
  'no_room',
  'probation_over',
  'heads_over',
  'malformed',
] as const;

/** Members of `capture_quality`: losses only, so that working probes degrade nothing. */
export function probeLosses(tls: Probes | null): ProbeLosses {
  const native = (name: string): number => tls?.source.counter(name) ?? 0;
  return {
    uprobe_lost_events: native('lost_events'),
    uprobe_lost_bytes: native('lost_bytes'),
    uprobe_unbound_messages: tls?.ingest.streams.counters.unbound ?? 0,
    uprobe_truncated_calls: native('truncated'),
    uprobe_faults: native('faults'),
  };
}

/** Members of `caveats`: how the probes stand. */
export function probeStatus(tls: Probes | null): ProbeStatus {
  const discovery = tls?.source.discovery;
  return {
    uprobe_libraries: discovery?.attached ?? 0,
    uprobe_processes: discovery?.processes ?? 0,
    uprobe_refused: discovery?.refused ?? 0,
    uprobe_weak_addresses: tls?.ingest.streams.counters.weak ?? 0,
  };
}

/** Members of `losses`; none without probes. */
export function probeLossesByReason(tls: Probes | null): Record<string, number> {
  if (tls === null) return {};
  const { ingest, source } = tls;
  const { counters } = ingest.streams;
  const { decode } = ingest;
  const out: Record<string, number> = {};
  for (const name of NATIVE_LOSSES) out[`uprobe_${name}`] = source.counter(name);
  out['uprobe_gaps'] = counters.gaps;
  out['uprobe_gap_bytes'] = counters.gapBytes;
  out['uprobe_connections_evicted'] = counters.evicted;
  out['uprobe_messages_aborted'] = counters.aborted;
  out['uprobe_messages_truncated'] = decode.tcpMessagesTruncated;
  out['uprobe_message_too_long'] = decode.tcpMessageTooLong;
  out['uprobe_bytes_ignored'] = decode.tcpBytesIgnored;
  out['uprobe_ws_bad_frames'] = decode.wsBadFrames;
  out['uprobe_ws_compressed_undecodable'] = decode.wsCompressedUndecodable;
  out['uprobe_unbound_messages'] = counters.unbound;
  out['uprobe_files_beyond_cap'] = source.discovery.filesBeyondCap;
  out['uprobe_scan_failures'] = source.discovery.scanFailures;
  out['uprobe_functions_unread'] = source.discovery.unreadFunctions;
  return out;
}

/** Families of the metrics; none without probes. */
export function probeFamilies(tls: Probes | null): MetricFamily[] {
  if (tls === null) return [];
  const { ingest, source } = tls;
  const stream = Object.entries(ingest.streams.counters).map(([name, value]) => [name, Number(value)] as const);
  const { uprobe_weak_addresses: _counted, ...attached } = probeStatus(tls);
  const status = Object.entries(attached).map(([name, value]) => [name.replace('uprobe_', ''), value] as const);
  return [
    counterFamily(
      'calltap_uprobe_total',
      'What the TLS probes saw and lost in the kernel, by event.',
      'event',
      source.counterNames.map((name) => [name, source.counter(name)] as const),
    ),
    counterFamily('calltap_uprobe_stream_total', 'What became of the plaintext of TLS connections.', 'event', [
      ...stream,
      ['both_ends', ingest.bothEnds.seconds],
    ]),
    {
      ...counterFamily('calltap_uprobe_attached', 'What the TLS probes are attached to.', 'what', status),
      type: 'gauge',
    },
  ];
}

/** The summary's line. */
export function probeLine(tls: Probes): string {
  const { discovery } = tls.source;
  const { counters } = tls.ingest.streams;
  const losses = Object.entries(probeLosses(tls))
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${name.replace('uprobe_', '').replaceAll('_', ' ')} ${n}`);
  if (counters.weak > 0) losses.push(`addresses likely, not proven ${counters.weak}`);
  return (
    `TLS probes: ${counted(discovery.attached, 'library', 'libraries')} in ${counted(discovery.processes, 'process', 'processes')}, ` +
    `${counted(counters.connections, 'connection')}, ${counted(counters.messages, 'message')}` +
    (losses.length === 0 ? '' : `; ${losses.join(', ')}`)
  );
}
