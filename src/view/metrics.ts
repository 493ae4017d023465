/**
 * What the metrics show: counters of the session at one moment.
 */

import type { DialogStateName } from '../core/words.ts';
import { DIALOG_STATES, METHOD_NAMES } from '../core/words.ts';
import { SCAN_REASONS } from '../protocols/sip/scanner/scan.ts';
import { CALL_OUTCOMES } from '../store/dialogs/call-outcome.ts';
import type { Figures } from './figures.ts';
import { liveFamilies } from './live-metrics.ts';
import { lossCounters, shedByStore } from './losses.ts';
import type { LabelledCount, MetricFamily, MetricsSnapshot } from './metrics-snapshot.ts';
import { counterFamily } from './metrics-snapshot.ts';
import { probeFamilies } from './probe-status.ts';
import { reportFamilies } from './report-metrics.ts';
import { trunkFamilies } from './trunk-metrics.ts';

export function metricsSnapshot(f: Figures): MetricsSnapshot {
  const { source, observations } = f;
  const { tracker, decode } = f.ingest;
  const { dialogs, streams } = f.evidence.stores;
  const entries = Object.fromEntries(
    DIALOG_STATES.map((name, i) => [name, dialogs.entered[i] ?? 0]),
    // The keys are those of the list; fromEntries widens them to string.
  ) as Record<DialogStateName, number>;
  const counts = tracker.counts;
  return {
    dialogEntries: entries,
    messagesByMethod: new Map(
      METHOD_NAMES.map((name, i) => [name, (counts.requestsByMethod[i] ?? 0) + (counts.responsesByMethod[i] ?? 0)]),
    ),
    streamsActive: streams.established,
    streamsByStatus: { established: streams.establishedEver, orphaned: streams.orphanedEver },
    capturePackets: source.counter('frames'),
    reassemblyTimeouts: decode.reassemblyTimeouts,
    pddSeconds: observations.pddSeconds.snapshot(),
    mos: observations.mos.snapshot(),
    jitterMs: observations.jitterMs.snapshot(),
    lossPercent: observations.lossPercent.snapshot(),
    families: [
      ...captureFamilies(f),
      ...storeFamilies(f),
      ...liveFamilies(f),
      ...securityFamilies(f),
      ...probeFamilies(f.tls),
      ...trunkFamilies(f),
      ...reportFamilies(f),
      lostFamily(f),
      ...f.meters.flatMap((meter) => meter.families()),
    ],
  };
}

function captureFamilies({ source, ingest }: Figures): MetricFamily[] {
  const { decode, sip, rtcp } = ingest;
  const native: LabelledCount[] = source.info.counterNames.map((name) => [name, source.counter(name)]);
  const decodeCounts: LabelledCount[] = Object.entries(decode).map(([name, value]) => [name, Number(value)]);
  return [
    counterFamily('calltap_capture_total', 'Frames and packets by what the native walk made of them.', 'what', native),
    counterFamily('calltap_decode_total', 'TCP, WebSocket and fragment reassembly, by event.', 'event', decodeCounts),
    counterFamily(
      'calltap_sip_refused_total',
      'Payloads that did not scan as SIP, by reason.',
      'reason',
      SCAN_REASONS.map((name, i) => [name, sip.refused[i] ?? 0] as const).filter(([name]) => name !== 'ok'),
    ),
    counterFamily('calltap_rtcp_refused_total', 'RTCP that did not parse, by reason.', 'reason', [...rtcp.refused]),
  ];
}

function securityFamilies({ security }: Figures): MetricFamily[] {
  if (security === null) return [];
  return [
    counterFamily(
      'calltap_security_alerts_total',
      'Alerts about scanners, floods and fraud, by type.',
      'type',
      security.counts(),
    ),
    counterFamily('calltap_security_evicted_total', 'What the memory of the detection shed.', 'what', [
      ['records', security.evicted],
    ]),
    counterFamily(
      'calltap_security_answers_total',
      'Requests of scanners, by the result of the answer.',
      'event',
      Object.entries(security.answers?.counts ?? {}),
    ),
    counterFamily('calltap_security_lines_total', 'Lines for fail2ban by result.', 'event', [
      ['written', security.lines.written],
      ['lost', security.lines.lost],
    ]),
    counterFamily('calltap_security_syslog_total', 'Alerts for syslog by result.', 'event', [
      ['sent', security.syslog?.sent ?? 0],
      ['lost', security.syslog?.lost ?? 0],
    ]),
  ];
}

/** The losses of the statistics, where a scrape finds them too. */
function lostFamily(f: Figures): MetricFamily {
  const losses = Object.entries(lossCounters(f));
  return counterFamily(
    'calltap_lost_total',
    'What was captured and lost before analysis, by reason.',
    'reason',
    losses,
  );
}

function storeFamilies(f: Figures): MetricFamily[] {
  const { source, ingest, observations } = f;
  const { counts } = ingest.tracker;
  return [
    counterFamily(
      'calltap_calls_total',
      'Call attempts by how they ended.',
      'outcome',
      CALL_OUTCOMES.map((name) => [name, observations.outcomes[name]] as const),
    ),
    counterFamily('calltap_sip_responses_total', 'SIP responses by class.', 'class', responseClasses(counts.byStatus)),
    counterFamily('calltap_sip_repeats_total', 'Messages that repeat another, by kind.', 'kind', [
      ['retransmission', counts.retransmissions],
      ['duplicate_frame', counts.duplicateFrames],
      ['other_source', counts.copies],
    ]),
    counterFamily(
      'calltap_frame_copies_total',
      'Frames that several sources or interfaces saw: dropped, or of a time with too many to compare.',
      'outcome',
      [
        ['dropped', source.counter('copied_frames')],
        ['missed', source.counter('copies_missed')],
      ],
    ),
    counterFamily('calltap_evicted_total', 'What a cap shed, by store.', 'store', shedByStore(f)),
  ];
}

function responseClasses(byStatus: Float64Array): LabelledCount[] {
  return [1, 2, 3, 4, 5, 6].map((c) => {
    let n = 0;
    for (let code = c * 100; code < c * 100 + 100; code++) n += byStatus[code] ?? 0;
    return [`${c}xx`, n] as const;
  });
}
