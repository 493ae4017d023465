/** A family as the metrics page shows it. What it shows is counted elsewhere and given to it as a whole. */

import type { MetricSample } from '../../view/metrics/family.ts';
import type { MetricRow } from '../../view/metrics/table.ts';

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
   * Shows these samples. A counter never falls; its samples stay, unless its label values have seats. All others give place to
   * the new ones. Returns how many were left out, as the family has as many as its row allows.
   */
  show(samples: readonly MetricSample[]): number {
    const { type, values, isSeated } = this.#row;
    const before = this.#samples;
    if (type !== 'counter' || isSeated === true) this.#samples = new Map();
    let dropped = 0;
    for (const sample of samples) {
      const key = sample.labels.join('\0');
      const seen = before.get(key);
      if (!this.#samples.has(key) && this.#samples.size >= values) dropped++;
      else if (type !== 'counter' || isMore(sample, seen)) this.#samples.set(key, sample);
      else if (seen !== undefined) this.#samples.set(key, seen);
    }
    return dropped;
  }
}

function isMore({ value }: MetricSample, seen: MetricSample | undefined): boolean {
  return Number.isFinite(value) && !(Number(value) <= Number(seen?.value ?? -1));
}
