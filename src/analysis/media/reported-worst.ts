/** The worst figures that known senders reported of a call, in either direction: what lists, filters and the store have of the reports. */
import { rounded } from '../../core/rounded.ts';
import type { HeardFigures } from '../../protocols/reports/quality-report.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { KeptReport } from '../../store/media/phone-reports.ts';
import type { Stores } from '../../store/stores.ts';
import { reportsOf } from './phone-reports.ts';

export type WorstReported = {
  readonly mos: number | null;
  readonly lossPct: number | null;
  readonly jitterMs: number | null;
  readonly roundTripMs: number | null;
};

const DIGITS = 4;
const NOTHING: WorstReported = { mos: null, lossPct: null, jitterMs: null, roundTripMs: null };

export function worstReported(d: Dialog, stores: Pick<Stores, 'reports' | 'streams'>): WorstReported {
  const streams = stores.streams.ownedBy(d).map((stream) => ({ stream }));
  return worstOf(reportsOf(d, stores, streams));
}

export function worstOf(reports: readonly KeptReport[]): WorstReported {
  if (reports.length === 0) return NOTHING;
  const figures = reports.flatMap(({ report, proof }) => (proof === null ? [] : [report.heard, report.sent]));
  const of = (read: (f: HeardFigures) => readonly (number | undefined)[], pick: (all: number[]) => number) => {
    const all = figures.flatMap(read).filter((value) => value !== undefined);
    return all.length === 0 ? null : rounded(pick(all), DIGITS);
  };
  const most = (all: number[]): number => Math.max(...all);
  return {
    mos: of(
      ({ mosLq, mosCq }) => [mosLq, mosCq],
      (all) => Math.min(...all),
    ),
    lossPct: of(({ lossPct }) => [lossPct], most),
    jitterMs: of(({ jitterMs }) => [jitterMs], most),
    roundTripMs: of(({ roundTripMs }) => [roundTripMs], most),
  };
}
