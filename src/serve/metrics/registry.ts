/**
 * The metrics page: the families of the table that were chosen, made one after another in turns. Who asks while it is made gets
 * the same page: many scrapers, or slow ones, hold one text.
 */

import { STREAM_STATUSES } from '../../contract/index.ts';
import type { MetricGroup } from '../../core/metric-groups.ts';
import { DEFAULT_METRIC_GROUPS } from '../../core/metric-groups.ts';
import { Turns } from '../../core/turns.ts';
import { DIALOG_STATES, METHOD_NAMES } from '../../core/words.ts';
import type { LabelledCount, MetricFamily } from '../../view/metrics/family.ts';
import { countsOf, numberOf } from '../../view/metrics/family.ts';
import type { MetricRow } from '../../view/metrics/row.ts';
import type { MetricsSnapshot } from '../../view/metrics/snapshot.ts';
import type { MetricName } from '../../view/metrics/table.ts';
import { METRICS } from '../../view/metrics/table.ts';
import type { MetricsFormat } from './exposition.ts';
import { contentTypeOf, ENDS, familyText } from './exposition.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { ShownFamily } from './shown-family.ts';

/** How the `state` label is written: lower-case on the API, as-cased on the standalone server. */
export type StateCase = 'lower' | 'as-cased';

/** Methods that get a label value of their own; a hostile method name must not become one. */
const METHODS: ReadonlySet<string> = new Set(METHOD_NAMES.filter((name) => name !== 'OTHER'));

const OPEN_METRICS = /application\/openmetrics-text/i;

/** The families that the interface names. Three are declared and stay empty. */
function serviceFamilies(s: MetricsSnapshot, stateCase: StateCase): MetricFamily[] {
  const states = DIALOG_STATES.map((state) => {
    return [stateCase === 'lower' ? state.toLowerCase() : state, s.dialogEntries[state]] as const;
  });
  const statuses = STREAM_STATUSES.map((status) => [status, s.streamsByStatus[status]] as const);
  return [
    countsOf('service_dialogs_total', states),
    countsOf('service_messages_total', methodCounts(s.messagesByMethod)),
    numberOf('service_rtp_streams_active', s.streamsActive),
    countsOf('service_rtp_streams_total', statuses),
    numberOf('service_capture_packets_total', s.capturePackets),
    numberOf('service_reassembly_timeouts_total', s.reassemblyTimeouts),
    numberOf('service_pdd_seconds', s.pddSeconds),
    numberOf('service_mos', s.mos),
    numberOf('service_jitter_ms', s.jitterMs),
    numberOf('service_loss_percent', s.lossPercent),
    countsOf('service_responses_total', []),
    countsOf('service_security_alerts_total', []),
    countsOf('service_diagnosis_total', []),
  ];
}

function methodCounts(byMethod: ReadonlyMap<string, number>): LabelledCount[] {
  const named = [...byMethod].filter(([method]) => METHODS.has(method));
  const other = [...byMethod].reduce((sum, [method, n]) => (METHODS.has(method) ? sum : sum + n), 0);
  return other > 0 ? [...named, ['other', other]] : named;
}

export type RenderedPage = { readonly contentType: string; readonly body: Buffer };

export type MetricsPage = {
  /** The page; `accept` is what the client takes, where it says so. */
  render(accept?: string): Promise<RenderedPage>;
};

export type MetricsPageDeps = {
  readonly read: () => MetricsSnapshot;
  readonly stateCase: StateCase;
  readonly version: string;
  /** What --metrics-families chose; the usual ones where it is left out. */
  readonly groups?: ReadonlySet<MetricGroup>;
  /** Exemplars are shown to who takes OpenMetrics. */
  readonly hasExemplars?: boolean;
};

export function createMetricsPage(deps: MetricsPageDeps): MetricsPage {
  const { groups = new Set(DEFAULT_METRIC_GROUPS), hasExemplars = false } = deps;
  const own = new ProcessMetrics(deps.version);
  const shown = new Map<MetricName, ShownFamily>();
  const turns = new Turns(() => performance.now());
  const underWay = new Map<MetricsFormat, Promise<RenderedPage>>();
  let dropped = 0;

  function* families(): Generator<MetricFamily> {
    const snapshot = deps.read();
    yield* serviceFamilies(snapshot, deps.stateCase);
    yield* own.families();
    yield* snapshot.families;
    // Complete after the last family.
    yield numberOf('calltap_metric_samples_dropped_total', dropped);
  }

  function textOf({ name, samples }: MetricFamily, format: MetricsFormat): Promise<string> {
    const row: MetricRow = METRICS[name];
    const family = shown.get(name) ?? new ShownFamily(row);
    shown.set(name, family);
    dropped += family.show(samples);
    return familyText(name, row, family.samples, format);
  }

  async function make(format: MetricsFormat): Promise<RenderedPage> {
    const slice = await turns.begin('answer');
    const pieces: Buffer[] = [];
    for (const family of families()) {
      if (!groups.has(METRICS[family.name].group)) continue;
      pieces.push(Buffer.from(await textOf(family, format)));
      if (slice.isOver) await slice.rest();
    }
    pieces.push(Buffer.from(ENDS[format]));
    slice.note();
    return { contentType: contentTypeOf(format), body: Buffer.concat(pieces) };
  }

  return {
    render(accept = '') {
      const format: MetricsFormat = hasExemplars && OPEN_METRICS.test(accept) ? 'openmetrics' : 'text';
      const known = underWay.get(format);
      if (known !== undefined) return known;
      const made = make(format).finally(() => underWay.delete(format));
      underWay.set(format, made);
      return made;
    },
  };
}
