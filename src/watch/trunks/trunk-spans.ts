/**
 * The figures of one trunk by time: minutes, then hours, then one sum of all that is older. A figure may come late: it goes
 * to whatever holds its minute now. Beside them are the sum of the whole time, and longer cells of what calls came to, which a
 * picture over time is made of. These take a minute at once when the next one begins: each figure that changes costs a look into
 * memory that nothing else needs just then.
 */
import { CellFigures } from '../cell-figures.ts';
import { Cells } from '../cells.ts';
import { TrunkFigures } from './trunk-figures.ts';

/** Minutes of a trunk that are kept as such. @cap */
export const TRUNK_MINUTES = 24 * 60;

/** Cells of five minutes, and of an hour, that are kept of a trunk: six hours and two days. @cap with TRUNK_CELL_BYTES */
export const TRUNK_FIVES = 72;
export const TRUNK_HOURS = 48;

const MINUTE_US = 60e6;
const FIVE = 5;
const HOUR = 60;

/** The minute of a time, counted from the epoch. */
export function minuteOf(tsUs: number): number {
  return Math.floor(tsUs / MINUTE_US);
}

export class TrunkSpans {
  /** By minute, and by hour, both counted from the epoch. */
  readonly minutes = new Map<number, TrunkFigures>();
  readonly hours = new Map<number, TrunkFigures>();
  before: TrunkFigures | null = null;
  readonly #whole = new TrunkFigures();
  readonly #cells: readonly Cells<CellFigures>[] = [
    new Cells(FIVE, TRUNK_FIVES, () => new CellFigures()),
    new Cells(HOUR, TRUNK_HOURS, () => new CellFigures()),
  ];
  /** Minutes that the sum and the cells have not taken yet. */
  readonly #untaken = new Map<number, TrunkFigures>();
  /** Memory of all figures, as it was weighed last. */
  bytes = 0;
  /** The first hour that is held as minutes, and the first that is held as such; infinite where there is none. */
  oldestMinuteHour = Number.POSITIVE_INFINITY;
  oldestHour = Number.POSITIVE_INFINITY;
  /** What lies before it is in the sum. */
  #beforeHour = Number.NEGATIVE_INFINITY;
  /** What lies before it is in hours. */
  #hoursUntil = Number.NEGATIVE_INFINITY;
  /** Minutes that figures came to; null where nobody takes them out again. */
  changed: Set<number> | null = null;
  /** Handed out since they were weighed. */
  readonly #touched = new Set<TrunkFigures>();
  /** The figures that were handed out last, by their minute, until they are weighed: what comes next is mostly of the same minute. */
  #last: TrunkFigures | null = null;
  #lastMinute = Number.NaN;
  /** Their minute has not gone into the sum and the cells yet. */
  #isLastUntaken = false;
  /** Memory of the cells, as it was weighed last. */
  cellBytes = 0;
  /** Of all trunks that share it. */
  readonly #total: TrunkFigures;

  /** `total` has what is added here, too: it stays whichever trunk gives way. */
  constructor(total: TrunkFigures = new TrunkFigures()) {
    this.#total = total;
  }

  /** Changes the figures of this minute, and with them those of the whole time. */
  add(minute: number, change: (figures: TrunkFigures) => void): void {
    change(this.#at(minute));
    change(this.#total);
    if (!this.#isLastUntaken) change(this.#whole);
  }

  /** The same of what calls came to, which cells have too. */
  addCall(minute: number, change: (figures: CellFigures) => void): void {
    this.add(minute, change);
    if (this.#isLastUntaken) return;
    for (const cells of this.#cells) {
      const figures = cells.holding(minute);
      if (figures !== null) change(figures);
    }
  }

  /** All that was counted until now. */
  get whole(): TrunkFigures {
    this.#takeMinutes();
    return this.#whole;
  }

  /** The same by cells, the shorter ones first. */
  get cells(): readonly Cells<CellFigures>[] {
    this.#takeMinutes();
    return this.#cells;
  }

  #takeMinutes(): void {
    if (this.#untaken.size === 0) return;
    for (const [minute, figures] of this.#untaken) {
      this.#whole.merge(figures);
      for (const cells of this.#cells) cells.holding(minute)?.merge(figures);
    }
    this.#untaken.clear();
    this.#weighCells();
    this.#forgetLast();
  }

  /** The figures that hold this minute, to be added to. */
  #at(minute: number): TrunkFigures {
    this.changed?.add(minute);
    if (this.#last !== null && minute === this.#lastMinute) return this.#last;
    const figures = this.minutes.get(minute) ?? this.#holding(minute);
    this.#touched.add(figures);
    this.#last = figures;
    this.#lastMinute = minute;
    this.#isLastUntaken = this.#untaken.has(minute);
    return figures;
  }

  #forgetLast(): void {
    this.#last = null;
    this.#isLastUntaken = false;
  }

  #holding(minute: number): TrunkFigures {
    const hour = Math.floor(minute / HOUR);
    if (hour < this.#beforeHour) return this.#sumBefore();
    if (hour < this.#hoursUntil) return this.#hour(hour);
    this.#takeMinutes();
    const figures = new TrunkFigures();
    this.minutes.set(minute, figures);
    this.#untaken.set(minute, figures);
    this.oldestMinuteHour = Math.min(this.oldestMinuteHour, hour);
    return figures;
  }

  #hour(hour: number): TrunkFigures {
    let figures = this.hours.get(hour);
    if (figures === undefined) {
      figures = new TrunkFigures();
      this.hours.set(hour, figures);
      this.oldestHour = Math.min(this.oldestHour, hour);
    }
    this.#touched.add(figures);
    return figures;
  }

  #sumBefore(): TrunkFigures {
    this.before ??= new TrunkFigures();
    this.#touched.add(this.before);
    return this.before;
  }

  /** Weighs what has changed. */
  weigh(): void {
    if (this.#touched.size === 0) return;
    for (const figures of this.#touched) {
      const { bytes } = figures;
      this.bytes += bytes - figures.weighed;
      figures.weighed = bytes;
    }
    this.#touched.clear();
    this.#weighCells();
    this.#forgetLast();
  }

  #weighCells(): void {
    this.cellBytes = 0;
    for (const cells of this.#cells) {
      cells.weigh();
      this.cellBytes += cells.bytes;
    }
  }

  /** Gives up the cells of these lengths that begin before a minute each. */
  giveUpCells(beforeOf: (cells: Cells<CellFigures>) => number): void {
    for (const cells of this.#cells) cells.giveUp(beforeOf(cells));
    this.#weighCells();
  }

  /** Makes hours of all minutes that are older than is promised at `minute`. */
  age(minute: number): void {
    const until = Math.floor((minute - TRUNK_MINUTES) / HOUR);
    if (this.oldestMinuteHour < until) this.mergeMinutes(until - 1);
  }

  /** Makes hours of the minutes of this hour, and of all before it. */
  mergeMinutes(hour: number): void {
    this.#takeMinutes();
    this.#hoursUntil = Math.max(this.#hoursUntil, hour + 1);
    this.oldestMinuteHour = Number.POSITIVE_INFINITY;
    for (const [minute, figures] of this.minutes) {
      const own = Math.floor(minute / HOUR);
      if (own > hour) this.oldestMinuteHour = Math.min(this.oldestMinuteHour, own);
      else {
        this.minutes.delete(minute);
        this.#drop(figures);
        (own < this.#beforeHour ? this.#sumBefore() : this.#hour(own)).merge(figures);
      }
    }
    this.weigh();
  }

  /** Adds this hour, and all before it, to the sum. */
  mergeHours(hour: number): void {
    this.#beforeHour = Math.max(this.#beforeHour, hour + 1);
    this.oldestHour = Number.POSITIVE_INFINITY;
    for (const [own, figures] of this.hours) {
      if (own > hour) this.oldestHour = Math.min(this.oldestHour, own);
      else {
        this.hours.delete(own);
        this.#drop(figures);
        this.#sumBefore().merge(figures);
      }
    }
    this.weigh();
  }

  /** Adds all minutes behind this one to the sum of what is not told apart. Returns the bytes that this gave. */
  foldAhead(minute: number): number {
    this.#takeMinutes();
    const before = this.bytes;
    for (const [own, figures] of this.minutes) {
      if (own <= minute) continue;
      this.minutes.delete(own);
      this.#drop(figures);
      this.#sumBefore().merge(figures);
    }
    if (this.minutes.size === 0) this.oldestMinuteHour = Number.POSITIVE_INFINITY;
    this.weigh();
    return before - this.bytes;
  }

  #drop(figures: TrunkFigures): void {
    this.#touched.delete(figures);
    this.#forgetLast();
    this.bytes -= figures.weighed;
  }

  /** Adds all that another trunk has. */
  merge(other: TrunkSpans): void {
    this.#takeMinutes();
    this.#whole.merge(other.whole);
    for (const [minute, figures] of other.minutes) {
      this.#at(minute).merge(figures);
      // Its sum and cells have it.
      this.#untaken.delete(minute);
      this.#forgetLast();
    }
    for (const [hour, figures] of other.hours) this.#at(hour * HOUR).merge(figures);
    if (other.before !== null) this.#sumBefore().merge(other.before);
    for (const [i, cells] of this.#cells.entries()) {
      const those = other.cells[i];
      if (those !== undefined) cells.merge(those);
    }
    this.#weighCells();
    this.weigh();
  }

  /** The sum of all from this minute on; an hour that begins within counts whole. */
  since(minute: number): TrunkFigures {
    const sum = new TrunkFigures();
    for (const [hour, figures] of this.hours) if (hour * HOUR >= minute) sum.merge(figures);
    for (const [own, figures] of this.minutes) if (own >= minute) sum.merge(figures);
    return sum;
  }
}
