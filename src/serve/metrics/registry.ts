/**
 * The metrics page: the families that the interface names, of one snapshot a scrape, so that all numbers are of one moment.
 * Three families are declared and stay empty.
 */

import { Registry } from 'prom-client';
import { STREAM_STATUSES } from '../../contract/index.ts';
import type { BucketSnapshot } from '../../core/counters.ts';
import { JITTER_MS_BOUNDS, LOSS_PERCENT_BOUNDS, MOS_BOUNDS, PDD_SECONDS_BOUNDS } from '../../core/counters.ts';
import { DIALOG_STATES, METHOD_NAMES } from '../../core/words.ts';
import type { LabelledCount, MetricFamily, MetricSample, MetricsSnapshot } from '../../view/metrics-snapshot.ts';
import { counterFamily, numberFamily } from '../../view/metrics-snapshot.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { ShownFamily } from './shown-family.ts';

/** How the `state` label is written: lower-case on the API, as-cased on the standalone server. */
export type StateCase = 'lower' | 'as-cased';

/** Methods that get a label value of their own; a hostile method name must not become one. */
const METHODS: ReadonlySet<string> = new Set(METHOD_NAMES.filter((name) => name !== 'OTHER'));

/** The families that the interface names. */
function serviceFamilies(s: MetricsSnapshot, stateCase: StateCase): MetricFamily[] {
  const states = DIALOG_STATES.map((state) => {
    return [stateCase === 'lower' ? state.toLowerCase() : state, s.dialogEntries[state]] as const;
  });
  const statuses = STREAM_STATUSES.map((status) => [status, s.streamsByStatus[status]] as const);
  const active = 'RTP streams in the status established.';
  const timeouts = 'TCP and IP reassembly sessions that timed out.';
  return [
    counterFamily('service_dialogs_total', 'Dialogs that entered a state.', 'state', states),
    counterFamily('service_messages_total', 'SIP messages by method.', 'method', methodCounts(s.messagesByMethod)),
    numberFamily('gauge', 'service_rtp_streams_active', active, s.streamsActive),
    counterFamily('service_rtp_streams_total', 'RTP streams by status.', 'status', statuses),
    numberFamily('counter', 'service_capture_packets_total', 'Packets captured.', s.capturePackets),
    numberFamily('counter', 'service_reassembly_timeouts_total', timeouts, s.reassemblyTimeouts),
    histogram('service_pdd_seconds', 'Post-dial delay.', PDD_SECONDS_BOUNDS, s.pddSeconds),
    histogram('service_mos', 'Estimated mean opinion score of RTP streams.', MOS_BOUNDS, s.mos),
    histogram('service_jitter_ms', 'Jitter of RTP streams in milliseconds.', JITTER_MS_BOUNDS, s.jitterMs),
    histogram('service_loss_percent', 'Packet loss of RTP streams in percent.', LOSS_PERCENT_BOUNDS, s.lossPercent),
    counterFamily('service_responses_total', 'SIP responses by status code.', 'code', []),
    counterFamily('service_security_alerts_total', 'Security alerts by type.', 'type', []),
    counterFamily('service_diagnosis_total', 'Diagnosed faults by kind.', 'kind', []),
  ];
}

function methodCounts(byMethod: ReadonlyMap<string, number>): LabelledCount[] {
  const named = [...byMethod].filter(([method]) => METHODS.has(method));
  const other = [...byMethod].reduce((sum, [method, n]) => (METHODS.has(method) ? sum : sum + n), 0);
  return other > 0 ? [...named, ['other', other]] : named;
}

function histogram(
  name: string,
  help: string,
  bounds: readonly number[],
  { counts, sum, count }: BucketSnapshot,
): MetricFamily {
  let below = 0;
  const buckets = bounds.map((le, i): MetricSample => {
    below += counts[i] ?? 0;
    return { suffix: '_bucket', labels: { le: String(le) }, value: below };
  });
  const samples = [
    ...buckets,
    { suffix: '_bucket', labels: { le: '+Inf' }, value: count },
    { suffix: '_sum', labels: {}, value: sum },
    { suffix: '_count', labels: {}, value: count },
  ];
  return { name, help, type: 'histogram', labelNames: [], samples };
}

export type MetricsPage = {
  readonly contentType: string;
  /** The page in the Prometheus text format. */
  render(): Promise<string>;
};

export type MetricsPageDeps = {
  readonly read: () => MetricsSnapshot;
  readonly stateCase: StateCase;
  readonly version: string;
};

export function createMetricsPage(deps: MetricsPageDeps): MetricsPage {
  const registry = new Registry();
  const own = new ProcessMetrics(deps.version);
  const shown = new Map<string, ShownFamily>();
  let dropped = 0;

  function show(family: MetricFamily): void {
    const { name, samples } = family;
    const known = shown.get(name) ?? new ShownFamily(registry, family);
    shown.set(name, known);
    dropped += known.show(samples);
  }

  function leftOut(): MetricFamily {
    const help = 'Samples left out because their family has too many label values.';
    return numberFamily('counter', 'calltap_metric_samples_dropped_total', help, dropped);
  }

  return {
    contentType: registry.contentType,
    async render() {
      const snapshot = deps.read();
      for (const family of serviceFamilies(snapshot, deps.stateCase)) show(family);
      for (const family of own.families()) show(family);
      // Gives the family its place on the page; the number is complete after the last family.
      show(leftOut());
      for (const family of snapshot.families) {
        if (!family.name.startsWith('calltap_')) throw new Error(`metric ${family.name} is outside calltap_`);
        show(family);
      }
      show(leftOut());
      return registry.metrics();
    },
  };
}
