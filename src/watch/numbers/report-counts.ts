/**
 * What phones reported of calls, by trunk: one observation a report of a whole call. Those of RTCP come again and again: the newest
 * of each stream counts when its call ends. Only known senders count.
 */
import { callWayOf } from '../../analysis/call-way.ts';
import { compareLoss, isLostAfter } from '../../analysis/media/lost-after-tap.ts';
import { xrReport } from '../../analysis/media/phone-reports.ts';
import type { Trunks } from '../../core/trunks.ts';
import { OTHER_TRUNK } from '../../core/trunks.ts';
import type { Observer } from '../../ingest/observer.ts';
import type { HeardFigures } from '../../protocols/reports/quality-report.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isEnded } from '../../store/dialogs/dialog-state.ts';
import type { KeptReport } from '../../store/media/phone-reports.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Capture, Stores } from '../../store/stores.ts';
import type { Seats } from '../trunks/seats.ts';
import { TrunkHistograms } from './trunk-counts.ts';

/** A figure of a report, in the unit of its metric. */
const FIGURES = {
  calltap_reported_mos_lq: ({ mosLq }) => mosLq,
  calltap_reported_mos_cq: ({ mosCq }) => mosCq,
  calltap_reported_loss_ratio: ({ lossPct }) => lossPct && lossPct / 100,
  calltap_reported_discard_ratio: ({ discardPct }) => discardPct && discardPct / 100,
  calltap_reported_jitter_seconds: ({ jitterMs }) => jitterMs && jitterMs / 1000,
  calltap_reported_round_trip_seconds: ({ roundTripMs }) => roundTripMs && roundTripMs / 1000,
} as const satisfies Readonly<Record<string, (heard: HeardFigures) => number | undefined>>;
type Figure = keyof typeof FIGURES;
// The keys are those of the record; Object.keys widens them.
const NAMES = Object.keys(FIGURES) as Figure[];

export type ReportCountsParts = {
  readonly seats: Seats;
  readonly hasExemplars: boolean;
  readonly log: () => Stores['log'];
  /** Loss beyond what was seen that is clear, in percent. */
  readonly remoteLossPct: number;
  readonly trunks: Pick<Trunks, 'of'>;
};

export class ReportCounts implements Observer {
  readonly figures: TrunkHistograms<Figure>;
  /** Calls by trunk whose report says clearly more loss than was seen here. */
  readonly lostAfterTap = new Map<string, number>();
  readonly #parts: ReportCountsParts;
  readonly #lost = new WeakSet<Dialog>();
  /** Streams whose reports by RTCP were counted: a call may end more than once. */
  readonly #observed = new WeakSet<Stream>();

  constructor(parts: ReportCountsParts) {
    this.#parts = parts;
    this.figures = new TrunkHistograms(parts.seats, NAMES, parts.hasExemplars);
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
    const labels = [this.#labelOf(d)];
    for (const name of NAMES) this.figures.observeUnder(name, labels, FIGURES[name](heard) ?? Number.NaN, d);
  }

  /** A call counts once. */
  #compare(d: Dialog, reports: readonly KeptReport[], { streams: store }: Capture['quality']): void {
    if (reports.length === 0 || this.#lost.has(d)) return;
    const streams = store.ownedBy(d).flatMap((stream) => {
      const s = stream.claim?.mediaType === 'audio' ? store.snapshot(stream) : null;
      return s === null ? [] : [{ stream, lost: s.lost, expected: s.expected, firstUs: s.firstUs, lastUs: s.lastUs }];
    });
    const isLost = reports.some((one) => {
      const found = compareLoss(d, one, streams);
      return found !== null && isLostAfter(found, this.#parts.remoteLossPct);
    });
    if (!isLost) return;
    this.#lost.add(d);
    const label = this.#labelOf(d);
    this.lostAfterTap.set(label, (this.lostAfterTap.get(label) ?? 0) + 1);
  }

  /** The trunk that it came from, else the one that it went to; those that the operator named alone. */
  #labelOf(d: Dialog): string {
    const { log, trunks, seats } = this.#parts;
    const way = callWayOf(d, log());
    const name = way && (trunks.of(way.src.host) ?? trunks.of(way.dst.host));
    return name === null ? OTHER_TRUNK : seats.labelOfName(name);
  }
}
