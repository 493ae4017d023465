/**
 * A map from endpoint keys to values: an index by the keyed hash for IPv4 (numbers), as the keys come from the network, and
 * a plain Map for IPv6 (text).
 */
import { HashInput } from './hash.ts';
import { HashIndex } from './hash-index.ts';
import type { EndpointKey } from './ip.ts';

const TWO_32 = 4294967296;

export class EndpointMap<T> {
  readonly #texts = new Map<string, T>();
  /** Places in the two lists. */
  readonly #index = new HashIndex();
  readonly #keys: number[] = [];
  readonly #values: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#index.size + this.#texts.size;
  }

  get(key: EndpointKey): T | undefined {
    if (typeof key === 'string') return this.#texts.get(key);
    if (this.#index.size === 0) return undefined;
    const at = this.#find(key, hashOfEndpoint(key));
    return at < 0 ? undefined : this.#values[at];
  }

  set(key: EndpointKey, value: T): void {
    if (typeof key === 'string') {
      this.#texts.set(key, value);
      return;
    }
    const hash = hashOfEndpoint(key);
    let at = this.#find(key, hash);
    if (at < 0) {
      at = this.#free.pop() ?? this.#keys.length;
      this.#keys[at] = key;
      this.#index.add(hash, at);
    }
    this.#values[at] = value;
  }

  delete(key: EndpointKey): void {
    if (typeof key === 'string') {
      this.#texts.delete(key);
      return;
    }
    const hash = hashOfEndpoint(key);
    const at = this.#find(key, hash);
    if (at < 0) return;
    this.#index.remove(hash, at);
    this.#values[at] = undefined;
    this.#free.push(at);
  }

  #find(key: number, hash: number): number {
    let at = this.#index.seek(hash);
    while (at >= 0 && this.#keys[at] !== key) at = this.#index.next();
    return at;
  }
}

const INPUT = new HashInput(2);

/** Keyed hash of the number that stands for an IPv4 endpoint. */
export function hashOfEndpoint(key: number): number {
  const high = Math.floor(key / TWO_32);
  INPUT.words[0] = key - high * TWO_32;
  INPUT.words[1] = high;
  return INPUT.hash(2);
}
