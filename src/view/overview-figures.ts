/** Counted figures of an overview as the contract shows them. */
import type { OverviewFigures } from '../contract/index.ts';
import type { LogBins } from '../core/log-bins.ts';
import { rounded } from '../core/rounded.ts';
import { lossPct } from '../protocols/rtp/quality.ts';
import type { CellFigures } from '../watch/cell-figures.ts';
import type { HostFigures } from '../watch/overview/host-figures.ts';
import { binsWithin, quantilesOf } from './quantiles.ts';

/** Counts of one cell or span, wherever they come from. */
export type Counts = Pick<
  HostFigures,
  'attempts' | 'answered' | 'effective' | 'failed' | 'canceled' | 'expected' | 'lost'
> & { readonly codes: Iterable<readonly [code: number, calls: number]> };

/** Quantiles of one cell or span; left out where there are no values. */
export type Quantiles = Pick<OverviewFigures, 'pdd_ms' | 'mos'>;

export function overviewFigures(c: Counts, quantiles: Quantiles): OverviewFigures {
  const { attempts, answered, effective, failed, canceled } = c;
  return {
    ...{ attempts, answered, effective, failed, canceled },
    ...(attempts === 0 ? {} : { asr_pct: percent(answered, attempts), ner_pct: percent(effective, attempts) }),
    ...quantiles,
    ...(c.expected > 0 ? { loss_pct: rounded(lossPct(c.lost, c.expected), 2) } : {}),
    codes: [...c.codes].sort(([a, n], [b, m]) => m - n || a - b).map(([code, calls]) => ({ code, calls })),
  };
}

export function percent(part: number, whole: number): number {
  return rounded((100 * part) / whole, 2);
}

/** The same of figures that were counted here. */
export function countedFigures(f: HostFigures): OverviewFigures {
  return overviewFigures(f, quantilesIn(f));
}

function quantilesIn({ pddMs, mos }: CellFigures): Quantiles {
  const quantiles: Quantiles = {};
  if (pddMs !== null) {
    const { count, p50, p95 } = quantilesOf(pddMs, within(pddMs), 0);
    quantiles.pdd_ms = { count, p50, p95 };
  }
  if (mos !== null) {
    const { count, p05, p50 } = quantilesOf(mos, within(mos), 2);
    quantiles.mos = { count, p05, p50 };
  }
  return quantiles;
}

export function within({ bins, min, max }: LogBins) {
  return binsWithin(bins, min, max);
}
