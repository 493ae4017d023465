/** A family as the metrics page shows it. What it shows is counted elsewhere and given to it as a whole. */

import type { MetricSample } from '../../view/metrics/family.ts';
import type { MetricRow } from '../../view/metrics/row.ts';

export class ShownFamily {
  readonly #row: MetricRow;
  #samples = new Map<string, MetricSample>();

  constructor(row: MetricRow) {
    this.#row = row;
  }

  get samples(): Iterable<MetricSample> {
    return this.#samples.values();
  }

  /**
   * Shows these samples. A counter or a sum never falls; its samples stay, unless its label values have seats. All others give place to
   * the new ones. Returns how many were left out, as the family has as many as its row allows.
   */
  show(samples: readonly MetricSample[]): number {
    const { type, values, isSeated } = this.#row;
    const before = this.#samples;
    const isSum = type === 'counter' || type === 'summary';
    if (!isSum || isSeated === true) this.#samples = new Map();
    let dropped = 0;
    for (const sample of samples) {
      const key = sample.labels.join('\0');
      const seen = before.get(key);
      if (!this.#samples.has(key) && this.#samples.size >= values) dropped++;
      else this.#samples.set(key, isSum ? raised(sample, seen) : sample);
    }
    return dropped;
  }
}

/** What is made of fractions may be a trifle less than it was: that would read as a new beginning. */
function raised(sample: MetricSample, seen: MetricSample | undefined): MetricSample {
  const { labels, value } = sample;
  const before = seen?.value ?? 0;
  if (typeof value === 'number') return { labels, value: Math.max(finite(value), Number(before)) };
  if (typeof before === 'number') return sample;
  return {
    labels,
    value: { counts: [], sum: Math.max(value.sum, before.sum), count: Math.max(value.count, before.count) },
  };
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
