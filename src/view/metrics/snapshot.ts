/** What the metrics are drawn from: plain numbers, counted where they arise. */

import type { DialogState, StreamStatus } from '../../contract/index.ts';
import type { BucketSnapshot } from '../../core/counters.ts';
import type { MetricFamily } from './family.ts';

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
  /** All others, made one after another as they are taken. */
  readonly families: Iterable<MetricFamily>;
};
