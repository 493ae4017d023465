/**
 * All rows of trunks. Named ones have a place always, also before anything comes or goes; addresses share the rest, and those of
 * which nothing came give way to new ones: their figures go to the row of all others.
 */
import type { TrunkBounds } from '../../core/trunk-bounds.ts';
import { USUAL_TRUNK_BOUNDS } from '../../core/trunk-bounds.ts';
import { OTHER_TRUNK } from '../../core/trunks.ts';
import { SeatedFigures } from './seated-figures.ts';
import { Seats } from './seats.ts';
import type { TrunkDirection, TrunkTotals } from './trunk-row.ts';
import { emptyTotals, TrunkRow } from './trunk-row.ts';
import { minuteOf } from './trunk-spans.ts';

/** Rows of trunks: one a trunk and direction. @cap with TRUNK_FIGURE_BYTES */
export const MAX_TRUNK_ROWS = 1_000;

/**
 * Bytes of all their figures; beyond it the oldest minutes become hours, and then the oldest hours one sum.
 *
 * @cap option 92 MiB, trunk_attempts_cut_short: where trunks are counted, as with `--api`, `--metrics` or `--ship`: their
 * figures, and what comes before these are weighed again; rows of trunks and directions; addresses whose row is remembered;
 * attempts of calls and registrations
 */
export const TRUNK_FIGURE_BYTES = 64 * 1024 * 1024;

/**
 * Bytes of the longer cells of all rows; beyond it the oldest go.
 *
 * @cap option 24 MiB: the same: what calls came to on each trunk by five minutes and by the hour
 */
export const TRUNK_CELL_BYTES = 24 * 1024 * 1024;

/** Rows beside those of addresses: of all others, one a direction. */
const OTHERS = 2;

/** So many cells of each length go at once. */
const CELLS_GIVEN_UP = 12;

/** Whoever sends from ever new addresses gets no row for each: only after so many is room made again. */
const ROOM_EVERY = 4_096;

export class TrunkStore {
  readonly #optionsDown: number;
  readonly #bounds: TrunkBounds;
  readonly #rows = new Map<string, TrunkRow>();
  readonly #byId = new Map<number, TrunkRow>();
  readonly #others: Record<TrunkDirection, TrunkRow | null> = { in: null, out: null };
  readonly #totals: Record<TrunkDirection, TrunkTotals> = { in: emptyTotals(), out: emptyTotals() };
  readonly seats = new Seats();
  /** What those with a seat did, and all others. */
  readonly seated = new SeatedFigures(this.seats, this.#totals);
  #nextId = 1;
  #minute = Number.NaN;
  /** Requests for a row since there was none. */
  #turnedAway = ROOM_EVERY;
  #notesChanges = false;
  /** Rows that gave way. */
  folded = 0;

  /** `optionsDown`: OPTIONS in a row without any answer after which a trunk is down. `names` are those of the configuration. */
  constructor(optionsDown: number, bounds: TrunkBounds = USUAL_TRUNK_BOUNDS, names: readonly string[] = []) {
    this.#optionsDown = optionsDown;
    this.#bounds = bounds;
    for (const name of names) this.#rows.set(`out ${name}`, this.#add(name, 'out', true));
  }

  get rows(): Iterable<TrunkRow> {
    return this.#byId.values();
  }

  /** From now on rows say which minutes changed, for who takes them out. */
  noteChanges(): void {
    this.#notesChanges = true;
    for (const { spans } of this.rows) spans.changed ??= new Set(spans.minutes.keys());
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The row of a name or address that something is to be counted of; it is made where there is room. */
  row(name: string, direction: TrunkDirection, isConfigured: boolean): TrunkRow {
    const row = this.#rowOf(name, direction, isConfigured);
    if (row.isConfigured) this.seats.use(row);
    return row;
  }

  #rowOf(name: string, direction: TrunkDirection, isConfigured: boolean): TrunkRow {
    const key = `${direction} ${name}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    if (this.#rows.size >= MAX_TRUNK_ROWS - OTHERS && !isConfigured) {
      if (++this.#turnedAway < ROOM_EVERY) return this.other(direction);
      this.#turnedAway = 0;
      if (!this.#makeRoom()) return this.other(direction);
    }
    const row = this.#add(name, direction, isConfigured);
    this.#rows.set(key, row);
    // A trunk that only calls us needs no row for what nobody sends to it.
    if (isConfigured && direction === 'in') this.#dropUnused(name);
    return row;
  }

  #dropUnused(name: string): void {
    const key = `out ${name}`;
    const row = this.#rows.get(key);
    if (row === undefined || !Number.isNaN(row.firstUs)) return;
    this.#rows.delete(key);
    this.#byId.delete(row.id);
    this.seats.drop(row);
  }

  /** The row with this number; null when it gave way. */
  known(id: number): TrunkRow | null {
    return this.#byId.get(id) ?? null;
  }

  /** The same; of one that gave way, the row of all others. */
  byId(id: number, direction: TrunkDirection): TrunkRow {
    return this.known(id) ?? this.other(direction);
  }

  other(direction: TrunkDirection): TrunkRow {
    this.#others[direction] ??= this.#add(OTHER_TRUNK, direction, false);
    return this.#others[direction];
  }

  /** Capture time continues. */
  tick(nowUs: number): void {
    const minute = minuteOf(nowUs);
    if (!(minute > this.#minute) && !Number.isNaN(this.#minute)) return;
    this.#minute = minute;
    for (const { spans } of this.rows) spans.age(minute);
    this.seats.tick(nowUs);
    this.weigh();
  }

  /** Holds the memory of all figures to what is promised; between two calls it grows with what was added. */
  weigh(): void {
    let [bytes, cellBytes] = [0, 0];
    for (const { spans } of this.rows) {
      spans.weigh();
      bytes += spans.bytes;
      cellBytes += spans.cellBytes;
    }
    while (bytes > TRUNK_FIGURE_BYTES) {
      const less = this.#mergeOldest() || this.#foldAhead();
      if (less === 0) break;
      bytes -= less;
    }
    if (cellBytes > TRUNK_CELL_BYTES) this.#giveUpCells();
  }

  /** Gives up the oldest cells of all rows, an hour of them at a time. */
  #giveUpCells(): void {
    const spans = [...this.rows].map((row) => row.spans);
    const bytes = (): number => spans.reduce((sum, { cellBytes }) => sum + cellBytes, 0);
    while (bytes() > TRUNK_CELL_BYTES) {
      const oldest = Math.min(...spans.flatMap(({ cells }) => cells.map((one) => one.oldest)));
      for (const one of spans) one.giveUpCells((cells) => oldest + cells.minutes * CELLS_GIVEN_UP);
    }
  }

  /** Adds up what lies ahead of capture time, where a sender's clock or a forger put it. Returns the bytes that this gave. */
  #foldAhead(): number {
    let less = 0;
    for (const { spans } of this.rows) less += spans.foldAhead(this.#minute);
    return less;
  }

  /** Makes hours of the oldest minutes of all rows, or one sum of the oldest hours. Returns the bytes that this gave. */
  #mergeOldest(): number {
    let oldestMinuteHour = Number.POSITIVE_INFINITY;
    let oldestHour = Number.POSITIVE_INFINITY;
    for (const { spans } of this.rows) {
      oldestMinuteHour = Math.min(oldestMinuteHour, spans.oldestMinuteHour);
      oldestHour = Math.min(oldestHour, spans.oldestHour);
    }
    const thisHour = Math.floor(this.#minute / 60);
    const hasMinutes = oldestMinuteHour < thisHour;
    if (!hasMinutes && !(oldestHour < thisHour)) return 0;
    let less = 0;
    for (const { spans } of this.rows) {
      const before = spans.bytes;
      if (hasMinutes && spans.oldestMinuteHour <= oldestMinuteHour) spans.mergeMinutes(oldestMinuteHour);
      else if (!hasMinutes && spans.oldestHour <= oldestHour) spans.mergeHours(oldestHour);
      less += before - spans.bytes;
    }
    return less;
  }

  /** Half of the rows that nothing came of give way, the longest silent first; false where all have something. */
  #makeRoom(): boolean {
    const idle = [...this.#rows].filter(([, row]) => !row.isConfigured && !row.isProven);
    idle.sort(([, a], [, b]) => a.lastUs - b.lastUs);
    const leaving = idle.slice(0, Math.ceil(idle.length / 2));
    for (const [key, row] of leaving) {
      this.other(row.direction).fold(row);
      this.#rows.delete(key);
      this.#byId.delete(row.id);
      this.folded++;
    }
    return leaving.length > 0;
  }

  #add(name: string, direction: TrunkDirection, isConfigured: boolean): TrunkRow {
    const totals = this.#totals[direction];
    const row = new TrunkRow(this.#nextId++, name, direction, isConfigured, this.#optionsDown, this.#bounds, totals);
    if (this.#notesChanges) row.spans.changed = new Set();
    this.#byId.set(row.id, row);
    if (isConfigured) this.seats.add(row);
    return row;
  }
}
