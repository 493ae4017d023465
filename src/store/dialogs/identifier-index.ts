/**
 * Finds the dialogs that carry the same identifier: a multimap from the hash of an identifier to dialog slots, both ways.
 *
 * An entry is eight integers in a block. The entries of one identifier form a group, the latest first. Only the first entry
 * of a group stands in the bucket, and it knows their number. So a sender that uses one identifier in all calls makes no
 * walk longer: an entry comes and goes in constant time, and a reader looks at few entries of a group. An entry costs about
 * 40 bytes, and no work of the garbage collector. Two keyed 32-bit hashes stand for an identifier: nobody can choose values
 * that meet.
 */
import { MAX_IDENTIFIERS } from '../../protocols/sip/named-calls.ts';
import { row } from '../row.ts';
import { NONE, RowBlocks } from '../row-blocks.ts';

/**
 * Calls that one identifier ties together. What more calls share names no call: it ties none, and the answer says so.
 *
 * @cap identifiers_common
 */
export const MAX_TIED = 64;

const ENTRY = row(32, {
  hashA: 'i32',
  hashB: 'i32',
  /** Kind in the low four bits, the dialog's slot above them. */
  owner: 'i32',
  /** Of the same identifier; the first has none before it. */
  previous: 'i32',
  next: 'i32',
  /** Of the same dialog. */
  nextOwn: 'i32',
  /** Of the first of a group: the first of the next group of the bucket, and how many there are of its own. */
  nextGroup: 'i32',
  count: 'i32',
});
const AT = ENTRY.at;
const KIND_BITS = 4;
const KIND = (1 << KIND_BITS) - 1;

/** Tables grow one by one, so that no growth of a large index holds the loop. */
const TABLES = 256;
const FIRST_BUCKETS = 8;
/** Dialogs whose heads share one block. */
const HEAD_BITS = 10;
const HEADS = 1 << HEAD_BITS;

/** What an identifier is known by. */
export type IdentifierKey = { readonly kind: number; readonly hashA: number; readonly hashB: number };

/** `count`: groups. */
type Table = { buckets: Int32Array; count: number };

export class IdentifierIndex {
  readonly #entries = new RowBlocks(ENTRY.words);
  readonly #tables: (Table | undefined)[] = new Array<Table | undefined>(TABLES).fill(undefined);
  readonly #heads: (Int32Array | undefined)[] = [];
  /** How many entries there are of each kind. */
  readonly #ofKind = new Int32Array(1 << KIND_BITS);
  /** Identifiers that others, who are not here, share with too many. */
  readonly #barred = new Set<string>();
  /** Identifiers that a full dialog could not take. */
  refused = 0;
  /** Identifiers that a dialog got when so many others had them that they tie none; those of habit are not counted. */
  common = 0;
  readonly #ofHabit: ReadonlySet<number>;

  /** `ofHabit`: kinds of which honest agents send one in all calls. */
  constructor(ofHabit: readonly number[] = []) {
    this.#ofHabit = new Set(ofHabit);
  }

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
    this.#join(e, kind, hashA, hashB);
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
      const kind = this.#kind(e);
      this.#ofKind[kind] = (this.#ofKind[kind] ?? 0) - 1;
      this.#leave(e);
      this.#entries.give(e);
      e = next;
    }
  }

  /** Identifiers of the dialog in `slot`, the latest first. */
  *of(slot: number): Generator<IdentifierKey> {
    for (let e = this.#head(slot); e !== NONE; e = this.#entries.get(e, AT.nextOwn))
      yield { kind: this.#kind(e), hashA: this.#entries.get(e, AT.hashA), hashB: this.#entries.get(e, AT.hashB) };
  }

  /**
   * No other dialog has an identifier of this one, of the same kind, or where `isOfKinds` names that, of any. Nearly every dialog
   * is alone: nothing is made to find it out, and buckets, which are cold, are looked into for those kinds alone.
   */
  isAlone(slot: number, isOfKinds: readonly boolean[]): boolean {
    for (let e = this.#head(slot); e !== NONE; e = this.#entries.get(e, AT.nextOwn)) {
      // A dialog has an identifier once.
      if (this.#entries.get(e, AT.previous) !== NONE || this.#entries.get(e, AT.next) !== NONE) return false;
      if (isOfKinds[this.#kind(e)] !== true) continue;
      const hashA = this.#entries.get(e, AT.hashA);
      const hashB = this.#entries.get(e, AT.hashB);
      // Of each kind a group at most.
      for (let first = this.#bucket(hashA, hashB); first !== NONE; first = this.#entries.get(first, AT.nextGroup)) {
        if (!this.#isOf(first, hashA, hashB)) continue;
        if (this.#entries.get(first, AT.count) > 1 || this.#entries.get(first, AT.owner) >>> KIND_BITS !== slot)
          return false;
      }
    }
    return true;
  }

  /** This one ties none, however few dialogs here have it. */
  bar(hashA: number, hashB: number): void {
    this.#barred.add(`${hashA} ${hashB}`);
  }

  /** How many dialogs have this identifier; Infinity where it is barred. */
  count(kind: number, hashA: number, hashB: number): number {
    if (this.#barred.size > 0 && this.#barred.has(`${hashA} ${hashB}`)) return Number.POSITIVE_INFINITY;
    const first = this.#first(kind, hashA, hashB);
    return first === NONE ? 0 : this.#entries.get(first, AT.count);
  }

  /** Slots of the dialogs that have this identifier, the latest first; null where they are more than MAX_TIED. */
  owners(kind: number, hashA: number, hashB: number): readonly number[] | null {
    if (this.count(kind, hashA, hashB) > MAX_TIED) return null;
    const slots: number[] = [];
    for (let e = this.#first(kind, hashA, hashB); e !== NONE; e = this.#entries.get(e, AT.next))
      slots.push(this.#entries.get(e, AT.owner) >>> KIND_BITS);
    return slots;
  }

  #kind(e: number): number {
    return this.#entries.get(e, AT.owner) & KIND;
  }

  #isOf(e: number, hashA: number, hashB: number): boolean {
    return this.#entries.get(e, AT.hashA) === hashA && this.#entries.get(e, AT.hashB) === hashB;
  }

  /** The first group of the bucket. */
  #bucket(hashA: number, hashB: number): number {
    const buckets = this.#tables[hashB & (TABLES - 1)]?.buckets;
    return buckets?.[hashA & (buckets.length - 1)] ?? NONE;
  }

  /** The first entry of the identifier. */
  #first(kind: number, hashA: number, hashB: number): number {
    let first = this.#bucket(hashA, hashB);
    while (first !== NONE && !(this.#isOf(first, hashA, hashB) && this.#kind(first) === kind))
      first = this.#entries.get(first, AT.nextGroup);
    return first;
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

  /** Makes the entry the first of its group, or a group of its own. */
  #join(e: number, kind: number, hashA: number, hashB: number): void {
    const entries = this.#entries;
    const table = this.#tableOf(hashB);
    const second = this.#first(kind, hashA, hashB);
    entries.set(e, AT.previous, NONE);
    entries.set(e, AT.next, second);
    if (second === NONE) {
      entries.set(e, AT.count, 1);
      if (++table.count > table.buckets.length) this.#grow(table);
      this.#link(table, e);
      return;
    }
    const count = entries.get(second, AT.count) + 1;
    if (count > MAX_TIED && !this.#ofHabit.has(kind)) this.common++;
    entries.set(second, AT.previous, e);
    this.#replace(table, second, e);
    entries.set(e, AT.count, count);
  }

  #leave(e: number): void {
    const entries = this.#entries;
    const previous = entries.get(e, AT.previous);
    const next = entries.get(e, AT.next);
    if (next !== NONE) entries.set(next, AT.previous, previous);
    const table = this.#tableOf(entries.get(e, AT.hashB));
    if (previous === NONE) {
      this.#replace(table, e, next);
      if (next === NONE) table.count--;
      else entries.set(next, AT.count, entries.get(e, AT.count) - 1);
      return;
    }
    entries.set(previous, AT.next, next);
    const first = this.#first(this.#kind(e), entries.get(e, AT.hashA), entries.get(e, AT.hashB));
    entries.set(first, AT.count, entries.get(first, AT.count) - 1);
  }

  #link(table: Table, first: number): void {
    const bucket = this.#entries.get(first, AT.hashA) & (table.buckets.length - 1);
    this.#entries.set(first, AT.nextGroup, table.buckets[bucket] ?? NONE);
    table.buckets[bucket] = first;
  }

  /** Puts `now` where the group that begins with `was` stands in its bucket; NONE takes the group out. */
  #replace(table: Table, was: number, now: number): void {
    const entries = this.#entries;
    const after = entries.get(was, AT.nextGroup);
    if (now !== NONE) entries.set(now, AT.nextGroup, after);
    const there = now === NONE ? after : now;
    const bucket = entries.get(was, AT.hashA) & (table.buckets.length - 1);
    let before = table.buckets[bucket] ?? NONE;
    if (before === was) {
      table.buckets[bucket] = there;
      return;
    }
    while (entries.get(before, AT.nextGroup) !== was) before = entries.get(before, AT.nextGroup);
    entries.set(before, AT.nextGroup, there);
  }

  #grow(table: Table): void {
    const old = table.buckets;
    table.buckets = new Int32Array(old.length * 2).fill(NONE);
    for (let first of old)
      while (first !== NONE) {
        const next = this.#entries.get(first, AT.nextGroup);
        this.#link(table, first);
        first = next;
      }
  }
}
