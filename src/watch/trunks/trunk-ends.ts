/**
 * Whose an address is: our own side's, a trunk's that has a name, or a trunk's that is called by its address.
 *
 * A domain tells the address of a trunk only where our own side sends to it: anybody can write a domain into a message.
 */
import { hashBytes } from '../../core/hash.ts';
import { endpointKey, ipText } from '../../core/ip.ts';
import type { Trunks } from '../../core/trunks.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import { parseUri } from '../../protocols/sip/uri.ts';
import type { Packet } from '../../sources/packet.ts';
import type { PairEnd } from '../overview/call-pairs.ts';
import type { TrunkDirection, TrunkRow } from './trunk-row.ts';
import type { TrunkStore } from './trunk-store.ts';

/** Addresses whose row is remembered. @cap with TRUNK_FIGURE_BYTES */
export const TRUNK_ADDRESSES = 8_192;

/** No row: their numbers begin at 1. */
const NO_ROW = 0;

/**
 * One address, and the number of its row in each direction. A row itself would stay in memory when it has given way, with all
 * its figures, for as long as its address is remembered.
 */
type End = {
  readonly address: string;
  readonly isLocal: boolean;
  name: string | null;
  in: number;
  out: number;
  /** Made when it is asked for. */
  pairEnd: PairEnd | null;
};

export class TrunkEnds {
  readonly #trunks: Trunks;
  readonly #store: TrunkStore;
  /** By address; it is emptied when it is full. */
  #ends = new Map<number | string, End>();
  /** Names of addresses that our own side reached by a domain. */
  readonly #learned = new Map<string, string>();

  constructor(trunks: Trunks, store: TrunkStore) {
    this.#trunks = trunks;
    this.#store = store;
  }

  /** The row of the sender or receiver of a message; null where that is our own side. */
  row(c: Packet, isSource: boolean, direction: TrunkDirection): TrunkRow | null {
    const end = this.#end(c, isSource);
    if (end.isLocal) return null;
    const known = this.#store.known(end[direction]);
    if (known !== null) return known;
    const row = this.#store.row(end.name ?? end.address, direction, end.name !== null);
    // The row of all others is not kept: there may be room later.
    if (row.name === (end.name ?? end.address)) end[direction] = row.id;
    return row;
  }

  /** Learns the trunk of a request that our own side sends to a domain. */
  learn(buf: Buffer, scan: SipScan, c: Packet): void {
    if (!this.#trunks.hasDomains || !this.#end(c, true).isLocal) return;
    const end = this.#end(c, false);
    if (end.isLocal || end.name !== null) return;
    const uri = parseUri(decodeText(buf, scan.uriStart, scan.uriEnd));
    const name = uri.ok ? this.#trunks.ofDomain(uri.value.host) : null;
    if (name === null) return;
    if (this.#learned.size >= TRUNK_ADDRESSES) this.#learned.clear();
    this.#learned.set(end.address, name);
    end.name = name;
    end.in = NO_ROW;
    end.out = NO_ROW;
    end.pairEnd = null;
  }

  /** What the trunk at an address is called: its name, else the address; null for our own side. */
  called(address: string): string | null {
    const learned = this.#learned.size === 0 ? undefined : this.#learned.get(address);
    return learned ?? this.#trunks.called(address);
  }

  /** The address of the sender or receiver of a message. */
  addressOf(c: Packet, isSource: boolean): string {
    return this.#end(c, isSource).address;
  }

  /** Who that is among who calls whom. */
  pairEndOf(c: Packet, isSource: boolean): PairEnd {
    const end = this.#end(c, isSource);
    if (end.pairEnd === null) {
      const name = end.name ?? end.address;
      const bytes = Buffer.from(name);
      const hash = hashBytes(bytes, 0, bytes.length);
      end.pairEnd = { name, hash, isTrunk: end.name !== null, isOwn: end.isLocal };
    }
    return end.pairEnd;
  }

  #end(c: Packet, isSource: boolean): End {
    const off = isSource ? c.srcOff : c.dstOff;
    const key = endpointKey(c.addresses, off, c.ipVersion, 0);
    const known = this.#ends.get(key);
    if (known !== undefined) return known;
    if (this.#ends.size >= TRUNK_ADDRESSES) this.#ends = new Map();
    const address = ipText(c.addresses, off, c.ipVersion);
    const name = this.#trunks.of(address) ?? this.#learned.get(address) ?? null;
    const isLocal = name === null && this.#trunks.isLocal(address);
    const end: End = { address, name, isLocal, in: NO_ROW, out: NO_ROW, pairEnd: null };
    this.#ends.set(key, end);
    return end;
  }
}
