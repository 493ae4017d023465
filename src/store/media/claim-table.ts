/**
 * The newest claim on each endpoint: an index over the rows of claims, which hold the keys, and a Map for IPv6. Addresses and
 * ports come from the network, so the hash is the keyed one.
 */

import { HashInput } from '../../core/hash.ts';
import { HashIndex } from '../../core/hash-index.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { NONE } from '../row-blocks.ts';
import type { SdpRows } from './sdp-rows.ts';

const INPUT = new HashInput(2);

function hashOf(v4: number, port: number): number {
  INPUT.words[0] = v4;
  INPUT.words[1] = port;
  return INPUT.hash(2);
}

/** What is changed is the endpoint that was sought last. */
export class ClaimTable {
  readonly #texts = new Map<string, number>();
  readonly #rows: SdpRows;
  readonly #index: HashIndex;
  /** The endpoint sought last, as a text or by its hash, and the claim that was found. */
  #text: string | null = null;
  #hash = 0;
  #found = NONE;

  /** There is room for about `expected` endpoints before a table has to grow, in zeroed memory that `allocate` gives. */
  constructor(rows: SdpRows, expected: number, allocate: (bytes: number) => Uint8Array) {
    this.#rows = rows;
    this.#index = new HashIndex(expected, allocate);
  }

  /** Endpoints somebody claims. */
  get size(): number {
    return this.#index.size + this.#texts.size;
  }

  /** The newest claim on the endpoint, or NONE. */
  seek(key: EndpointKey): number {
    if (typeof key === 'string') {
      this.#text = key;
      return this.#texts.get(key) ?? NONE;
    }
    const address = Math.floor(key / 65_536);
    return this.seekIpv4(address | 0, key - address * 65_536);
  }

  /** seek() of an IPv4 endpoint. */
  seekIpv4(v4: number, port: number): number {
    this.#text = null;
    this.#hash = hashOf(v4, port);
    let row = this.#index.seek(this.#hash);
    while (row >= 0 && !this.#rows.isAt(row, v4, port)) row = this.#index.next();
    this.#found = row;
    return row;
  }

  /** Claim `row` becomes the newest. */
  set(row: number): void {
    if (this.#text !== null) this.#texts.set(this.#text, row);
    else if (this.#found === NONE) this.#index.add(this.#hash, row);
    else this.#index.replace(row);
  }

  /** Nobody claims the endpoint any more; somebody did. */
  delete(): void {
    if (this.#text !== null) this.#texts.delete(this.#text);
    else this.#index.remove(this.#hash, this.#found);
  }
}
