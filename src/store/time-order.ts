/**
 * Records in the order of their times, oldest first, kept so while they come and go: a list can be read from either end
 * without copying or sorting it, however many there are.
 */

/** `orderIndex` belongs to the order that holds the record. Of two with one time, the lower `serial` came first. */
type Ordered = { orderIndex: number; readonly serial: number };

/** Where the order finds these of a record that is no object of its own. */
export type OrderKeys<T> = {
  readonly timeOf: (record: T) => number;
  readonly serialOf: (record: T) => number;
  readonly indexOf: (record: T) => number;
  readonly setIndex: (record: T, index: number) => void;
};

/** For records that hold them as fields. */
export function fieldKeys<T extends Ordered>(timeOf: (record: T) => number): OrderKeys<T> {
  return {
    timeOf,
    serialOf: (record) => record.serial,
    indexOf: (record) => record.orderIndex,
    setIndex: (record, index) => {
      record.orderIndex = index;
    },
  };
}

/**
 * Places a record is moved down at once; one that is later than so many others, as from a source that lags behind, waits
 * beside the order until somebody reads it. Then all that wait are merged in: nothing below the oldest of them is touched.
 */
const MOVES = 512;

/** Holes below which nothing is done about them. */
const FEW_HOLES = 1024;

export class TimeOrder<T extends Ordered | number> {
  readonly #keys: OrderKeys<T>;
  /** No record has a later time. */
  #latest = Number.NEGATIVE_INFINITY;
  #records: (T | undefined)[] = [];
  #holes = 0;
  /** Records that wait to be merged in; their `orderIndex` is -1. */
  readonly #late = new Set<T>();

  constructor(keys: OrderKeys<T>) {
    this.#keys = keys;
  }

  /** `time` is the record's. */
  add(record: T, time: number): void {
    this.#keys.setIndex(record, this.#records.push(record) - 1);
    if (!this.#isLatest(time)) this.#settle(record);
  }

  remove(record: T): void {
    if (this.#late.delete(record) || this.#records[this.#keys.indexOf(record)] !== record) return;
    this.#leave(record);
    if (this.#holes >= FEW_HOLES && this.#holes * 2 >= this.#records.length) this.#close();
  }

  /** The time of `record` has changed. */
  moved(record: T): void {
    const index = this.#keys.indexOf(record);
    if (this.#records[index] !== record) return;
    this.#isLatest(this.#keys.timeOf(record));
    const above = this.#records[index + 1];
    if (above === undefined ? index === this.#records.length - 1 : this.#isBefore(record, above)) {
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

  /** Whether these, of records(), are still the order's own: then what was removed meanwhile is a hole in them. */
  isOf(records: readonly (T | undefined)[]): boolean {
    return records === this.#records;
  }

  /** From the newest to the oldest. The caller may rest between two of them: the walk continues where it was. */
  *fromNewest(): Generator<T> {
    const records = this.records();
    for (let i = records.length - 1; i >= 0; i--) {
      const record = records[i];
      if (record === undefined) continue;
      const serial = this.#keys.serialOf(record);
      yield record;
      // A number may stand for another record after a rest.
      if (this.#keys.serialOf(record) === serial) i = this.resume(records, i, record);
    }
  }

  /** From the oldest to the newest, likewise. Records that come meanwhile are met at its end. */
  *fromOldest(): Generator<T> {
    const records = this.records();
    for (let i = 0; i < records.length; i++) {
      const record = records[i];
      if (record === undefined) continue;
      const serial = this.#keys.serialOf(record);
      yield record;
      if (this.#keys.serialOf(record) === serial) i = this.resume(records, i, record);
    }
  }

  /**
   * Where a walk continues after a rest: `last` is the record it had reached at `index`, and may have moved up
   * meanwhile.
   */
  resume(records: readonly (T | undefined)[], index: number, last: T | null): number {
    if (last === null || records[index] === last) return index;
    const now = this.#keys.indexOf(last);
    return records[now] === last ? now : index;
  }

  /** Whether it is later than any record's; it counts from now on. */
  #isLatest(time: number): boolean {
    if (!(time > this.#latest)) return false;
    this.#latest = time;
    return true;
  }

  #isBefore(a: T, b: T): boolean {
    const { timeOf, serialOf } = this.#keys;
    const between = timeOf(a) - timeOf(b);
    return between < 0 || (between === 0 && serialOf(a) < serialOf(b));
  }

  /** Moves a record down to its place, past holes too. */
  #settle(record: T): void {
    const records = this.#records;
    const { indexOf, setIndex } = this.#keys;
    let i = indexOf(record);
    const stop = Math.max(0, i - MOVES);
    while (i > stop) {
      const below = records[i - 1];
      if (below !== undefined) {
        if (this.#isBefore(below, record)) break;
        setIndex(below, i);
      }
      records[i] = below;
      i--;
    }
    records[i] = record;
    setIndex(record, i);
    const below = i > 0 ? records[i - 1] : undefined;
    if (i === stop && i > 0 && (below === undefined || !this.#isBefore(below, record))) this.#wait(record);
  }

  /** Leaves a hole where the record was. */
  #leave(record: T): void {
    const at = this.#keys.indexOf(record);
    if (at === this.#records.length - 1) this.#records.pop();
    else {
      this.#records[at] = undefined;
      this.#holes++;
    }
    this.#keys.setIndex(record, -1);
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
    // One by one: an array that is written far after its end becomes a dictionary.
    for (let i = 0; i < late.length; i++) records.push(undefined);
    for (let next = late.pop(); next !== undefined; to--) {
      const below = from < 0 ? undefined : records[from];
      if (from >= 0 && (below === undefined || this.#isBefore(next, below))) {
        records[to] = below;
        if (below !== undefined) this.#keys.setIndex(below, to);
        from--;
      } else {
        records[to] = next;
        this.#keys.setIndex(next, to);
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
      if (record !== undefined) this.#keys.setIndex(record, i);
    });
    this.#holes = 0;
  }
}
