/**
 * Who calls whom: attempts by the two ends of a hop and by the hour. A trunk with a name is one end, wherever its addresses are;
 * all others are ends by their address.
 */

/** Pairs of ends that are counted; beyond it the smallest are summed. @cap with TRUNK_CELL_BYTES */
export const MAX_CALL_PAIRS = 2_048;

/** Hours that are kept of a pair. @cap with TRUNK_CELL_BYTES */
export const PAIR_HOURS = 48;

const HOUR_MINUTES = 60;

/** Numbers of pairs begin at 1. */
export const NO_PAIR = 0;

export type PairEnd = {
  /** Of a trunk its name, else the address. */
  readonly name: string;
  readonly isTrunk: boolean;
  /** The configuration, or this host's own addresses, say that it is of our own side. */
  readonly isOwn: boolean;
};

export type PairCalls = { attempts: number; answered: number };

export class CallPair {
  /** By which an attempt finds it again. */
  readonly id: number;
  readonly from: PairEnd;
  readonly to: PairEnd;
  /** By the hour, counted from the epoch. */
  readonly hours = new Map<number, PairCalls>();
  attempts = 0;

  constructor(id: number, from: PairEnd, to: PairEnd) {
    this.id = id;
    this.from = from;
    this.to = to;
  }
}

export class CallPairs {
  readonly #pairs = new Map<string, CallPair>();
  readonly #byId = new Map<number, CallPair>();
  #nextId = 1;
  /** Calls of pairs that gave way to others, by the hour. */
  readonly others = new Map<number, PairCalls>();

  get all(): Iterable<CallPair> {
    return this.#pairs.values();
  }

  /** One more attempt. Returns the number of its pair. */
  open(from: PairEnd, to: PairEnd, minute: number): number {
    const key = `${from.name}\n${to.name}`;
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      if (this.#pairs.size >= MAX_CALL_PAIRS) this.#makeRoom();
      pair = new CallPair(this.#nextId++, from, to);
      this.#pairs.set(key, pair);
      this.#byId.set(pair.id, pair);
    }
    pair.attempts++;
    this.#callsAt(pair.hours, minute).attempts++;
    return pair.id;
  }

  /** An attempt of this pair that began then was answered; of a pair that gave way, one of the others was. */
  answered(id: number, minute: number): void {
    if (id !== NO_PAIR) this.#callsAt(this.#byId.get(id)?.hours ?? this.others, minute).answered++;
  }

  #callsAt(hours: Map<number, PairCalls>, minute: number): PairCalls {
    const hour = Math.floor(minute / HOUR_MINUTES);
    let calls = hours.get(hour);
    if (calls === undefined) {
      calls = { attempts: 0, answered: 0 };
      hours.set(hour, calls);
      if (hours.size > PAIR_HOURS) hours.delete(Math.min(...hours.keys()));
    }
    return calls;
  }

  /** Half of the pairs give way, those with the fewest calls first. */
  #makeRoom(): void {
    const smallest = [...this.#pairs].sort(([, a], [, b]) => a.attempts - b.attempts).slice(0, MAX_CALL_PAIRS / 2);
    for (const [key, pair] of smallest) {
      for (const [hour, { attempts, answered }] of pair.hours) {
        const sum = this.#callsAt(this.others, hour * HOUR_MINUTES);
        sum.attempts += attempts;
        sum.answered += answered;
      }
      this.#pairs.delete(key);
      this.#byId.delete(pair.id);
    }
  }
}
