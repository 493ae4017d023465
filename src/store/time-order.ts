/**
 * Records in the order of their times, oldest first, kept so while they come and go: a list can be read from either end
 * without copying or sorting it, however many there are.
 */

/** `orderIndex` belongs to the order that holds the record. Of two with one time, the lower `serial` came first. */
export type Ordered = { orderIndex: number; readonly serial: number };

/**
 * Places a record is moved down at once; one that is later than so many others, as from a source that lags behind, waits
 * beside the order until somebody reads it. Then all that wait are merged in: nothing below the oldest of them is touched.
 */
const MOVES = 512;

/** Holes below which nothing is done about them. */
const FEW_HOLES = 1024;

export class TimeOrder<T extends Ordered> {
  readonly #timeOf: (record: T) => number;
  #records: (T | undefined)[] = [];
  #holes = 0;
  /** Records that wait to be merged in; their `orderIndex` is -1. */
  readonly #late = new Set<T>();

  constructor(timeOf: (record: T) => number) {
    this.#timeOf = timeOf;
  }

  add(record: T): void {
    record.orderIndex = this.#records.push(record) - 1;
    this.#settle(record);
  }

  remove(record: T): void {
    if (this.#late.delete(record) || this.#records[record.orderIndex] !== record) return;
    this.#leave(record);
    if (this.#holes >= FEW_HOLES && this.#holes * 2 >= this.#records.length) this.#close();
  }

  /** The time of `record` has changed. */
  moved(record: T): void {
    if (this.#records[record.orderIndex] !== record) return;
    const above = this.#records[record.orderIndex + 1];
    if (above === undefined ? record.orderIndex === this.#records.length - 1 : this.#isBefore(record, above)) {
      this.#settle(record);
    } else this.#wait(record);
  }

  /**
   * The records, oldest first, with holes between them. Not to be changed, and it changes when the caller rests: records
   * are added at the end or some places before it, and what was removed is a hole.
   */
  records(): readonly (T | undefined)[] {
    if (this.#late.size > 0) this.#merge();
    return this.#records;
  }

  /** From the newest to the oldest. The caller may rest between two of them: the walk goes on where it was. */
  *fromNewest(): Generator<T> {
    const records = this.records();
    for (let i = records.length - 1; i >= 0; i--) {
      const record = records[i];
      if (record === undefined) continue;
      yield record;
      i = this.resume(records, i, record);
    }
  }

  /** From the oldest to the newest, likewise. Records that come meanwhile are met at its end. */
  *fromOldest(): Generator<T> {
    const records = this.records();
    for (let i = 0; i < records.length; i++) {
      const record = records[i];
      if (record === undefined) continue;
      yield record;
      i = this.resume(records, i, record);
    }
  }

  /** Newest first, as a list of its own: it takes as long as there are records. */
  newestFirst(): T[] {
    return [...this.fromNewest()];
  }

  /**
   * Where a walk goes on after a rest: `last` is the record it had reached at `index`, and may have moved up
   * meanwhile.
   */
  resume(records: readonly (T | undefined)[], index: number, last: T | null): number {
    if (last === null || records[index] === last) return index;
    return records[last.orderIndex] === last ? last.orderIndex : index;
  }

  #isBefore(a: T, b: T): boolean {
    const between = this.#timeOf(a) - this.#timeOf(b);
    return between < 0 || (between === 0 && a.serial < b.serial);
  }

  /** Moves a record down to its place, past holes too. */
  #settle(record: T): void {
    const records = this.#records;
    const stop = Math.max(0, record.orderIndex - MOVES);
    let i = record.orderIndex;
    while (i > stop) {
      const below = records[i - 1];
      if (below !== undefined) {
        if (this.#isBefore(below, record)) break;
        below.orderIndex = i;
      }
      records[i] = below;
      i--;
    }
    records[i] = record;
    record.orderIndex = i;
    const below = i > 0 ? records[i - 1] : undefined;
    if (i === stop && i > 0 && (below === undefined || !this.#isBefore(below, record))) this.#wait(record);
  }

  /** Leaves a hole where the record was. */
  #leave(record: T): void {
    const at = record.orderIndex;
    if (at === this.#records.length - 1) this.#records.pop();
    else {
      this.#records[at] = undefined;
      this.#holes++;
    }
    record.orderIndex = -1;
  }

  #wait(record: T): void {
    this.#leave(record);
    this.#late.add(record);
  }

  /** From above, each record to its final place, until none waits. */
  #merge(): void {
    const records = this.#records;
    const late = [...this.#late].sort((a, b) => (this.#isBefore(a, b) ? -1 : 1));
    this.#late.clear();
    let from = records.length - 1;
    let to = from + late.length;
    // One by one: an array that is written far behind its end becomes a dictionary.
    for (let i = 0; i < late.length; i++) records.push(undefined);
    for (let next = late.pop(); next !== undefined; to--) {
      const below = from < 0 ? undefined : records[from];
      if (from >= 0 && (below === undefined || this.#isBefore(next, below))) {
        records[to] = below;
        if (below !== undefined) below.orderIndex = to;
        from--;
      } else {
        records[to] = next;
        next.orderIndex = to;
        next = late.pop();
      }
    }
  }

  #close(): void {
    this.#records = this.#records.filter((record) => record !== undefined);
    this.#number();
  }

  #number(): void {
    this.#records.forEach((record, i) => {
      if (record !== undefined) record.orderIndex = i;
    });
    this.#holes = 0;
  }
}
