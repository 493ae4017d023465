/** What the metrics are drawn from: plain numbers of one moment, counted where they arise. */

import type { DialogState, StreamStatus } from '../contract/index.ts';
import type { BucketSnapshot } from '../core/counters.ts';

/** A family beyond those the interface names; `name` starts with `calltap_`. */
export type MetricFamily = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  readonly samples: readonly MetricSample[];
};

export type MetricSample = {
  /** Of a histogram: what comes after the name of the family. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

export type LabelledCount = readonly [label: string, value: number];

/** Counters that differ in one label. */
export function counterFamily(
  name: string,
  help: string,
  label: string,
  counts: readonly LabelledCount[],
): MetricFamily {
  return {
    name,
    help,
    type: 'counter',
    labelNames: [label],
    samples: counts.map(([text, value]) => ({ labels: { [label]: text }, value })),
  };
}

/** One number without labels. */
export function numberFamily(type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamily {
  return { name, help, type, labelNames: [], samples: [{ labels: {}, value }] };
}

export type MetricsSnapshot = {
  /** Entries into each state since the start; never falls, also when dialogs are evicted. */
  readonly dialogEntries: Readonly<Record<DialogState, number>>;
  /** SIP messages by method; a response counts for the method of its CSeq. Unknown methods are folded here. */
  readonly messagesByMethod: ReadonlyMap<string, number>;
  /** Streams now in the status established. */
  readonly streamsActive: number;
  /** Streams that ever had the status. */
  readonly streamsByStatus: Readonly<Record<StreamStatus, number>>;
  readonly capturePackets: number;
  readonly reassemblyTimeouts: number;
  readonly pddSeconds: BucketSnapshot;
  readonly mos: BucketSnapshot;
  readonly jitterMs: BucketSnapshot;
  readonly lossPercent: BucketSnapshot;
  readonly families: readonly MetricFamily[];
};
