/**
 * Which trunks have metrics of their own: a label value costs every scrape, and a configuration can name 200 trunks. A seat is
 * of a trunk in one direction; whoever has none is counted as `other`.
 *
 * Seats are given anew once a day, at midnight UTC, to those that had most calls since. What is counted goes to the seat of the
 * moment, so that no series ever falls: what a trunk had in its seat waits for its next one.
 */
import { OTHER_TRUNK } from '../../core/trunks.ts';
import type { TrunkRow } from './trunk-row.ts';

/** Trunks and directions with metrics of their own. @cap */
export const TRUNK_SEATS = 50;

const DAY_US = 86_400e6;

export class Seats {
  readonly #seated = new Set<TrunkRow>();
  /** What each named row had done when seats were given last. */
  readonly #before = new Map<TrunkRow, number>();
  readonly #onMove: ((row: TrunkRow, isSeated: boolean) => void)[] = [];
  /** How often a row got a seat, or lost its own. */
  moves = 0;
  /** Every seat was used. */
  #isFull = false;
  #day = Number.NaN;

  /** `move` is told before a row gets a seat, or loses its own. */
  onMove(move: (row: TrunkRow, isSeated: boolean) => void): void {
    this.#onMove.push(move);
  }

  get seated(): ReadonlySet<TrunkRow> {
    return this.#seated;
  }

  has(row: TrunkRow): boolean {
    return this.#seated.has(row);
  }

  /** The value of the label `trunk`. */
  labelOf(row: TrunkRow): string {
    return this.#seated.has(row) ? row.name : OTHER_TRUNK;
  }

  /** The same of a name: one direction with a seat is enough. */
  labelOfName(name: string): string {
    for (const row of this.#seated) if (row.name === name) return name;
    return OTHER_TRUNK;
  }

  /** A new row of a name: it has a free seat, or that of one which had nothing to count yet. */
  add(row: TrunkRow): void {
    this.#before.set(row, 0);
    if (this.#seated.size < TRUNK_SEATS) this.#seat(row);
  }

  /** A row that nobody needs is gone. */
  drop(row: TrunkRow): void {
    this.#before.delete(row);
    this.#unseat(row);
    this.#isFull = false;
  }

  /** Something is to be counted of a row. Where a seat was never used, it is for whoever is the first to need one. */
  use(row: TrunkRow): void {
    if (this.#seated.has(row) || !this.#before.has(row)) return;
    if (this.#seated.size < TRUNK_SEATS) {
      this.#seat(row);
      return;
    }
    if (this.#isFull) return;
    for (const one of this.#seated) {
      if (!Number.isNaN(one.firstUs)) continue;
      this.#unseat(one);
      this.#seat(row);
      return;
    }
    this.#isFull = true;
  }

  /** Capture time continues. */
  tick(nowUs: number): void {
    const day = Math.floor(nowUs / DAY_US);
    if (!(day > this.#day)) {
      if (Number.isNaN(this.#day)) this.#day = day;
      return;
    }
    this.#day = day;
    this.#giveAnew();
  }

  #giveAnew(): void {
    this.#isFull = false;
    const done = [...this.#before].map(([row, before]) => ({ row, calls: busyness(row) - before }));
    // Of equals, who has a seat keeps it.
    done.sort((a, b) => b.calls - a.calls || Number(this.has(b.row)) - Number(this.has(a.row)));
    const next = new Set(done.slice(0, TRUNK_SEATS).map(({ row }) => row));
    for (const row of [...this.#seated]) if (!next.has(row)) this.#unseat(row);
    for (const row of next) if (!this.has(row)) this.#seat(row);
    for (const { row } of done) this.#before.set(row, busyness(row));
  }

  #seat(row: TrunkRow): void {
    this.moves++;
    for (const move of this.#onMove) move(row, true);
    this.#seated.add(row);
  }

  #unseat(row: TrunkRow): void {
    if (!this.#seated.has(row)) return;
    this.moves++;
    for (const move of this.#onMove) move(row, false);
    this.#seated.delete(row);
  }
}

function busyness({ spans: { whole } }: TrunkRow): number {
  return whole.attempts + whole.optionsAsked;
}
