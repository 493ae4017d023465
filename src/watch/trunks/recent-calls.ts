/**
 * Whether a trunk takes calls: how its last attempts ended. It refuses when few of them were effective (busy and no answer are),
 * and takes calls again when most are. Without new attempts nothing changes, so that a trunk with few calls does not flap.
 */
import type { Bound } from '../../core/trunk-bounds.ts';
import { isEffective } from '../../store/dialogs/call-outcome.ts';

/** Attempts that decide. */
export const ATTEMPTS = 20;
/** They must lie so close together to begin a trouble. */
const WITHIN_US = 300e6;

/** Who refused most, and how. */
export type Refusal = { readonly code: number; readonly address: string };

export class RecentCalls {
  readonly #bound: Bound;
  /** In a ring: the hop of each attempt, when it was decided, by which code and by whom. */
  readonly #hops = new Int32Array(ATTEMPTS).fill(-1);
  readonly #atUs = new Float64Array(ATTEMPTS);
  readonly #codes = new Int16Array(ATTEMPTS);
  readonly #addresses: string[] = new Array<string>(ATTEMPTS).fill('');
  #next = 0;
  #size = 0;
  #effective = 0;
  /** Since when it refuses; NaN where it does not. */
  sinceUs = Number.NaN;
  /** When it took calls again last; NaN where it never refused. */
  takenUs = Number.NaN;

  constructor(bound: Bound) {
    this.#bound = bound;
  }

  get isRefusing(): boolean {
    return !Number.isNaN(this.sinceUs);
  }

  /** Effective of the last attempts, in percent. */
  get nerPct(): number {
    return (100 * this.#effective) / Math.max(1, this.#size);
  }

  get size(): number {
    return this.#size;
  }

  /** An attempt got its final code, or another one than `before`, where that is not 0. */
  note(hop: number, code: number, before: number, address: string, tsUs: number): void {
    const known = before === 0 ? -1 : this.#placeOf(hop);
    // What another final response replaces was pushed out long ago.
    if (known < 0 && before !== 0) return;
    const place = known < 0 ? this.#take() : known;
    if (known >= 0) this.#effective -= Number(isEffective(this.#codes[known] ?? 0));
    this.#effective += Number(isEffective(code));
    this.#hops[place] = hop;
    this.#atUs[place] = tsUs;
    this.#codes[place] = code;
    this.#addresses[place] = address;
    this.#judge(tsUs);
  }

  /** The newest attempt of this hop: its number may have been another attempt's before. */
  #placeOf(hop: number): number {
    for (let back = 1; back <= this.#size; back++) {
      const place = (this.#next - back + ATTEMPTS) % ATTEMPTS;
      if (this.#hops[place] === hop) return place;
    }
    return -1;
  }

  #take(): number {
    const place = this.#next;
    this.#next = (place + 1) % ATTEMPTS;
    if (this.#size < ATTEMPTS) this.#size++;
    else this.#effective -= Number(isEffective(this.#codes[place] ?? 0));
    return place;
  }

  #judge(nowUs: number): void {
    if (this.isRefusing) {
      if (this.nerPct <= this.#bound.good) return;
      this.sinceUs = Number.NaN;
      this.takenUs = nowUs;
      return;
    }
    if (this.#size < ATTEMPTS || this.nerPct >= this.#bound.bad) return;
    const firstUs = this.#atUs.reduce((a, b) => Math.min(a, b));
    if (nowUs - firstUs > WITHIN_US) return;
    this.sinceUs = this.#atUs.reduce((us, at, i) => (isEffective(this.#codes[i] ?? 0) ? us : Math.min(us, at)), nowUs);
  }

  /** The code and address of most refusals; null without one. */
  get refusal(): Refusal | null {
    const counts = new Map<string, Refusal & { count: number }>();
    let most: (Refusal & { count: number }) | null = null;
    for (let place = 0; place < this.#size; place++) {
      const [code = 0, address = ''] = [this.#codes[place], this.#addresses[place]];
      if (isEffective(code)) continue;
      const key = `${code} ${address}`;
      const one = counts.get(key) ?? { code, address, count: 0 };
      one.count++;
      counts.set(key, one);
      if (most === null || one.count > most.count) most = one;
    }
    return most && { code: most.code, address: most.address };
  }
}
