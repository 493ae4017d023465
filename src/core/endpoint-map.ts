/**
 * A map from endpoint keys to values: open addressing for IPv4 (numbers), a plain Map for IPv6 (text).
 *
 * The keys come from the network, so the hash is keyed with a random number a process. About three
 * times as fast as Map here, because no key is boxed.
 */
import { randomInt } from 'node:crypto';
import type { EndpointKey } from './ip.ts';

const KEY = randomInt(0x7fffffff) | 1;
const FIRST_SLOTS = 1024;
const FREE = -1;
const TWO_32 = 4294967296;

export class EndpointMap<T> {
  readonly #texts = new Map<string, T>();
  #keys = new Float64Array(FIRST_SLOTS).fill(FREE);
  #values: (T | undefined)[] = new Array<T | undefined>(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #count = 0;

  get size(): number {
    return this.#count + this.#texts.size;
  }

  get(key: EndpointKey): T | undefined {
    if (this.#count === 0 && this.#texts.size === 0) return undefined;
    if (typeof key === 'string') return this.#texts.get(key);
    const slot = this.#find(key);
    return this.#keys[slot] === key ? this.#values[slot] : undefined;
  }

  set(key: EndpointKey, value: T): void {
    if (typeof key === 'string') {
      this.#texts.set(key, value);
      return;
    }
    let slot = this.#find(key);
    if (this.#keys[slot] !== key) {
      if ((this.#count + 1) * 2 > this.#mask + 1) {
        this.#grow();
        slot = this.#find(key);
      }
      this.#keys[slot] = key;
      this.#count++;
    }
    this.#values[slot] = value;
  }

  delete(key: EndpointKey): void {
    if (typeof key === 'string') {
      this.#texts.delete(key);
      return;
    }
    let hole = this.#find(key);
    if (this.#keys[hole] !== key) return;
    this.#count--;
    // Close the gap, so that no search stops short: what may not stand before its own slot stays.
    for (let i = (hole + 1) & this.#mask; this.#keys[i] !== FREE; i = (i + 1) & this.#mask) {
      const home = this.#slotOf(this.#keys[i] ?? FREE);
      if (((i - home) & this.#mask) < ((i - hole) & this.#mask)) continue;
      this.#keys[hole] = this.#keys[i] ?? FREE;
      this.#values[hole] = this.#values[i];
      hole = i;
    }
    this.#keys[hole] = FREE;
    this.#values[hole] = undefined;
  }

  #slotOf(key: number): number {
    const high = Math.floor(key / TWO_32);
    let h = Math.imul((key - high * TWO_32) ^ KEY, 0x9e3779b1);
    h = Math.imul(h ^ high ^ (h >>> 15), 0x85ebca6b);
    return (h ^ (h >>> 13)) & this.#mask;
  }

  /** The slot of the key, or the free one where it would go. */
  #find(key: number): number {
    let slot = this.#slotOf(key);
    for (;;) {
      const held = this.#keys[slot];
      if (held === key || held === FREE) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    const slots = keys.length * 2;
    this.#keys = new Float64Array(slots).fill(FREE);
    this.#values = new Array<T | undefined>(slots);
    this.#mask = slots - 1;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] ?? FREE;
      if (key === FREE) continue;
      const slot = this.#find(key);
      this.#keys[slot] = key;
      this.#values[slot] = values[i];
    }
  }
}
