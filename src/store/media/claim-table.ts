/**
 * The newest claim on each endpoint: open addressing over the rows of claims, which hold the keys, and a Map for IPv6.
 *
 * Addresses and ports come from the network, so the hash is the keyed one. Tables grow one by one, so that
 * no growth of a large map holds the loop.
 */

import { HashInput } from '../../core/hash.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { MAX_CLAIM_SLOTS } from '../../core/item-limits.ts';
import { NONE } from '../row-blocks.ts';
import type { SdpRows } from './sdp-rows.ts';

/** Each doubles on its own, a 16th of the whole. */
const TABLE_BITS = 4;
const TABLES = 1 << TABLE_BITS;
/** Slots a table begins with. Memory that nobody has touched yet costs nothing. */
const SLOT_BYTES = 8;
const MIN_SLOTS = 64;

const INPUT = new HashInput(2);

function hashOf(v4: number, port: number): number {
  INPUT.words[0] = v4;
  INPUT.words[1] = port;
  return INPUT.hash(2);
}

/** A power of two of which `endpoints` take two thirds at most. */
function slotsFor(endpoints: number): number {
  let slots = MIN_SLOTS;
  while (slots < MAX_CLAIM_SLOTS && slots * 2 < endpoints * 3) slots *= 2;
  return slots;
}

/** What is changed is the endpoint that was sought last. */
export class ClaimTable {
  readonly #texts = new Map<string, number>();
  readonly #tables: readonly Table[];
  /** Where the endpoint sought last is, or would be; the text of an IPv6 one. */
  #table: Table;
  #slot = 0;
  #hash = 0;
  #text: string | null = null;
  #count = 0;

  /** There is room for about `expected` endpoints before a table has to grow, in zeroed memory that `allocate` gives. */
  constructor(rows: SdpRows, expected: number, allocate: (bytes: number) => Uint8Array) {
    const slots = slotsFor(expected / TABLES);
    const { buffer, byteOffset } = allocate(TABLES * slots * SLOT_BYTES);
    let at = byteOffset;
    const made = (): Table => {
      const table = new Table(rows, new Int32Array(buffer, at, slots * 2));
      at += slots * SLOT_BYTES;
      return table;
    };
    this.#table = made();
    this.#tables = Array.from({ length: TABLES }, (_, i) => (i === 0 ? this.#table : made()));
  }

  /** Endpoints somebody claims. */
  get size(): number {
    return this.#count + this.#texts.size;
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
    const hash = hashOf(v4, port);
    const table = this.#tables[hash & (TABLES - 1)] ?? this.#table;
    const slot = table.find(v4, port, hash);
    this.#text = null;
    this.#table = table;
    this.#slot = slot;
    this.#hash = hash;
    return table.rowAt(slot);
  }

  /** Claim `row` becomes the newest. */
  set(row: number): void {
    if (this.#text !== null) this.#texts.set(this.#text, row);
    else if (this.#table.set(this.#slot, this.#hash, row)) this.#count++;
  }

  /** Nobody claims the endpoint any more; somebody did. */
  delete(): void {
    if (this.#text !== null) this.#texts.delete(this.#text);
    else {
      this.#table.delete(this.#slot);
      this.#count--;
    }
  }
}

/** A slot is the hash of an endpoint and its row + 1, 0 where it is free. The low bits of a hash have chosen the table. */
class Table {
  readonly #rows: SdpRows;
  #slots: Int32Array;
  #mask: number;
  #count = 0;

  constructor(rows: SdpRows, slots: Int32Array) {
    this.#rows = rows;
    this.#slots = slots;
    this.#mask = slots.length / 2 - 1;
  }

  /** The slot of the endpoint, or the free one where it would go. */
  find(v4: number, port: number, hash: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = this.#homeOf(hash);
    for (;;) {
      const row = (slots[2 * slot + 1] ?? 0) - 1;
      if (row < 0 || (slots[2 * slot] === hash && this.#rows.isAt(row, v4, port))) return slot;
      slot = (slot + 1) & mask;
    }
  }

  rowAt(slot: number): number {
    return (this.#slots[2 * slot + 1] ?? 0) - 1;
  }

  /** True when the slot was free. */
  set(slot: number, hash: number, row: number): boolean {
    let at = slot;
    const isNew = this.#slots[2 * at + 1] === 0;
    if (isNew && ++this.#count * 3 > (this.#mask + 1) * 2) {
      this.#grow();
      at = this.#freeSlot(hash);
    }
    this.#slots[2 * at] = hash;
    this.#slots[2 * at + 1] = row + 1;
    return isNew;
  }

  delete(slot: number): void {
    const slots = this.#slots;
    let hole = slot;
    this.#count--;
    // Close the gap, so that no search stops short: what may not stand before its own slot stays.
    for (let i = (hole + 1) & this.#mask; slots[2 * i + 1] !== 0; i = (i + 1) & this.#mask) {
      const home = this.#homeOf(slots[2 * i] ?? 0);
      if (((i - home) & this.#mask) < ((i - hole) & this.#mask)) continue;
      slots[2 * hole] = slots[2 * i] ?? 0;
      slots[2 * hole + 1] = slots[2 * i + 1] ?? 0;
      hole = i;
    }
    slots[2 * hole + 1] = 0;
  }

  #homeOf(hash: number): number {
    return (hash >>> TABLE_BITS) & this.#mask;
  }

  #freeSlot(hash: number): number {
    let slot = this.#homeOf(hash);
    while (this.#slots[2 * slot + 1] !== 0) slot = (slot + 1) & this.#mask;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = old.length - 1;
    for (let i = 0; i < old.length; i += 2) {
      const hash = old[i] ?? 0;
      const row = old[i + 1] ?? 0;
      if (row === 0) continue;
      const slot = this.#freeSlot(hash);
      this.#slots[2 * slot] = hash;
      this.#slots[2 * slot + 1] = row;
    }
  }
}
