/** What a row of the table of losses is (view/loss-table.ts), and how one is written. */
import type { CaptureQuality, Caveats } from '../contract/index.ts';
import type { Figures } from './figures.ts';
import type { LabelledCount } from './metrics/family.ts';

/** Members of `capture_quality`; they are the labels of `calltap_lost_total` too. */
export type QualityKey = Exclude<keyof CaptureQuality, 'degraded'>;
/** Members of `caveats` that say what a cap shed; the metric is `calltap_evicted_total`. */
export type ShedKey = keyof Pick<Caveats, 'dialogs_evicted' | 'messages_evicted' | 'streams_evicted'>;

export type Count = (f: Figures) => number | undefined;

export type More = {
  /** The member of `capture_quality` that this counts in. */
  readonly quality?: QualityKey;
  /** The member of `caveats` that this counts in. */
  readonly shed?: ShedKey;
  /** What an operator does about it. */
  readonly remedy?: string;
};

export type Loss = More & {
  /** Key in `losses`; with a `*` it stands for a key each reason. */
  readonly name: string;
  readonly means: string;
  /** Keys and their counts at this moment; none where the part does not run. */
  readonly read: (f: Figures) => Iterable<LabelledCount>;
};

export type QualityMember = {
  readonly means: string;
  readonly remedy?: string;
  /** What counts in it and is no key of `losses`. */
  readonly own?: (f: Figures) => number;
};

/** The name that metrics and losses have for a counter. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
}

/** One key. */
export function loss(name: string, count: Count, means: string, more: More = {}): Loss {
  const read = (f: Figures): LabelledCount[] => {
    const n = count(f);
    return n === undefined ? [] : [[name, n]];
  };
  return { name, means, read, ...more };
}

/** A key each reason of a closed set that is named where it is counted. */
export function reasons(
  prefix: string,
  counts: (f: Figures) => Iterable<LabelledCount>,
  means: string,
  more: More = {},
): Loss {
  const read = (f: Figures): LabelledCount[] => [...counts(f)].map(([reason, n]) => [`${prefix}${reason}`, n] as const);
  return { name: `${prefix}*`, means, read, ...more };
}
