/**
 * The parts of a run whose counters are shown: by the statistics, the metrics, the summary and the containers.
 */
import type { Evidence } from '../analysis/evidence.ts';
import type { IngestCounts } from '../ingest/ingest.ts';
import type { TlsIngest } from '../ingest/tls.ts';
import type { Security } from '../security/detection.ts';
import type { FileSource } from '../sources/file/file-source.ts';
import type { HepListener } from '../sources/hep/listener.ts';
import type { LiveSource } from '../sources/live/live-source.ts';
import type { PacketSource } from '../sources/packet-source.ts';
import type { TlsSource } from '../sources/tls/source.ts';
import type { ReportCounts } from '../watch/numbers/report-counts.ts';
import type { CallObservations } from '../watch/observations.ts';
import type { CallsOverTime } from '../watch/overview/calls-over-time.ts';
import type { TrunkWatch } from '../watch/trunks/trunk-watch.ts';
import type { LabelledCount, MetricFamily } from './metrics/family.ts';

/** How a key of `losses` begins that an output has; view/loss-table.ts has a row for each. */
export type MeterLoss = 'hep_out_' | 'ship_' | 'history_' | 'output_' | 'stdout_lines_lost' | 'stderr_lines_lost';

/** Counters of a part that comes after the views: an output, or what acts on others. */
export type Meter = {
  /** What it lost by reason, zero included. */
  losses(): Iterable<readonly [`${MeterLoss}${string}`, number]>;
  families(): readonly MetricFamily[];
};

export type Probes = { readonly source: TlsSource; readonly ingest: TlsIngest };

/** Which run of which host this is, and how long it has lasted. */
export type RunIdentity = { readonly node: string; readonly instance: string; readonly uptimeSec: () => number };

/** What went to the file of -O; with --split call to the folder, in so many files. */
export type Written = {
  readonly name: string;
  readonly frames: number;
  readonly calls?: number;
  readonly losses: readonly LabelledCount[];
};

/** -O: whether it was given, the file that content reaches now, and what reached it. */
export type Saving = { readonly isSaved: boolean; readonly writingTo: string | null; readonly written: Written | null };

export type Figures = {
  /** Files, else interfaces. */
  readonly source: PacketSource;
  /** Null where no file is read. */
  readonly file: FileSource | null;
  readonly live: LiveSource | null;
  readonly listener: HepListener | null;
  readonly tls: Probes | null;
  readonly ingest: IngestCounts;
  readonly evidence: Evidence;
  readonly observations: CallObservations;
  readonly reported: ReportCounts | null;
  /** Both null where nobody asks for trunks, or for how the host is doing. */
  readonly trunks: TrunkWatch | null;
  readonly calls: CallsOverTime | null;
  readonly security: Security | null;
  readonly saving: Saving;
  readonly meters: readonly Meter[];
  readonly identity: RunIdentity;
};
