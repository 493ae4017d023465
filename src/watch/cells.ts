/**
 * Figures by cells of time, all equally long: the newest are kept. A figure may come late; one for a cell that is no longer kept
 * goes nowhere.
 */
import type { CellFigures } from './cell-figures.ts';

export class Cells<Figures extends CellFigures> {
  /** How long a cell is. */
  readonly minutes: number;
  readonly #most: number;
  readonly #make: () => Figures;
  /** By the minute in which they begin, counted from the epoch. */
  readonly #cells = new Map<number, Figures>();
  /** Handed out last: they are weighed when others are. */
  #last: Figures | null = null;
  #lastStart = Number.NaN;
  /** Cells that begin before it were given up; -Infinity while none was. */
  keptFrom = Number.NEGATIVE_INFINITY;
  /** Memory of all, as it was weighed last. */
  bytes = 0;

  /** At most `most` cells are kept. */
  constructor(minutes: number, most: number, make: () => Figures) {
    this.minutes = minutes;
    this.#most = most;
    this.#make = make;
  }

  /** Where the cell of a minute begins. */
  startOf(minute: number): number {
    return Math.floor(minute / this.minutes) * this.minutes;
  }

  /** The figures of the cell that begins here; null where nothing was counted. */
  at(start: number): Figures | null {
    return this.#cells.get(start) ?? null;
  }

  /** Where the oldest cell begins; infinite without any. */
  get oldest(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const start of this.#cells.keys()) oldest = Math.min(oldest, start);
    return oldest;
  }

  /** The figures that hold this minute, to be added to at once; null where they were given up. */
  holding(minute: number): Figures | null {
    const start = this.startOf(minute);
    if (start === this.#lastStart) return this.#last;
    if (!(start >= this.keptFrom)) return null;
    this.weigh();
    let figures = this.#cells.get(start);
    if (figures === undefined) {
      figures = this.#make();
      this.#cells.set(start, figures);
    }
    this.#last = figures;
    this.#lastStart = start;
    while (this.#cells.size > this.#most) this.giveUp(this.oldest + this.minutes);
    return this.#last;
  }

  /** Gives up all cells that begin before this minute. */
  giveUp(before: number): void {
    this.keptFrom = Math.max(this.keptFrom, before);
    for (const [start, figures] of this.#cells) {
      if (start >= before) continue;
      this.#cells.delete(start);
      this.bytes -= figures.weighed;
      if (figures === this.#last) this.#forgetLast();
    }
  }

  #forgetLast(): void {
    this.#last = null;
    this.#lastStart = Number.NaN;
  }

  /** Adds all that others of the same length have. */
  merge(other: Cells<Figures>): void {
    for (const [start, figures] of other.#cells) this.holding(start)?.merge(figures);
  }

  /** Weighs what has changed. */
  weigh(): void {
    if (this.#last === null) return;
    const { bytes } = this.#last;
    this.bytes += bytes - this.#last.weighed;
    this.#last.weighed = bytes;
    this.#forgetLast();
  }
}
