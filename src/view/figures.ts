/**
 * The parts of a run whose counters are shown: by the statistics, the metrics, the summary and the containers.
 */
import type { Evidence, Rules } from '../analysis/evidence.ts';
import { createEvidence } from '../analysis/evidence.ts';
import type { Ingest, IngestOptions, IngestParts } from '../ingest/ingest.ts';
import { createIngest } from '../ingest/ingest.ts';
import type { Observer } from '../ingest/observer.ts';
import { TlsIngest } from '../ingest/tls.ts';
import type { Security } from '../security/detection.ts';
import type { HepListener } from '../sources/hep/listener.ts';
import type { TlsSource } from '../sources/tls/source.ts';
import { CallObservations } from '../watch/observations.ts';
import { stirShakenLog } from '../watch/stir-shaken.ts';
import type { TellTrunk } from '../watch/trunks/trunk-alarm.ts';
import { TrunkWatch } from '../watch/trunks/trunk-watch.ts';
import type { Watching } from './live-calls.ts';
import { LiveCalls } from './live-calls.ts';
import type { LabelledCount, MetricFamily } from './metrics-snapshot.ts';

/** After how many OPTIONS in a row without any answer a trunk is down. */
export type TrunkCounting = { readonly downAfter: number };

/** How a key of `losses` begins that an output has; view/loss-table.ts has a row for each. */
export type MeterLoss = 'hep_out_' | 'ship_' | 'output_' | 'stdout_lines_lost' | 'stderr_lines_lost';

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

export type FigureParts = Omit<IngestParts, 'options' | 'observers'> & {
  readonly options: IngestOptions & Rules & { readonly counting: TrunkCounting | null };
  readonly listener: HepListener | null;
  readonly tls: TlsSource | null;
  readonly security: Security | null;
  /** Count the quality of streams as they end: only a server shows it. */
  readonly observesQuality: boolean;
  /** Who is told of calls while they happen; null where nobody is. */
  readonly watching: Watching | null;
  /** Says a line for each Identity token; null without --stir-shaken. */
  readonly sayIdentity: ((line: string) => void) | null;
  /** Told when a trunk that has a name goes down, and when it is up again. */
  readonly tellTrunk: TellTrunk;
  /** Further ones, in the order in which they are shown things; the last is the detection of attackers. */
  readonly observers: readonly Observer[];
  readonly saving: Saving;
  readonly meters: readonly Meter[];
  readonly identity: RunIdentity;
};

export type Figures = Omit<FigureParts, 'tls'> & {
  readonly watched: LiveCalls | null;
  readonly ingest: Ingest;
  readonly evidence: Evidence;
  readonly observations: CallObservations;
  /** Null where nobody asks for trunks. */
  readonly trunks: TrunkWatch | null;
  readonly tls: Probes | null;
};

/** Puts together what reads a capture, what it keeps, and what is counted of it. */
export function createFigures(parts: FigureParts): Figures {
  const { options, security, sayIdentity, tls, watching } = parts;
  const observations = new CallObservations(parts.observesQuality);
  const { counting } = options;
  const trunks = counting === null ? null : new TrunkWatch(options.trunks, counting.downAfter, parts.tellTrunk);
  const watched: LiveCalls | null = watching === null ? null : new LiveCalls(() => evidence, watching);
  const observers = [
    ...parts.observers,
    ...(watched === null ? [] : [watched]),
    ...(sayIdentity === null ? [] : [stirShakenLog(sayIdentity)]),
    ...(security === null ? [] : [security]),
    ...(trunks === null ? [] : [trunks]),
    observations,
  ];
  const ingest = createIngest({ ...parts, observers });
  const { stores, capture } = ingest;
  const trunkAt = (address: string): string | null => (trunks ?? options.trunks).called(address);
  const evidence: Evidence = createEvidence({ stores, capture, rules: options, trunkAt }, () => ingest.packets.records);
  const probes =
    tls === null
      ? null
      : { source: tls, ingest: new TlsIngest(ingest.sip, (low, high, isSip) => tls.verdict(low, high, isSip)) };
  return { ...parts, observers, watched, ingest, evidence, observations, trunks, tls: probes };
}
