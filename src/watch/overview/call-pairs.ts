/**
 * Who calls whom: attempts by the two ends of a hop and by the hour. A trunk with a name is one end, wherever its addresses are;
 * all others are ends by their address. Rows of plain numbers hold the counts: whoever calls from ever new addresses makes no
 * garbage.
 */
import { mixHashes } from '../../core/hash.ts';
import { HashIndex } from '../../core/hash-index.ts';

/** Pairs of ends that are counted; beyond it small ones are summed. @cap with TRUNK_CELL_BYTES */
export const MAX_CALL_PAIRS = 2_048;

/** Hours that are kept of a pair, the newest. @cap with TRUNK_CELL_BYTES */
export const PAIR_HOURS = 48;

const HOUR_MINUTES = 60;
/** Numbers of attempts begin at 1. */
export const NO_PAIR = 0;
/** Pairs that are looked at where there is no room: the one with the fewest calls among them gives way. */
const LOOKED_AT = 8;
/** From one of them to the next; it shares no divisor with the number of pairs. */
const STRIDE = 809;
/** What a number of a pair has above its place: which of the pairs that had this place it is. */
const PLACE_BITS = 11;
const TURNS = 1 << 20;

export type PairEnd = {
  /** Of a trunk its name, else the address. */
  readonly name: string;
  readonly hash: number;
  readonly isTrunk: boolean;
  /** The configuration, or this host's own addresses, say that it is of our own side. */
  readonly isOwn: boolean;
};

export type PairCalls = { attempts: number; answered: number };
type Pair = { readonly from: PairEnd; readonly to: PairEnd; readonly hash: number; turn: number; attempts: number };

/** Of the sum of those that gave way. */
const OTHERS = MAX_CALL_PAIRS;

export class CallPairs {
  readonly #pairs: Pair[] = [];
  readonly #index = new HashIndex();
  /** By place, and by hour modulo the hours that are kept: which hour that is, attempts, answered. */
  readonly #counts = new Int32Array((MAX_CALL_PAIRS + 1) * PAIR_HOURS * 3);
  #hand = 0;

  /** One more attempt. Returns the number of its pair. */
  open(from: PairEnd, to: PairEnd, minute: number): number {
    const hash = mixHashes(from.hash, to.hash);
    let place = this.#index.seek(hash);
    while (place >= 0 && !this.#isOf(place, from, to)) place = this.#index.next();
    if (place < 0) place = this.#add({ from, to, hash, turn: 0, attempts: 0 });
    const pair = this.#pairs[place] as Pair;
    pair.attempts++;
    this.#count(place, minute, 1, 0);
    return ((pair.turn << PLACE_BITS) | place) + 1;
  }

  /** An attempt of this pair that began then was answered; of a pair that gave way, one of the others was. */
  answered(id: number, minute: number): void {
    if (id === NO_PAIR) return;
    const place = (id - 1) & (MAX_CALL_PAIRS - 1);
    this.#count(this.#pairs[place]?.turn === (id - 1) >>> PLACE_BITS ? place : OTHERS, minute, 0, 1);
  }

  /** What each pair came to in these hours, counted from the epoch; pairs without a call in them are left out. */
  *during(fromHour: number, toHour: number): Generator<{ readonly from: PairEnd; readonly to: PairEnd } & PairCalls> {
    for (const [place, { from, to }] of this.#pairs.entries()) {
      const calls = this.#sum(place, fromHour, toHour);
      if (calls.attempts > 0) yield { from, to, ...calls };
    }
  }

  /** What those came to that gave way. */
  othersDuring(fromHour: number, toHour: number): PairCalls {
    return this.#sum(OTHERS, fromHour, toHour);
  }

  #isOf(place: number, from: PairEnd, to: PairEnd): boolean {
    const pair = this.#pairs[place];
    return pair?.from.name === from.name && pair.to.name === to.name;
  }

  #add(pair: Pair): number {
    const place = this.#pairs.length < MAX_CALL_PAIRS ? this.#pairs.length : this.#makeRoom();
    pair.turn = ((this.#pairs[place]?.turn ?? 0) + 1) % TURNS;
    this.#pairs[place] = pair;
    this.#index.add(pair.hash, place);
    return place;
  }

  /** The place of a pair that gave way. */
  #makeRoom(): number {
    let smallest = this.#hand;
    for (let n = 0; n < LOOKED_AT; n++) {
      this.#hand = (this.#hand + STRIDE) & (MAX_CALL_PAIRS - 1);
      if ((this.#pairs[this.#hand]?.attempts ?? 0) < (this.#pairs[smallest]?.attempts ?? 0)) smallest = this.#hand;
    }
    this.#index.remove(this.#pairs[smallest]?.hash ?? 0, smallest);
    const begin = smallest * PAIR_HOURS * 3;
    for (let at = begin; at < begin + PAIR_HOURS * 3; at += 3) {
      const attempts = this.#counts[at + 1] ?? 0;
      if (attempts > 0)
        this.#count(OTHERS, (this.#counts[at] ?? 0) * HOUR_MINUTES, attempts, this.#counts[at + 2] ?? 0);
    }
    this.#counts.fill(0, begin, begin + PAIR_HOURS * 3);
    return smallest;
  }

  /** An hour takes the row of one that is two days older; what is older than that is not counted. */
  #count(place: number, minute: number, attempts: number, answered: number): void {
    const hour = Math.floor(minute / HOUR_MINUTES);
    const at = (place * PAIR_HOURS + (hour % PAIR_HOURS)) * 3;
    const known = this.#counts[at] ?? 0;
    if (hour < known) return;
    if (hour > known) {
      this.#counts[at] = hour;
      this.#counts[at + 1] = 0;
      this.#counts[at + 2] = 0;
    }
    this.#counts[at + 1] = (this.#counts[at + 1] ?? 0) + attempts;
    this.#counts[at + 2] = (this.#counts[at + 2] ?? 0) + answered;
  }

  #sum(place: number, fromHour: number, toHour: number): PairCalls {
    const sum = { attempts: 0, answered: 0 };
    const begin = place * PAIR_HOURS * 3;
    for (let at = begin; at < begin + PAIR_HOURS * 3; at += 3) {
      const hour = this.#counts[at] ?? 0;
      if (hour < fromHour || hour >= toHour) continue;
      sum.attempts += this.#counts[at + 1] ?? 0;
      sum.answered += this.#counts[at + 2] ?? 0;
    }
    return sum;
  }
}
