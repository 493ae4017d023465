/**
 * The newest claim on each endpoint: open addressing over the rows of claims, which hold the keys, and a Map for IPv6.
 *
 * Addresses and ports come from the network, so the hash has random numbers a process. Tables grow one by one, so that
 * no growth of a large map holds the loop.
 */
import { randomInt } from 'node:crypto';
import type { EndpointKey } from '../core/ip.ts';
import { NONE } from './row-blocks.ts';
import type { SdpRows } from './sdp-rows.ts';

const KEY_0 = randomInt(0x1_0000_0000) | 0;
const KEY_1 = randomInt(0x1_0000_0000) | 1;
const KEY_2 = randomInt(0x1_0000_0000) | 1;

const FIRST_SLOTS = 16;
const TABLE_BITS = 7;
const TABLES = 1 << TABLE_BITS;

function hashOf(v4: number, port: number): number {
  let h = Math.imul(v4 ^ KEY_0, KEY_1);
  h = Math.imul(h ^ (h >>> 15) ^ port, KEY_2);
  h = Math.imul(h ^ (h >>> 13), 0x85ebca6b);
  return h ^ (h >>> 16);
}

export class ClaimTable {
  readonly #rows: SdpRows;
  readonly #texts = new Map<string, number>();
  readonly #tables: readonly Table[];
  #count = 0;

  constructor(rows: SdpRows) {
    this.#rows = rows;
    this.#tables = Array.from({ length: TABLES }, () => new Table(rows));
  }

  /** Endpoints somebody claims. */
  get size(): number {
    return this.#count + this.#texts.size;
  }

  /** The newest claim on the endpoint, or NONE. */
  get(key: EndpointKey): number {
    if (typeof key === 'string') return this.#texts.get(key) ?? NONE;
    if (this.#count === 0) return NONE;
    const address = Math.floor(key / 65_536);
    return this.at(address | 0, key - address * 65_536);
  }

  /** The same of an IPv4 endpoint. */
  at(v4: number, port: number): number {
    const hash = hashOf(v4, port);
    return this.#tables[hash & (TABLES - 1)]?.get(v4, port, hash) ?? NONE;
  }

  /** The newest claim on the endpoint that `row` claims or is to claim, or NONE. */
  newest(row: number): number {
    const rows = this.#rows;
    const text = rows.textKey(row);
    return text === null ? this.at(rows.v4(row), rows.port(row)) : (this.#texts.get(text) ?? NONE);
  }

  /** Claim `row` becomes the newest on its endpoint. */
  set(row: number): void {
    const text = this.#rows.textKey(row);
    if (text !== null) this.#texts.set(text, row);
    else {
      const hash = this.#hashOf(row);
      if (this.#tables[hash & (TABLES - 1)]?.set(row, hash)) this.#count++;
    }
  }

  /** Nobody claims the endpoint of `row` any more. */
  delete(row: number): void {
    const text = this.#rows.textKey(row);
    if (text !== null) this.#texts.delete(text);
    else {
      const hash = this.#hashOf(row);
      if (this.#tables[hash & (TABLES - 1)]?.delete(row, hash)) this.#count--;
    }
  }

  #hashOf(row: number): number {
    return hashOf(this.#rows.v4(row), this.#rows.port(row));
  }
}

/** A slot is the hash of an endpoint and its row + 1, 0 where it is free. The low bits of a hash have chosen the table. */
class Table {
  readonly #rows: SdpRows;
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #mask = FIRST_SLOTS - 1;
  #count = 0;

  constructor(rows: SdpRows) {
    this.#rows = rows;
  }

  get(v4: number, port: number, hash: number): number {
    return (this.#slots[2 * this.#find(v4, port, hash) + 1] ?? 0) - 1;
  }

  /** True when the endpoint is new. */
  set(row: number, hash: number): boolean {
    let slot = this.#find(this.#rows.v4(row), this.#rows.port(row), hash);
    const isNew = this.#slots[2 * slot + 1] === 0;
    if (isNew) {
      if ((this.#count + 1) * 2 > this.#mask + 1) {
        this.#grow();
        slot = this.#freeSlot(hash);
      }
      this.#count++;
    }
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = row + 1;
    return isNew;
  }

  /** False when the endpoint is not there. */
  delete(row: number, hash: number): boolean {
    const slots = this.#slots;
    let hole = this.#find(this.#rows.v4(row), this.#rows.port(row), hash);
    if (slots[2 * hole + 1] === 0) return false;
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
    return true;
  }

  #homeOf(hash: number): number {
    return (hash >>> TABLE_BITS) & this.#mask;
  }

  /** The slot of the endpoint, or the free one where it would go. */
  #find(v4: number, port: number, hash: number): number {
    const slots = this.#slots;
    let slot = this.#homeOf(hash);
    for (;;) {
      const row = (slots[2 * slot + 1] ?? 0) - 1;
      if (row < 0 || (slots[2 * slot] === hash && this.#rows.isAt(row, v4, port))) return slot;
      slot = (slot + 1) & this.#mask;
    }
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
