/**
 * What the metrics show: counters of the session, family by family.
 */

import type { DialogStateName } from '../../core/words.ts';
import { DIALOG_STATES, METHOD_NAMES } from '../../core/words.ts';
import { SCAN_REASONS } from '../../protocols/sip/scanner/scan.ts';
import { CALL_OUTCOMES } from '../../store/dialogs/call-outcome.ts';
import type { Figures } from '../figures.ts';
import { lossCounters, shedByStore } from '../losses.ts';
import { probeFamilies } from '../probe-status.ts';
import type { LabelledCount, MetricFamily } from './family.ts';
import { countsOf } from './family.ts';
import { liveFamilies } from './live-families.ts';
import { numberFamilies } from './number-families.ts';
import type { MetricsSnapshot } from './snapshot.ts';
import { trunkFamilies } from './trunk-families.ts';

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
    families: families(f),
  };
}

function* families(f: Figures): Generator<MetricFamily> {
  yield* captureFamilies(f);
  yield* storeFamilies(f);
  yield* liveFamilies(f);
  yield* securityFamilies(f);
  yield* probeFamilies(f.tls);
  yield* trunkFamilies(f);
  yield* numberFamilies(f);
  yield countsOf('calltap_lost_total', Object.entries(lossCounters(f)));
  for (const meter of f.meters) yield* meter.families();
}

function captureFamilies({ source, ingest }: Figures): MetricFamily[] {
  const { decode, sip, rtcp } = ingest;
  const native: LabelledCount[] = source.info.counterNames.map((name) => [name, source.counter(name)]);
  const decodeCounts: LabelledCount[] = Object.entries(decode).map(([name, value]) => [name, Number(value)]);
  return [
    countsOf('calltap_capture_total', native),
    countsOf('calltap_decode_total', decodeCounts),
    countsOf(
      'calltap_sip_refused_total',
      SCAN_REASONS.map((name, i) => [name, sip.refused[i] ?? 0] as const).filter(([name]) => name !== 'ok'),
    ),
    countsOf('calltap_rtcp_refused_total', [...rtcp.refused]),
  ];
}

function securityFamilies({ security }: Figures): MetricFamily[] {
  if (security === null) return [];
  return [
    countsOf('calltap_security_alerts_total', security.counts()),
    countsOf('calltap_security_evicted_total', [['records', security.evicted]]),
    countsOf('calltap_security_answers_total', Object.entries(security.answers?.counts ?? {})),
    countsOf('calltap_security_lines_total', [
      ['written', security.lines.written],
      ['lost', security.lines.lost],
    ]),
    countsOf('calltap_security_syslog_total', [
      ['sent', security.syslog?.sent ?? 0],
      ['lost', security.syslog?.lost ?? 0],
    ]),
  ];
}

function storeFamilies(f: Figures): MetricFamily[] {
  const { source, ingest, observations } = f;
  const { counts } = ingest.tracker;
  return [
    countsOf(
      'calltap_calls_total',
      CALL_OUTCOMES.map((name) => [name, observations.outcomes[name]] as const),
    ),
    countsOf('calltap_sip_responses_total', responseClasses(counts.byStatus)),
    countsOf('calltap_sip_repeats_total', [
      ['retransmission', counts.retransmissions],
      ['duplicate_frame', counts.duplicateFrames],
      ['other_source', counts.copies],
    ]),
    countsOf('calltap_frame_copies_total', [
      ['dropped', source.counter('copied_frames')],
      ['missed', source.counter('copies_missed')],
    ]),
    countsOf('calltap_evicted_total', shedByStore(f)),
  ];
}

function responseClasses(byStatus: Float64Array): LabelledCount[] {
  return [1, 2, 3, 4, 5, 6].map((c) => {
    let n = 0;
    for (let code = c * 100; code < c * 100 + 100; code++) n += byStatus[code] ?? 0;
    return [`${c}xx`, n] as const;
  });
}
