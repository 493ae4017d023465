/**
 * Decides which dialog leaves when the store is full. It is never simply the dialog that was idle longest: whoever sends
 * most would then own the store.
 *
 * Dialogs lie in four pools: those with one message, those with more that came to nothing, those that a peer's answer proved
 * and that have ended, and those that last. The first two give first, then the ended ones, then the lasting ones. Each pool
 * keeps a small share against the next, so a new call is not the first to go in a store full of calls. In a pool, the
 * sender's prefix that holds most dialogs gives, and of its dialogs the one idle longest. Of prefixes that hold the same,
 * the one with the dialog idle longest gives. A prefix with a proven dialog is established: a fair share of its other
 * dialogs does not count. The bytes of a dialog weigh too.
 *
 * Lists are in the order of the last known touch. A touch writes nothing here. When a dialog comes first, its time is looked
 * up; a dialog that was touched since goes back to its place.
 */
import { NONE } from '../row-blocks.ts';
import { PrefixRanks } from './prefix-ranks.ts';
import { doubled, TimedLists } from './timed-lists.ts';

/**
 * Bytes that dialogs keep beside their own records: texts and identifiers. What they describe has a budget of its own.
 *
 * @cap memory 40 MiB, dialogs_evicted_for_bytes: texts, identifiers, forks and challenges of dialogs
 */
export const DIALOG_BYTES = 40 * 1024 * 1024;

/** The value of each is its place in the order of giving. */
export const POOL = { ONE: 0, MORE: 1, ENDED: 2, LIVE: 3 } as const;
const POOLS = 4;

/** Of the whole, what is still to come to something keeps this against what has ended: a call rings for a minute. */
const PENDING_SHARE = 1 / 2;
/** And what has ended this against what lasts. */
const ENDED_SHARE = 1 / 8;
/** And calls that begin this against what lasts. */
const LEAST_SHARE = 1 / 64;
/**
 * So many dialogs of a stranger's prefix are not counted either: who comes with one would give it to those that established
 * prefixes need not. From so many more on its dialogs of one message count `ONES_COUNT` times against another's of more.
 */
const MANY_ONES = 8;
const ONES_COUNT = 4;
/** Dialogs looked after at one question. */
const LOOKED_AFTER = 64;
/** Bytes a dialog may keep without weighing more than one, at least. */
const LEAST_UNIT = 256;

/** Words of a slot. */
const SLOT_WORDS = 4;
const PREFIX = 0;
const BYTES = 1;
const WEIGHT = 2;
const PEER = 3;

/** Words of a prefix: its hash, its number of dialogs, then their weight in each pool. */
const PREFIX_WORDS = 2 + POOLS;
const HASH = 0;
const COUNT = 1;
const WEIGHTS = 2;

export class DialogRoom {
  readonly #touchedAt: (slot: number) => number;
  readonly #max: number;
  readonly #allowance: number;
  /** Bytes that weigh as much as a dialog does. */
  readonly #unit: number;
  #slots = new Int32Array(1024 * SLOT_WORDS);
  /** Of each prefix and pool the dialogs, by the touch that was known last. */
  readonly #lists = new TimedLists();
  #prefixes = new Int32Array(64 * PREFIX_WORDS);
  readonly #byHash = new Map<number, number>();
  readonly #freePrefixes: number[] = [];
  readonly #ranks: readonly PrefixRanks[] = Array.from({ length: POOLS }, () => new PrefixRanks());
  readonly #weights = new Float64Array(POOLS);
  /** Bytes that dialogs keep beside their own records. */
  bytes = 0;

  /** `touchedAt`: when the dialog in a slot was touched last; it never falls. */
  constructor(maxDialogs: number, touchedAt: (slot: number) => number) {
    this.#touchedAt = touchedAt;
    this.#max = maxDialogs;
    this.#allowance = Math.max(1, Math.floor(maxDialogs * LEAST_SHARE));
    this.#unit = Math.max(LEAST_UNIT, Math.floor(DIALOG_BYTES / maxDialogs));
  }

  /** Prefixes that have a dialog. */
  get prefixes(): number {
    return this.#byHash.size;
  }

  /** A dialog of one message, touched just now; its sender's prefix, and whom it went to. */
  add(slot: number, prefix: number, peer: number, touched: number): void {
    const at = slot * SLOT_WORDS;
    while (at >= this.#slots.length) this.#slots = doubled(this.#slots);
    const p = this.#prefixOf(prefix);
    this.#bump(p, COUNT, 1);
    this.#slots[at + PREFIX] = p;
    this.#slots[at + BYTES] = 0;
    this.#slots[at + WEIGHT] = 1;
    this.#slots[at + PEER] = peer;
    this.#enter(slot, POOL.ONE, touched);
  }

  /** The dialog is gone, with all it kept. */
  remove(slot: number, pool: number): void {
    const at = slot * SLOT_WORDS;
    this.bytes -= this.#slots[at + BYTES] ?? 0;
    this.#leave(slot, pool);
    const p = this.#slots[at + PREFIX] ?? 0;
    if (this.#bump(p, COUNT, -1) > 0) return;
    this.#byHash.delete(this.#prefixes[p * PREFIX_WORDS + HASH] ?? 0);
    this.#freePrefixes.push(p);
  }

  /** Whether `peer` is whom the opening message went to. */
  isPeer(slot: number, peer: number): boolean {
    return this.#slots[slot * SLOT_WORDS + PEER] === peer;
  }

  /** Number of the prefix that sent the opening message. */
  sender(slot: number): number {
    return this.#slots[slot * SLOT_WORDS + PREFIX] ?? 0;
  }

  /** The prefix that sent the opening message, and whom it went to, as given to add(). */
  opener(slot: number): number {
    return this.#prefixes[this.sender(slot) * PREFIX_WORDS + HASH] ?? 0;
  }
  peer(slot: number): number {
    return this.#slots[slot * SLOT_WORDS + PEER] ?? 0;
  }

  /** The dialog has come on, or ended. */
  move(slot: number, from: number, to: number): void {
    this.#leave(slot, from);
    this.#enter(slot, to, this.#touchedAt(slot));
  }

  /** The dialog keeps so many bytes more, or less. */
  hold(slot: number, pool: number, bytes: number): void {
    const at = slot * SLOT_WORDS;
    const held = (this.#slots[at + BYTES] ?? 0) + bytes;
    this.#slots[at + BYTES] = held;
    this.bytes += bytes;
    const more = 1 + Math.floor(held / this.#unit) - (this.#slots[at + WEIGHT] ?? 0);
    if (more !== 0) {
      this.#slots[at + WEIGHT] = (this.#slots[at + WEIGHT] ?? 0) + more;
      this.#weigh(this.#slots[at + PREFIX] ?? 0, pool, more);
    }
  }

  /** Bytes the dialog keeps beside its own record. */
  held(slot: number): number {
    return this.#slots[slot * SLOT_WORDS + BYTES] ?? 0;
  }

  /** The dialog that gives next, or NONE. */
  next(): number {
    return this.#first(this.#givingPool());
  }

  /** The dialog that gives next in a pool, or NONE. A prefix whose oldest has given or moved on waits for its turn again. */
  #first(pool: number): number {
    const ranks = this.#ranks[pool];
    for (let n = 1; ranks !== undefined && ranks.top !== NONE; n++) {
      const { top } = ranks;
      const slot = this.#oldest(top, pool);
      if (!ranks.putBack(top, this.#lists.time(slot)) || n === LOOKED_AFTER) return slot;
    }
    return NONE;
  }

  #givingPool(): number {
    const [one = 0, more = 0, ended = 0] = this.#weights;
    if (one + more > this.#max * PENDING_SHARE) return this.#givingPending();
    if (ended > this.#max * ENDED_SHARE) return POOL.ENDED;
    if (one + more > this.#max * LEAST_SHARE) return this.#givingPending();
    if (ended > 0) return POOL.ENDED;
    return (this.#weights[POOL.LIVE] ?? 0) > 0 ? POOL.LIVE : this.#givingPending();
  }

  #givingPending(): number {
    const one = this.#ranks[POOL.ONE];
    const more = this.#ranks[POOL.MORE];
    if (one === undefined || more === undefined || more.top === NONE) return POOL.ONE;
    if (one.top === NONE) return POOL.MORE;
    const ones = one.topRank >= MANY_ONES ? one.topRank * ONES_COUNT : one.topRank;
    if (ones > more.topRank) return POOL.ONE;
    if (ones < more.topRank) return POOL.MORE;
    const oldestOne = this.#touchedAt(this.#first(POOL.ONE));
    return oldestOne <= this.#touchedAt(this.#first(POOL.MORE)) ? POOL.ONE : POOL.MORE;
  }

  /** Of the dialogs of a prefix in a pool the one idle longest; those that were touched since go to their places. */
  #oldest(p: number, pool: number): number {
    const list = p * POOLS + pool;
    for (let n = 0; n < LOOKED_AFTER; n++) {
      const slot = this.#lists.first(list);
      const touched = this.#touchedAt(slot);
      if (touched === this.#lists.time(slot)) break;
      this.#lists.take(list, slot);
      this.#lists.put(list, slot, touched);
    }
    return this.#lists.first(list);
  }

  #enter(slot: number, pool: number, touched: number): void {
    const at = slot * SLOT_WORDS;
    const p = this.#slots[at + PREFIX] ?? 0;
    this.#lists.put(p * POOLS + pool, slot, touched);
    this.#weigh(p, pool, this.#slots[at + WEIGHT] ?? 0);
  }

  #leave(slot: number, pool: number): void {
    const at = slot * SLOT_WORDS;
    const p = this.#slots[at + PREFIX] ?? 0;
    this.#lists.take(p * POOLS + pool, slot);
    this.#weigh(p, pool, -(this.#slots[at + WEIGHT] ?? 0));
  }

  #weigh(p: number, pool: number, weight: number): void {
    const was = this.isEstablished(p);
    this.#bump(p, WEIGHTS + pool, weight);
    this.#weights[pool] = (this.#weights[pool] ?? 0) + weight;
    this.#rank(p, pool);
    if (was === this.isEstablished(p)) return;
    this.#rank(p, POOL.ONE);
    this.#rank(p, POOL.MORE);
  }

  #weight(p: number, pool: number): number {
    return this.#prefixes[p * PREFIX_WORDS + WEIGHTS + pool] ?? 0;
  }

  /** Something of prefix number `p` is proven. */
  isEstablished(p: number): boolean {
    return this.#weight(p, POOL.ENDED) + this.#weight(p, POOL.LIVE) > 0;
  }

  #rank(p: number, pool: number): void {
    const weight = this.#weight(p, pool);
    const free = this.isEstablished(p) ? this.#allowance : Math.min(this.#allowance, MANY_ONES);
    const rank = weight === 0 ? NONE : Math.max(0, weight - (pool < POOL.ENDED ? free : 0));
    this.#ranks[pool]?.set(p, rank, this.#lists.time(this.#lists.first(p * POOLS + pool)));
  }

  #bump(p: number, word: number, by: number): number {
    const value = (this.#prefixes[p * PREFIX_WORDS + word] ?? 0) + by;
    this.#prefixes[p * PREFIX_WORDS + word] = value;
    return value;
  }

  /** Number of the prefix with this hash. */
  #prefixOf(hash: number): number {
    const known = this.#byHash.get(hash);
    if (known !== undefined) return known;
    const p = this.#freePrefixes.pop() ?? this.#byHash.size;
    const at = p * PREFIX_WORDS;
    if (at >= this.#prefixes.length) this.#prefixes = doubled(this.#prefixes);
    this.#prefixes.fill(0, at, at + PREFIX_WORDS);
    this.#prefixes[at + HASH] = hash;
    this.#byHash.set(hash, p);
    return p;
  }
}
