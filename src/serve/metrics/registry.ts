/**
 * The metrics page: the families that the interface names, of one snapshot a scrape, so that all numbers are of one moment.
 * Three families are declared and stay empty.
 */

import { Counter, Registry } from 'prom-client';
import { STREAM_STATUSES } from '../../contract/index.ts';
import { JITTER_MS_BOUNDS, LOSS_PERCENT_BOUNDS, MOS_BOUNDS, PDD_SECONDS_BOUNDS } from '../../core/counters.ts';
import { DIALOG_STATES, METHOD_NAMES } from '../../core/words.ts';
import type { MetricFamily, MetricsSnapshot } from '../../view/metrics-snapshot.ts';
import { CounterMirror, GaugeMirror, HistogramMirror } from './mirror.ts';
import { addProcessMetrics } from './process-metrics.ts';

/** How the `state` label is written: lower-case on the API, as-cased on the standalone server. */
export type StateCase = 'lower' | 'as-cased';

/** Methods that get a label value of their own; a hostile method name must not become one. */
const METHODS: ReadonlySet<string> = new Set(METHOD_NAMES.filter((name) => name !== 'OTHER'));

/** Declares the families in `registry` and returns the function that shows a snapshot in them. */
export function createServiceFamilies(registry: Registry, stateCase: StateCase): (snapshot: MetricsSnapshot) => void {
  const counter = (name: string, help: string, labelNames: readonly string[] = []): CounterMirror =>
    new CounterMirror({ registry, name, help, labelNames });
  const histogram = (name: string, help: string, bounds: readonly number[]): HistogramMirror =>
    new HistogramMirror({ registry, name, help }, bounds);

  const dialogs = counter('service_dialogs_total', 'Dialogs that entered a state.', ['state']);
  const messages = counter('service_messages_total', 'SIP messages by method.', ['method']);
  const streamsActive = new GaugeMirror({
    registry,
    name: 'service_rtp_streams_active',
    help: 'RTP streams in the status established.',
  });
  const streams = counter('service_rtp_streams_total', 'RTP streams by status.', ['status']);
  const packets = counter('service_capture_packets_total', 'Packets captured.');
  const timeouts = counter('service_reassembly_timeouts_total', 'TCP and IP reassembly sessions that timed out.');
  const pdd = histogram('service_pdd_seconds', 'Post-dial delay.', PDD_SECONDS_BOUNDS);
  const mos = histogram('service_mos', 'Estimated mean opinion score of RTP streams.', MOS_BOUNDS);
  const jitter = histogram('service_jitter_ms', 'Jitter of RTP streams in milliseconds.', JITTER_MS_BOUNDS);
  const loss = histogram('service_loss_percent', 'Packet loss of RTP streams in percent.', LOSS_PERCENT_BOUNDS);
  declareEmpty(registry, 'service_responses_total', 'SIP responses by status code.', 'code');
  declareEmpty(registry, 'service_security_alerts_total', 'Security alerts by type.', 'type');
  declareEmpty(registry, 'service_diagnosis_total', 'Diagnosed faults by kind.', 'kind');

  return (snapshot) => {
    for (const state of DIALOG_STATES) {
      dialogs.raise({ state: stateCase === 'lower' ? state.toLowerCase() : state }, snapshot.dialogEntries[state]);
    }
    let other = 0;
    for (const [method, count] of snapshot.messagesByMethod) {
      if (METHODS.has(method)) messages.raise({ method }, count);
      else other += count;
    }
    if (other > 0) messages.raise({ method: 'other' }, other);
    streamsActive.clear();
    streamsActive.set({}, snapshot.streamsActive);
    for (const status of STREAM_STATUSES) streams.raise({ status }, snapshot.streamsByStatus[status]);
    packets.raise({}, snapshot.capturePackets);
    timeouts.raise({}, snapshot.reassemblyTimeouts);
    pdd.show(snapshot.pddSeconds);
    mos.show(snapshot.mos);
    jitter.show(snapshot.jitterMs);
    loss.show(snapshot.lossPercent);
  };
}

function declareEmpty(registry: Registry, name: string, help: string, label: string): void {
  registry.registerMetric(new Counter({ name, help, labelNames: [label], registers: [] }));
}

export type MetricsPage = {
  readonly contentType: string;
  /** The page in the Prometheus text format. */
  render(): Promise<string>;
  /** Stops what measures the process itself. */
  close(): void;
};

export type MetricsPageDeps = {
  readonly read: () => MetricsSnapshot;
  readonly stateCase: StateCase;
  readonly version: string;
};

/** A family that was declared from a snapshot, with the mirror that shows it. */
type Declared =
  | { readonly type: 'counter'; readonly mirror: CounterMirror }
  | { readonly type: 'gauge'; readonly mirror: GaugeMirror };

export function createMetricsPage(deps: MetricsPageDeps): MetricsPage {
  const registry = new Registry();
  const showService = createServiceFamilies(registry, deps.stateCase);
  const stopProcess = addProcessMetrics(registry, deps.version);
  const declared = new Map<string, Declared>();
  const overflow = new CounterMirror({
    registry,
    name: 'calltap_metric_samples_dropped_total',
    help: 'Samples left out because their family has too many label values.',
  });
  let dropped = 0;

  function declare(family: MetricFamily): Declared {
    if (!family.name.startsWith('calltap_')) throw new Error(`metric ${family.name} is outside calltap_`);
    const config = { registry, name: family.name, help: family.help, labelNames: family.labelNames };
    const entry: Declared =
      family.type === 'counter'
        ? { type: 'counter', mirror: new CounterMirror(config) }
        : { type: 'gauge', mirror: new GaugeMirror(config) };
    declared.set(family.name, entry);
    return entry;
  }

  function show(family: MetricFamily): void {
    const entry = declared.get(family.name) ?? declare(family);
    if (entry.type === 'gauge') entry.mirror.clear();
    for (const { labels, value } of family.samples) {
      const isShown = entry.type === 'gauge' ? entry.mirror.set(labels, value) : entry.mirror.raise(labels, value);
      if (!isShown) dropped++;
    }
  }

  return {
    contentType: registry.contentType,
    async render() {
      const snapshot = deps.read();
      showService(snapshot);
      for (const family of snapshot.families) show(family);
      overflow.raise({}, dropped);
      return registry.metrics();
    },
    close() {
      stopProcess();
    },
  };
}
