/** Prometheus metrics that show totals counted elsewhere: counters that never fall, gauges, and whole histograms. */

import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { BucketSnapshot } from '../../core/counters.ts';
import { METRIC_LABEL_VALUES } from '../../core/limits.ts';

export type MirrorConfig = {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly registry: Registry;
};

export type Labels = Readonly<Record<string, string>>;

function promConfig(config: MirrorConfig): { name: string; help: string; labelNames: string[]; registers: Registry[] } {
  return {
    name: config.name,
    help: config.help,
    labelNames: [...(config.labelNames ?? [])],
    registers: [config.registry],
  };
}

/** A counter that follows a total; a total lower than one seen before leaves it where it was. */
export class CounterMirror {
  readonly #counter: Counter;
  readonly #seen = new Map<string, number>();

  constructor(config: MirrorConfig) {
    this.#counter = new Counter(promConfig(config));
  }

  /** False when the family already has as many label values as are allowed. */
  raise(labels: Labels, total: number): boolean {
    const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    const seen = this.#seen.get(key);
    if (seen === undefined && this.#seen.size >= METRIC_LABEL_VALUES) return false;
    if (Number.isFinite(total) && (seen === undefined || total > seen)) {
      this.#seen.set(key, total);
      this.#counter.inc({ ...labels }, total - (seen ?? 0));
    }
    return true;
  }
}

/** A gauge that shows exactly the samples of the last snapshot. */
export class GaugeMirror {
  readonly #gauge: Gauge;
  #shown = 0;

  constructor(config: MirrorConfig) {
    this.#gauge = new Gauge(promConfig(config));
  }

  clear(): void {
    this.#gauge.reset();
    this.#shown = 0;
  }

  set(labels: Labels, value: number): boolean {
    if (this.#shown >= METRIC_LABEL_VALUES) return false;
    this.#shown++;
    this.#gauge.set({ ...labels }, value);
    return true;
  }
}

/** A histogram whose buckets are taken over whole, since prom-client can only observe one value at a time. */
export class HistogramMirror extends Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  #snapshot: BucketSnapshot;

  constructor(config: MirrorConfig, bounds: readonly number[]) {
    super({ ...promConfig(config), buckets: [...bounds] });
    this.#name = config.name;
    this.#help = config.help;
    this.#bounds = bounds;
    this.#snapshot = { counts: [], sum: 0, count: 0 };
  }

  show(snapshot: BucketSnapshot): void {
    if (snapshot.counts.length !== this.#bounds.length + 1) {
      throw new RangeError(`${this.#name} has ${this.#bounds.length} bounds and got ${snapshot.counts.length} counts`);
    }
    this.#snapshot = snapshot;
  }

  override get(): ReturnType<Histogram['get']> {
    const line = (suffix: string, value: number, labels: Record<string, string | number> = {}) => ({
      metricName: `${this.#name}${suffix}`,
      value,
      labels,
    });
    let below = 0;
    const values = this.#bounds.map((le, i) => {
      below += this.#snapshot.counts[i] ?? 0;
      return line('_bucket', below, { le });
    });
    values.push(line('_bucket', this.#snapshot.count, { le: '+Inf' }));
    values.push(line('_sum', this.#snapshot.sum), line('_count', this.#snapshot.count));
    // The declared element type is generic over label names; these are the labels of this very family.
    const answer: unknown = { name: this.#name, help: this.#help, type: 'histogram', values, aggregator: 'sum' };
    return Promise.resolve(answer as Awaited<ReturnType<Histogram['get']>>);
  }

  /** The registry prefers this over `get` when a metric has it. */
  getForPromString(): ReturnType<Histogram['get']> {
    return this.get();
  }
}
