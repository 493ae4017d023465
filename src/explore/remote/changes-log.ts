/**
 * Which calls changed, as a service tells it: the newest changes by number. Who asks from further back than it reaches reads
 * the list again.
 */
import type { DialogSummary } from '../../contract/index.ts';
import { rowKey } from '../../core/maps.ts';
import type { Changes } from '../changes.ts';
import { MAX_CHANGES_A_TURN } from '../changes.ts';

export class ChangesLog {
  readonly #most: number;
  /** By host and Call-ID, the newest change of each last. */
  readonly #rows = new Map<string, { readonly at: number; readonly row: DialogSummary }>();
  #upTo = 1;
  /** All after this are known. */
  #from = 1;

  constructor(most = MAX_CHANGES_A_TURN) {
    this.#most = most;
  }

  add(row: DialogSummary): void {
    const key = rowKey(row);
    this.#rows.delete(key);
    this.#rows.set(key, { at: ++this.#upTo, row });
    if (this.#rows.size <= this.#most) return;
    const [oldest] = this.#rows.values();
    if (oldest === undefined) return;
    this.#rows.delete(rowKey(oldest.row));
    this.#from = oldest.at;
  }

  /** Something was missed. */
  forget(): void {
    this.#rows.clear();
    this.#from = ++this.#upTo;
  }

  since(moment: number | null): Changes {
    const upTo = this.#upTo;
    if (moment === null || moment === upTo) return { upTo, rows: [] };
    if (moment < this.#from) return { upTo, rows: null };
    return { upTo, rows: [...this.#rows.values()].filter(({ at }) => at > moment).map(({ row }) => row) };
  }
}
