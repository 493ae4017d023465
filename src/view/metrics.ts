/**
 * What the metrics show: counters of the session at one moment.
 */

import { HEP_OUT_COUNTERS } from '../actions/hep-out/hep-out.ts';
import type { CaptureSession } from '../app/capture-session.ts';
import type { DialogStateName } from '../core/words.ts';
import { DIALOG_STATES, METHOD_NAMES } from '../core/words.ts';
import { SCAN_REASONS } from '../protocols/sip/scanner/scan.ts';
import { CALL_OUTCOMES } from '../store/dialogs/call-outcome.ts';
import { liveFamilies } from './live-metrics.ts';
import { snake } from './losses.ts';
import type { LabelledCount, MetricFamily, MetricsSnapshot } from './metrics-snapshot.ts';
import { counterFamily } from './metrics-snapshot.ts';
import { probeFamilies } from './probe-status.ts';
import { lossCounters } from './stats.ts';

export function metricsSnapshot(session: CaptureSession): MetricsSnapshot {
  const { dialogs, streams, tracker, source, decode } = session;
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
    pddSeconds: session.pddSeconds.snapshot(),
    mos: session.mos.snapshot(),
    jitterMs: session.jitterMs.snapshot(),
    lossPercent: session.lossPercent.snapshot(),
    families: [
      ...captureFamilies(session),
      ...storeFamilies(session),
      ...outputFamilies(session),
      ...liveFamilies(session),
      ...securityFamilies(session),
      ...probeFamilies(session.tls),
      lostFamily(session),
      ...hookFamilies(session),
    ],
  };
}

function captureFamilies(session: CaptureSession): MetricFamily[] {
  const { source, decode, sip, rtcp } = session;
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

/** Zero where the option is not given: a dashboard needs no exceptions. */
function outputFamilies({ outputs }: CaptureSession): MetricFamily[] {
  const { mirror, file } = outputs;
  return [
    counterFamily(
      'calltap_hep_out_total',
      'Packets of the HEP mirror, by what became of them.',
      'event',
      HEP_OUT_COUNTERS.map((name) => [snake(name), mirror?.counters.get(name) ?? 0] as const),
    ),
    counterFamily(
      'calltap_output_total',
      'Frames and files of -O, by what became of them.',
      'event',
      file?.counts() ?? [],
    ),
  ];
}

function hookFamilies({ hooks }: CaptureSession): MetricFamily[] {
  if (hooks === null) return [];
  const name = 'calltap_hook_events_total';
  const samples = (['dialog', 'quality'] as const).flatMap((hook) =>
    Object.entries(hooks[hook]?.counts ?? {}).map(([what, value]) => ({ labels: { hook, what: snake(what) }, value })),
  );
  const help = 'Events of the exec hooks, by what became of them.';
  return [{ name, help, type: 'counter', labelNames: ['hook', 'what'], samples }];
}

function securityFamilies({ security }: CaptureSession): MetricFamily[] {
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
      'Requests of scanners, by what became of the answer.',
      'event',
      Object.entries(security.answers?.counts ?? {}),
    ),
    counterFamily('calltap_security_lines_total', 'Lines for fail2ban, by what became of them.', 'event', [
      ['written', security.lines.written],
      ['lost', security.lines.lost],
    ]),
    counterFamily('calltap_security_syslog_total', 'Alerts for syslog, by what became of them.', 'event', [
      ['sent', security.syslog?.sent ?? 0],
      ['lost', security.syslog?.lost ?? 0],
    ]),
  ];
}

/** The losses of the statistics, where a scrape finds them too. */
function lostFamily(session: CaptureSession): MetricFamily {
  const losses = Object.entries(lossCounters(session));
  return counterFamily(
    'calltap_lost_total',
    'What was captured and lost before analysis, by reason.',
    'reason',
    losses,
  );
}

function storeFamilies(session: CaptureSession): MetricFamily[] {
  const { tracker, dialogs, streams, log } = session;
  const counts = tracker.counts;
  return [
    counterFamily(
      'calltap_calls_total',
      'Call attempts by how they ended.',
      'outcome',
      CALL_OUTCOMES.map((name) => [name, session.callOutcomes[name]] as const),
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
        ['dropped', session.source.counter('copied_frames')],
        ['missed', session.source.counter('copies_missed')],
      ],
    ),
    counterFamily('calltap_evicted_total', 'What a cap shed, by store.', 'store', [
      ['dialogs', dialogs.evicted],
      ['messages', log.evicted],
      ['messages_beyond_dialog_cap', counts.beyondDialogCap],
      ['messages_of_outsiders', counts.ofOutsiders],
      ['streams', streams.evicted],
    ]),
  ];
}

function responseClasses(byStatus: Float64Array): LabelledCount[] {
  return [1, 2, 3, 4, 5, 6].map((c) => {
    let n = 0;
    for (let code = c * 100; code < c * 100 + 100; code++) n += byStatus[code] ?? 0;
    return [`${c}xx`, n] as const;
  });
}
