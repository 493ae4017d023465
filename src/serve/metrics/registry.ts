/** The metrics page: one snapshot a scrape, so that all its numbers are of one moment. */

import { Registry } from 'prom-client';
import type { MetricFamily, MetricsSnapshot } from '../../view/metrics-snapshot.ts';
import type { StateCase } from './families.ts';
import { createServiceFamilies } from './families.ts';
import { CounterMirror, GaugeMirror } from './mirror.ts';
import { addProcessMetrics } from './process-metrics.ts';

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
