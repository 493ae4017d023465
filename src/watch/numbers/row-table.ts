/**
 * Counters by trunk and direction, and histograms by trunk. Each is counted under the label that the row has at that moment; what
 * was counted under a name that lost its seat waits for its next one. Names are those of the configuration: 200 at most.
 */
import type { BucketSnapshot, Exemplar } from '../../core/counters.ts';
import { BucketCounts, tally } from '../../core/counters.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Seats } from '../trunks/seats.ts';
import type { TrunkDirection, TrunkRow } from '../trunks/trunk-row.ts';

/** Rows of higher numbers are looked up by their label: addresses that came and went. */
const ROWS_KNOWN = 65_536;

export class RowTable<Column extends string> {
  readonly #seats: Seats;
  readonly #columns: readonly Column[];
  readonly #counts = new Map<string, Float64Array>();
  /** By the number of a row, until seats are given anew: a text for each count would cost more than the count. */
  #byRow: (Float64Array | undefined)[] = [];
  #moves = 0;

  constructor(seats: Seats, columns: readonly Column[]) {
    this.#seats = seats;
    this.#columns = columns;
  }

  add(row: TrunkRow, column: Column, by = 1): void {
    if (this.#moves !== this.#seats.moves) {
      this.#byRow = [];
      this.#moves = this.#seats.moves;
    }
    const counts = this.#byRow[row.id] ?? this.#countsOf(row);
    tally(counts, this.#columns.indexOf(column), by);
  }

  #countsOf(row: TrunkRow): Float64Array {
    const key = `${row.direction} ${this.#seats.labelOf(row)}`;
    let counts = this.#counts.get(key);
    if (counts === undefined) {
      counts = new Float64Array(this.#columns.length);
      this.#counts.set(key, counts);
    }
    if (row.id < ROWS_KNOWN) this.#byRow[row.id] = counts;
    return counts;
  }

  get(trunk: string, direction: TrunkDirection, column: Column): number {
    return this.#counts.get(`${direction} ${trunk}`)?.[this.#columns.indexOf(column)] ?? 0;
  }
}

/** The labels of these rows, each once: a call between two hosts without a name is one call. */
export function labelsOf(seats: Seats, rows: readonly TrunkRow[]): readonly string[] {
  const [a, b] = rows;
  if (a === undefined) return [];
  const label = seats.labelOf(a);
  if (b === undefined) return [label];
  const other = seats.labelOf(b);
  return other === label ? [label] : [label, other];
}

export class TrunkHistogram {
  readonly #bounds: readonly number[];
  readonly #hasExemplars: boolean;
  readonly #byTrunk = new Map<string, { readonly counts: BucketCounts; readonly exemplars: (Exemplar | null)[] }>();

  constructor(bounds: readonly number[], hasExemplars: boolean) {
    this.#bounds = bounds;
    this.#hasExemplars = hasExemplars;
  }

  /** Under each of these labels once; `d` is the call of it, for exemplars. */
  observe(labels: readonly string[], value: number, d: Dialog): void {
    if (!Number.isFinite(value)) return;
    for (const label of labels) {
      let known = this.#byTrunk.get(label);
      if (known === undefined) {
        known = { counts: new BucketCounts(this.#bounds), exemplars: [] };
        this.#byTrunk.set(label, known);
      }
      const bucket = known.counts.observe(value);
      if (this.#hasExemplars) known.exemplars[bucket] = { callId: d.callId, value, atSec: d.updatedUs / 1e6 };
    }
  }

  /** Null where nothing was observed. */
  snapshot(label: string): BucketSnapshot | null {
    const known = this.#byTrunk.get(label);
    if (known === undefined) return null;
    const { counts, exemplars } = known;
    return this.#hasExemplars ? { ...counts.snapshot(), exemplars: [...exemplars] } : counts.snapshot();
  }
}
