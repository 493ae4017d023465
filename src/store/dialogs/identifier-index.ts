/**
 * Which dialogs carry the same identifier: a multimap from the identifier's hash to dialog slots, both ways.
 *
 * An entry is six integers in a block, linked with those of the same bucket and with those of the same dialog, so that
 * an identifier costs about 30 bytes, nothing for the garbage collector, and a dialog's entries go in constant time
 * each. An identifier is known by two keyed 32-bit hashes: nobody can choose values that meet.
 */
import { MAX_IDENTIFIERS } from '../../core/limits.ts';
import { row } from '../row.ts';
import { NONE, RowBlocks } from '../row-blocks.ts';

const ENTRY = row(24, {
  hashA: 'i32',
  hashB: 'i32',
  /** Kind in the low four bits, the dialog's slot above them. */
  owner: 'i32',
  /** Of the same bucket. */
  previous: 'i32',
  next: 'i32',
  /** Of the same dialog. */
  nextOwn: 'i32',
});
const AT = ENTRY.at;
const KIND_BITS = 4;

/** Tables grow one by one, so that no growth of a large index holds the loop. */
const TABLES = 256;
const FIRST_BUCKETS = 8;
/** Dialogs whose heads share one block. */
const HEAD_BITS = 10;
const HEADS = 1 << HEAD_BITS;

/** What an identifier is known by. */
export type IdentifierKey = { readonly kind: number; readonly hashA: number; readonly hashB: number };

type Table = { buckets: Int32Array; count: number };

export class IdentifierIndex {
  readonly #entries = new RowBlocks(ENTRY.words);
  readonly #tables: (Table | undefined)[] = new Array<Table | undefined>(TABLES).fill(undefined);
  readonly #heads: (Int32Array | undefined)[] = [];
  /** How many entries there are of each kind. */
  readonly #ofKind = new Int32Array(1 << KIND_BITS);
  /** Identifiers that a full dialog could not take. */
  refused = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Gives the dialog in `slot` the identifier; false when it has it already or has too many. */
  add(slot: number, kind: number, hashA: number, hashB: number): boolean {
    const owner = (slot << KIND_BITS) | kind;
    let held = 0;
    const head = this.#head(slot);
    for (let e = head; e !== NONE; ) {
      const { i32 } = this.#entries.block(e);
      const at = this.#entries.wordOf(e);
      if (i32[at + AT.hashA] === hashA && i32[at + AT.hashB] === hashB && i32[at + AT.owner] === owner) return false;
      held++;
      e = i32[at + AT.nextOwn] ?? NONE;
    }
    if (held >= MAX_IDENTIFIERS) {
      this.refused++;
      return false;
    }
    this.#ofKind[kind] = (this.#ofKind[kind] ?? 0) + 1;
    const e = this.#entries.take();
    const { i32 } = this.#entries.block(e);
    const at = this.#entries.wordOf(e);
    i32[at + AT.hashA] = hashA;
    i32[at + AT.hashB] = hashB;
    i32[at + AT.owner] = owner;
    i32[at + AT.nextOwn] = head;
    this.#setHead(slot, e);
    const table = this.#tableOf(hashB);
    if (++table.count > table.buckets.length) this.#grow(table);
    this.#link(table, e);
    return true;
  }

  /** Some dialog has an identifier of this kind. */
  has(kind: number): boolean {
    return (this.#ofKind[kind] ?? 0) > 0;
  }

  /** The dialog in `slot` is gone. */
  remove(slot: number): void {
    let e = this.#head(slot);
    this.#setHead(slot, NONE);
    while (e !== NONE) {
      const next = this.#entries.get(e, AT.nextOwn);
      const kind = this.#entries.get(e, AT.owner) & ((1 << KIND_BITS) - 1);
      this.#ofKind[kind] = (this.#ofKind[kind] ?? 0) - 1;
      this.#unlink(e);
      this.#entries.give(e);
      e = next;
    }
  }

  /** Identifiers of the dialog in `slot`, the latest first. */
  *of(slot: number): Generator<IdentifierKey> {
    for (let e = this.#head(slot); e !== NONE; e = this.#entries.get(e, AT.nextOwn))
      yield {
        kind: this.#entries.get(e, AT.owner) & ((1 << KIND_BITS) - 1),
        hashA: this.#entries.get(e, AT.hashA),
        hashB: this.#entries.get(e, AT.hashB),
      };
  }

  /** No other dialog has an identifier of this one, whatever its kind. Nearly every dialog is: nothing is made to find it out. */
  isAlone(slot: number): boolean {
    for (let e = this.#head(slot); e !== NONE; e = this.#entries.get(e, AT.nextOwn))
      if (this.#isSharedAlong(AT.previous, e, slot) || this.#isSharedAlong(AT.next, e, slot)) return false;
    return true;
  }

  /** Another dialog has the identifier of `e`, and stands in its bucket on this side of it: the bucket itself lies far away. */
  #isSharedAlong(link: number, e: number, slot: number): boolean {
    const entries = this.#entries;
    for (let other = entries.get(e, link); other !== NONE; other = entries.get(other, link))
      if (
        entries.get(other, AT.hashA) === entries.get(e, AT.hashA) &&
        entries.get(other, AT.hashB) === entries.get(e, AT.hashB) &&
        entries.get(other, AT.owner) >>> KIND_BITS !== slot
      )
        return true;
    return false;
  }

  /** Hands over the slots of the dialogs that have this identifier, until `take` answers false. */
  forEachOwner(kind: number, hashA: number, hashB: number, take: (slot: number) => boolean): void {
    let e = this.#first(hashA, hashB);
    while (e !== NONE) {
      const { i32 } = this.#entries.block(e);
      const at = this.#entries.wordOf(e);
      const owner = i32[at + AT.owner] ?? 0;
      const isIt = i32[at + AT.hashA] === hashA && i32[at + AT.hashB] === hashB;
      if (isIt && (owner & ((1 << KIND_BITS) - 1)) === kind && !take(owner >>> KIND_BITS)) return;
      e = i32[at + AT.next] ?? NONE;
    }
  }

  /** The first entry of the bucket. */
  #first(hashA: number, hashB: number): number {
    const buckets = this.#tables[hashB & (TABLES - 1)]?.buckets;
    return buckets?.[hashA & (buckets.length - 1)] ?? NONE;
  }

  #head(slot: number): number {
    return this.#heads[slot >> HEAD_BITS]?.[slot & (HEADS - 1)] ?? NONE;
  }

  #setHead(slot: number, e: number): void {
    const at = slot >> HEAD_BITS;
    let block = this.#heads[at];
    if (block === undefined) {
      block = new Int32Array(HEADS).fill(NONE);
      this.#heads[at] = block;
    }
    block[slot & (HEADS - 1)] = e;
  }

  #tableOf(hashB: number): Table {
    const at = hashB & (TABLES - 1);
    let table = this.#tables[at];
    if (table === undefined) {
      table = { buckets: new Int32Array(FIRST_BUCKETS).fill(NONE), count: 0 };
      this.#tables[at] = table;
    }
    return table;
  }

  #link(table: Table, e: number): void {
    const bucket = this.#entries.get(e, AT.hashA) & (table.buckets.length - 1);
    const first = table.buckets[bucket] ?? NONE;
    this.#entries.set(e, AT.previous, NONE);
    this.#entries.set(e, AT.next, first);
    if (first !== NONE) this.#entries.set(first, AT.previous, e);
    table.buckets[bucket] = e;
  }

  #unlink(e: number): void {
    const table = this.#tableOf(this.#entries.get(e, AT.hashB));
    const previous = this.#entries.get(e, AT.previous);
    const next = this.#entries.get(e, AT.next);
    if (previous === NONE) table.buckets[this.#entries.get(e, AT.hashA) & (table.buckets.length - 1)] = next;
    else this.#entries.set(previous, AT.next, next);
    if (next !== NONE) this.#entries.set(next, AT.previous, previous);
    table.count--;
  }

  #grow(table: Table): void {
    const old = table.buckets;
    table.buckets = new Int32Array(old.length * 4).fill(NONE);
    for (const first of old) {
      let e = first;
      while (e !== NONE) {
        const next = this.#entries.get(e, AT.next);
        this.#link(table, e);
        e = next;
      }
    }
  }
}
