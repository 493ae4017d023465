/** A family as the metrics page shows it. What it shows is counted elsewhere and given to it as a whole. */

import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import type { MetricFamily, MetricSample } from '../../view/metrics-snapshot.ts';

/** Label values of one metric family; others are folded into `other`. @cap */
const METRIC_LABEL_VALUES = 200;

type Answer = ReturnType<Gauge['get']>;

/** A gauge for the registry only, which asks for nothing but get(). */
export class ShownFamily extends Gauge {
  readonly #family: MetricFamily;
  readonly #samples = new Map<string, MetricSample>();

  constructor(registry: Registry, family: MetricFamily) {
    const { name, help, labelNames } = family;
    super({ name, help, labelNames: [...labelNames], registers: [registry] });
    this.#family = family;
  }

  /**
   * Shows these samples: those of a counter stay and never fall, all others give place to the new ones. Returns how many
   * were left out, because the family has as many label values as are allowed.
   */
  show(samples: readonly MetricSample[]): number {
    const { type } = this.#family;
    if (type !== 'counter') this.#samples.clear();
    let dropped = 0;
    for (const sample of samples) {
      const key = JSON.stringify([sample.suffix, sample.labels]);
      const seen = this.#samples.get(key);
      if (seen === undefined && this.#samples.size >= METRIC_LABEL_VALUES) dropped++;
      else if (type !== 'counter' || (Number.isFinite(sample.value) && !(sample.value <= (seen?.value ?? -1)))) {
        this.#samples.set(key, sample);
      }
    }
    return dropped;
  }

  override get(): Answer {
    const { name, help, type } = this.#family;
    const values = [...this.#samples.values()].map(({ suffix = '', labels, value }) => {
      return { metricName: `${name}${suffix}`, labels, value };
    });
    // Declared for a gauge; the registry takes any type, and names of samples beside that of the family.
    const answer: unknown = { name, help, type, values, aggregator: 'sum' };
    return Promise.resolve(answer as Awaited<Answer>);
  }
}
