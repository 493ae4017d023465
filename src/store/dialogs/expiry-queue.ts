/**
 * When registrations and subscriptions lapse, in capture time: a binary heap of (time, dialog).
 *
 * A refresh pushes a second entry; an entry whose time is no longer the dialog's is stale and dropped.
 */
type Expiring = { readonly expiresUs: number };

type Entry<D> = { readonly atUs: number; readonly dialog: D };

export class ExpiryQueue<D extends Expiring> {
  readonly #heap: Entry<D>[] = [];

  get size(): number {
    return this.#heap.length;
  }

  push(dialog: D, atUs: number): void {
    const heap = this.#heap;
    let i = heap.push({ atUs, dialog }) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if ((heap[parent]?.atUs ?? 0) <= (heap[i]?.atUs ?? 0)) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  /** Calls `lapsed` for each dialog whose time has come; refreshed and evicted ones are skipped. */
  sweep(nowUs: number, lapsed: (dialog: D, atUs: number) => void): void {
    for (let top = this.#heap[0]; top !== undefined && top.atUs <= nowUs; top = this.#heap[0]) {
      this.#pop();
      if (top.dialog.expiresUs === top.atUs) lapsed(top.dialog, top.atUs);
    }
  }

  /** Drops stale entries when they outnumber the live ones; the store calls it as it grows. */
  compact(): void {
    const live = this.#heap.filter((e) => e.dialog.expiresUs === e.atUs);
    this.#heap.length = 0;
    for (const e of live) this.push(e.dialog, e.atUs);
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      const right = left + 1;
      let least = i;
      if (left < heap.length && (heap[left]?.atUs ?? 0) < (heap[least]?.atUs ?? 0)) least = left;
      if (right < heap.length && (heap[right]?.atUs ?? 0) < (heap[least]?.atUs ?? 0)) least = right;
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #swap(i: number, j: number): void {
    const a = this.#heap[i];
    const b = this.#heap[j];
    if (a === undefined || b === undefined) return;
    this.#heap[i] = b;
    this.#heap[j] = a;
  }
}
