/**
 * What phones reported of calls, for the histograms of the metrics: one observation a report of a whole call, by trunk. Those of RTCP
 * come again and again: the newest of each stream counts when its call ends. Only known senders count.
 */
import { callWayOf } from '../analysis/call-way.ts';
import { compareLoss, isLostAfter } from '../analysis/media/lost-after-tap.ts';
import { xrReport } from '../analysis/media/phone-reports.ts';
import { BucketCounts } from '../core/counters.ts';
import type { Trunks } from '../core/trunks.ts';
import { OTHER_TRUNK } from '../core/trunks.ts';
import type { Observer } from '../ingest/observer.ts';
import type { HeardFigures } from '../protocols/reports/quality-report.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isEnded } from '../store/dialogs/dialog-state.ts';
import type { KeptReport } from '../store/media/phone-reports.ts';
import type { Stream } from '../store/media/stream.ts';
import type { Capture, Stores } from '../store/stores.ts';

/** Trunks that have histograms of their own; the rest is `other`. @cap */
export const MAX_REPORTED_TRUNKS = 50;

const MOS = [1.5, 2.5, 3.1, 3.6, 4, 4.3];
const RATIO = [0.001, 0.005, 0.01, 0.03, 0.05, 0.1];
const JITTER_SEC = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const ROUND_TRIP_SEC = [0.02, 0.05, 0.1, 0.15, 0.3, 0.5];

type Measure = { readonly help: string; readonly bounds: readonly number[]; readonly of: (f: HeardFigures) => number };

const NOTHING = Number.NaN;
/** By the end of the metric's name. */
export const REPORTED_MEASURES = {
  mos_lq: { help: 'Listening MOS that phones reported.', bounds: MOS, of: (f) => f.mosLq ?? NOTHING },
  mos_cq: { help: 'Conversational MOS that phones reported.', bounds: MOS, of: (f) => f.mosCq ?? NOTHING },
  loss_ratio: { help: 'Loss that phones reported.', bounds: RATIO, of: (f) => (f.lossPct ?? NOTHING) / 100 },
  discard_ratio: {
    help: 'Packets that came too late for the jitter buffer of the phone that reports.',
    bounds: RATIO,
    of: (f) => (f.discardPct ?? NOTHING) / 100,
  },
  jitter_seconds: {
    help: 'Mean jitter that phones reported.',
    bounds: JITTER_SEC,
    of: (f) => (f.jitterMs ?? NOTHING) / 1000,
  },
  round_trip_seconds: {
    help: 'Round trip that phones reported.',
    bounds: ROUND_TRIP_SEC,
    of: (f) => (f.roundTripMs ?? NOTHING) / 1000,
  },
} as const satisfies Readonly<Record<string, Measure>>;
export type ReportedMeasure = keyof typeof REPORTED_MEASURES;
const MEASURES = Object.entries(REPORTED_MEASURES) as [ReportedMeasure, Measure][];

export type ReportedOfTrunk = {
  readonly histograms: Readonly<Record<ReportedMeasure, BucketCounts>>;
  lostAfterTap: number;
};

export type ReportedParts = {
  readonly log: () => Stores['log'];
  /** Loss beyond what was seen that is clear, in percent. */
  readonly remoteLossPct: number;
  readonly trunks: Pick<Trunks, 'of'>;
};

export class ReportedQuality implements Observer {
  readonly #parts: ReportedParts;
  readonly byTrunk = new Map<string, ReportedOfTrunk>();
  /** Calls whose reports said more loss than was seen. */
  readonly #told = new WeakSet<Dialog>();
  /** Streams whose reports by RTCP were counted: a call may end more than once. */
  readonly #observed = new WeakSet<Stream>();

  constructor(parts: ReportedParts) {
    this.#parts = parts;
    // A histogram must have its buckets before anything is observed.
    this.#made(OTHER_TRUNK);
  }

  onReport(d: Dialog, one: KeptReport, { quality }: Capture): void {
    if (one.proof === null || one.report.isPart) return;
    this.#observe(d, one);
    this.#compare(d, [one], quality);
  }

  onDialogState(d: Dialog, _from: number, { quality }: Capture): void {
    if (!isEnded(d.state)) return;
    const heard: KeptReport[] = [];
    for (const stream of quality.streams.ownedBy(d)) {
      const one = this.#observed.has(stream) ? null : xrReport(d, stream);
      if (one === null || one.proof === null) continue;
      this.#observed.add(stream);
      this.#observe(d, one);
      heard.push(one);
    }
    this.#compare(d, heard, quality);
  }

  #observe(d: Dialog, { report: { heard } }: KeptReport): void {
    const { histograms } = this.#ofTrunk(d);
    for (const [name, { of }] of MEASURES) histograms[name].observe(of(heard));
  }

  /** A call counts once. */
  #compare(d: Dialog, reports: readonly KeptReport[], { streams: store }: Capture['quality']): void {
    if (reports.length === 0 || this.#told.has(d)) return;
    const streams = store.ownedBy(d).flatMap((stream) => {
      const s = stream.claim?.mediaType === 'audio' ? store.snapshot(stream) : null;
      return s === null ? [] : [{ stream, lost: s.lost, expected: s.expected, firstUs: s.firstUs, lastUs: s.lastUs }];
    });
    const isLost = reports.some((one) => {
      const found = compareLoss(d, one, streams);
      return found !== null && isLostAfter(found, this.#parts.remoteLossPct);
    });
    if (!isLost) return;
    this.#told.add(d);
    this.#ofTrunk(d).lostAfterTap++;
  }

  /** The trunk that it came from, else the one that it went to; those that the operator named alone. */
  #trunkOf(d: Dialog): string {
    const { log, trunks } = this.#parts;
    const way = callWayOf(d, log());
    return (way && (trunks.of(way.src.host) ?? trunks.of(way.dst.host))) ?? OTHER_TRUNK;
  }

  #ofTrunk(d: Dialog): ReportedOfTrunk {
    const named = this.#trunkOf(d);
    const isFull = this.byTrunk.size > MAX_REPORTED_TRUNKS && !this.byTrunk.has(named);
    const name = isFull ? OTHER_TRUNK : named;
    return this.byTrunk.get(name) ?? this.#made(name);
  }

  #made(name: string): ReportedOfTrunk {
    const made: ReportedOfTrunk = {
      histograms: Object.fromEntries(
        MEASURES.map(([measure, { bounds }]) => [measure, new BucketCounts(bounds)]),
      ) as Record<ReportedMeasure, BucketCounts>,
      lostAfterTap: 0,
    };
    this.byTrunk.set(name, made);
    return made;
  }
}
