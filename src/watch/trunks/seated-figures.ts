/**
 * What trunks did while they had a seat, and all the rest: the sums of a row never fall, so what is shown of a seat is what
 * was added to them since the row got it, and what it had in its seats before.
 */
import type { Seats } from './seats.ts';
import type { TrunkFigures } from './trunk-figures.ts';
import type { TrunkDirection, TrunkRow, TrunkTotals } from './trunk-row.ts';

/** Members of a row's sum that never fall. */
const FIGURES = {
  attempts: (all: TrunkFigures) => all.attempts,
  talks: (all: TrunkFigures) => all.talks,
  talkSec: (all: TrunkFigures) => all.talkSec,
  retransmits: (all: TrunkFigures) => all.retransmits,
  expected: (all: TrunkFigures) => all.expected,
  lost: (all: TrunkFigures) => all.lost,
  optionsAsked: (all: TrunkFigures) => all.optionsAsked,
  optionsAnswered: (all: TrunkFigures) => all.optionsAnswered,
  registrationsFailed: (all: TrunkFigures) => all.registrationsFailed,
  pddSec: (all: TrunkFigures) => (all.pddMs?.sum ?? 0) / 1000,
  pddCalls: (all: TrunkFigures) => all.pddMs?.count ?? 0,
  mosSum: (all: TrunkFigures) => all.mos?.sum ?? 0,
  mosCalls: (all: TrunkFigures) => all.mos?.count ?? 0,
} as const;
export type SeatedFigure = keyof typeof FIGURES;

// The keys are those of the record; Object.keys widens them.
const NAMES = Object.keys(FIGURES) as SeatedFigure[];
/** First digits of final responses. */
export const FINAL_CLASSES = [2, 3, 4, 5, 6] as const;

/** Figures in the order of NAMES, then finals by class. */
type Sums = Float64Array;
const SUMS = NAMES.length + FINAL_CLASSES.length;

/** Before the row got its seat, and what it had in earlier seats. */
type Ledger = { before: Sums; readonly had: Sums };

export class SeatedFigures {
  readonly #seats: Seats;
  readonly #totals: Readonly<Record<TrunkDirection, TrunkTotals>>;
  readonly #ledgers = new Map<TrunkRow, Ledger>();

  constructor(seats: Seats, totals: Readonly<Record<TrunkDirection, TrunkTotals>>) {
    this.#seats = seats;
    this.#totals = totals;
    seats.onMove((row, isSeated) => {
      const ledger = this.#ledgers.get(row) ?? { before: new Float64Array(SUMS), had: new Float64Array(SUMS) };
      this.#ledgers.set(row, ledger);
      const now = sumsOf(row.spans.whole, row.finals);
      if (isSeated) ledger.before = now;
      else add(ledger.had, now, ledger.before);
    });
  }

  /** What the row did in its seats. */
  of(row: TrunkRow): Shown {
    const ledger = this.#ledgers.get(row);
    const sums = new Float64Array(SUMS);
    if (ledger === undefined) return new Shown(sums);
    sums.set(ledger.had);
    if (this.#seats.has(row)) add(sums, sumsOf(row.spans.whole, row.finals), ledger.before);
    return new Shown(sums);
  }

  /** What was done in one direction without a seat: all but what seats had. */
  others(direction: TrunkDirection): Shown {
    const { figures, finals } = this.#totals[direction];
    const sums = sumsOf(figures, finals);
    const none = new Float64Array(SUMS);
    for (const row of this.#ledgers.keys()) if (row.direction === direction) add(sums, none, this.of(row).sums);
    return new Shown(sums);
  }
}

export class Shown {
  readonly sums: Sums;

  constructor(sums: Sums) {
    this.sums = sums;
  }

  figure(name: SeatedFigure): number {
    return this.sums[NAMES.indexOf(name)] ?? 0;
  }

  /** Final responses that begin with this digit. */
  finals(digit: (typeof FINAL_CLASSES)[number]): number {
    return this.sums[NAMES.length + FINAL_CLASSES.indexOf(digit)] ?? 0;
  }
}

function sumsOf(whole: TrunkFigures, finals: Float64Array): Sums {
  return Float64Array.from([...NAMES.map((name) => FIGURES[name](whole)), ...FINAL_CLASSES.map((d) => finals[d] ?? 0)]);
}

/** Adds to `sums` what `now` has more than `before`. */
function add(sums: Sums, now: Sums, before: Sums): void {
  for (const [i, n] of now.entries()) sums[i] = (sums[i] ?? 0) + n - (before[i] ?? 0);
}
