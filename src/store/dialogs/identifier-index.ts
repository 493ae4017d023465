/**
 * Which dialogs carry the same identifier: a multimap from the identifier's hash to dialog slots, both ways.
 *
 * An entry is six integers in a block, linked with those of the same bucket and with those of the same dialog, so that
 * an identifier costs about 30 bytes, nothing for the garbage collector, and a dialog's entries go in constant time
 * each. An identifier is known by two keyed 32-bit hashes: nobody can choose values that meet.
 */
import { MAX_IDENTIFIERS } from '../../core/limits.ts';

/** Entries of a block; powers of two, so that a place is found without a division. */
const BLOCK_BITS = 12;
const BLOCK = 1 << BLOCK_BITS;
const WORDS = 6;
const HASH_A = 0;
const HASH_B = 1;
/** Kind in the low four bits, the dialog's slot above them. */
const OWNER = 2;
const PREVIOUS = 3;
const NEXT = 4;
const NEXT_OWN = 5;
const KIND_BITS = 4;
const NONE = -1;

/** Tables grow one by one, so that no growth of a large index holds the loop. */
const TABLES = 256;
const FIRST_BUCKETS = 8;
/** Dialogs whose heads share one block. */
const HEAD_BITS = 10;
const HEADS = 1 << HEAD_BITS;

/** What an identifier is known by. */
export type IdentifierKey = { readonly kind: number; readonly hashA: number; readonly hashB: number };

const NO_BLOCK = new Int32Array(0);

type Table = { buckets: Int32Array; count: number };

export class IdentifierIndex {
  readonly #blocks: Int32Array[] = [];
  readonly #tables: (Table | undefined)[] = new Array<Table | undefined>(TABLES).fill(undefined);
  readonly #heads: (Int32Array | undefined)[] = [];
  #free = NONE;
  #used = 0;
  size = 0;
  /** Identifiers that a full dialog could not take. */
  refused = 0;

  /** Gives the dialog in `slot` the identifier; false when it has it already or has too many. */
  add(slot: number, kind: number, hashA: number, hashB: number): boolean {
    const owner = (slot << KIND_BITS) | kind;
    let held = 0;
    const head = this.#head(slot);
    for (let e = head; e !== NONE; ) {
      const block = this.#blocks[e >> BLOCK_BITS] ?? NO_BLOCK;
      const at = (e & (BLOCK - 1)) * WORDS;
      if (block[at + HASH_A] === hashA && block[at + HASH_B] === hashB && block[at + OWNER] === owner) return false;
      held++;
      e = block[at + NEXT_OWN] ?? NONE;
    }
    if (held >= MAX_IDENTIFIERS) {
      this.refused++;
      return false;
    }
    const e = this.#take();
    const block = this.#blocks[e >> BLOCK_BITS] ?? NO_BLOCK;
    const at = (e & (BLOCK - 1)) * WORDS;
    block[at + HASH_A] = hashA;
    block[at + HASH_B] = hashB;
    block[at + OWNER] = owner;
    block[at + NEXT_OWN] = head;
    this.#setHead(slot, e);
    const table = this.#tableOf(hashB);
    if (++table.count > table.buckets.length) this.#grow(table);
    this.#link(table, e);
    this.size++;
    return true;
  }

  /** The dialog in `slot` is gone. */
  remove(slot: number): void {
    let e = this.#head(slot);
    this.#setHead(slot, NONE);
    while (e !== NONE) {
      const next = this.#get(e, NEXT_OWN);
      this.#unlink(e);
      this.#set(e, NEXT_OWN, this.#free);
      this.#free = e;
      this.size--;
      e = next;
    }
  }

  /** Identifiers of the dialog in `slot`, the latest first. */
  *of(slot: number): Generator<IdentifierKey> {
    for (let e = this.#head(slot); e !== NONE; e = this.#get(e, NEXT_OWN))
      yield {
        kind: this.#get(e, OWNER) & ((1 << KIND_BITS) - 1),
        hashA: this.#get(e, HASH_A),
        hashB: this.#get(e, HASH_B),
      };
  }

  /** Slots of the dialogs that have this identifier. */
  *owners(kind: number, hashA: number, hashB: number): Generator<number> {
    const table = this.#tables[hashB & (TABLES - 1)];
    if (table === undefined) return;
    const mask = table.buckets.length - 1;
    for (let e = table.buckets[hashA & mask] ?? NONE; e !== NONE; e = this.#get(e, NEXT)) {
      const owner = this.#get(e, OWNER);
      const isIt = (owner & ((1 << KIND_BITS) - 1)) === kind;
      if (isIt && this.#get(e, HASH_A) === hashA && this.#get(e, HASH_B) === hashB) yield owner >>> KIND_BITS;
    }
  }

  #get(e: number, field: number): number {
    return this.#blocks[e >> BLOCK_BITS]?.[(e & (BLOCK - 1)) * WORDS + field] ?? NONE;
  }

  #set(e: number, field: number, value: number): void {
    const block = this.#blocks[e >> BLOCK_BITS];
    if (block !== undefined) block[(e & (BLOCK - 1)) * WORDS + field] = value;
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

  #take(): number {
    if (this.#free !== NONE) {
      const e = this.#free;
      this.#free = this.#get(e, NEXT_OWN);
      return e;
    }
    if (this.#used === this.#blocks.length * BLOCK) this.#blocks.push(new Int32Array(BLOCK * WORDS));
    return this.#used++;
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
    const bucket = this.#get(e, HASH_A) & (table.buckets.length - 1);
    const first = table.buckets[bucket] ?? NONE;
    this.#set(e, PREVIOUS, NONE);
    this.#set(e, NEXT, first);
    if (first !== NONE) this.#set(first, PREVIOUS, e);
    table.buckets[bucket] = e;
  }

  #unlink(e: number): void {
    const table = this.#tableOf(this.#get(e, HASH_B));
    const previous = this.#get(e, PREVIOUS);
    const next = this.#get(e, NEXT);
    if (previous === NONE) table.buckets[this.#get(e, HASH_A) & (table.buckets.length - 1)] = next;
    else this.#set(previous, NEXT, next);
    if (next !== NONE) this.#set(next, PREVIOUS, previous);
    table.count--;
  }

  #grow(table: Table): void {
    const old = table.buckets;
    table.buckets = new Int32Array(old.length * 4).fill(NONE);
    for (const first of old) {
      let e = first;
      while (e !== NONE) {
        const next = this.#get(e, NEXT);
        this.#link(table, e);
        e = next;
      }
    }
  }
}
