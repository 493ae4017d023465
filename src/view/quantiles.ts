/**
 * Quantiles of nearest rank, of bins (core/log-bins.ts): of two values the greater one is not exceeded by 95 %. A bin says of
 * its values no more than 1 %; what else is known of them holds them where they can be.
 */
import type { TrunkQuantiles } from '../contract/index.ts';
import type { Bin } from '../core/log-bins.ts';
import { GAMMA, MIDDLE } from '../core/log-bins.ts';
import { rounded } from '../core/rounded.ts';
import { nearestRankOf } from './pdd-percentiles.ts';

/** The keys ascend. */
export type Bins = readonly Bin[];
/** So many values that are about equal to `value`. */
type About = { readonly value: number; readonly values: number };

export type Counted = {
  readonly count: number;
  readonly sum: number /** Values that are 0. */;
  readonly zeros: number;
};

export function quantilesOf({ count, sum, zeros }: Counted, about: readonly About[], places: number): TrunkQuantiles {
  const at = (percent: number): number => {
    let left = nearestRankOf(count, percent) - zeros;
    if (left <= 0) return 0;
    for (const { value, values } of about) {
      left -= values;
      if (left <= 0) return rounded(value, places);
    }
    return 0;
  };
  return { count, mean: rounded(sum / count, places + 1), p05: at(5), p50: at(50), p95: at(95), p99: at(99) };
}

/** The middle of each bin; no value lies beyond `least` and `greatest`. */
export function binsWithin(bins: Bins, least: number, greatest: number): About[] {
  return bins.map(([key, values]) => ({ value: within(MIDDLE * GAMMA ** key, least, greatest), values }));
}

/**
 * The same where the least and the greatest value are not known: the sum of all values rules out means of a bin, however great
 * or small the values of the others are.
 */
export function binsOfSum(bins: Bins, sum: number, least: number, greatest: number): About[] {
  const lowOf = (key: number): number => GAMMA ** (key - 1);
  const lowest = bins.reduce((all, [key, values]) => all + values * lowOf(key), 0);
  const highest = lowest * GAMMA;
  return bins.map(([key, values]) => {
    const [low, high] = [lowOf(key), lowOf(key) * GAMMA];
    const mean = within(MIDDLE * high, high - (highest - sum) / values, low + (sum - lowest) / values);
    return { value: within(within(mean, low, high), least, greatest), values };
  });
}

/** What is no number holds nothing. */
function within(n: number, from: number, to: number): number {
  return n < from ? from : n > to ? to : n;
}
