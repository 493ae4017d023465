/**
 * Holds the connections under reassembly, and finds them by address pair and ports in either direction. Their number is
 * bounded: finished ones go before live ones, and the longest idle first.
 */

import { HashInput } from '../../core/hash.ts';
import type { Packet } from '../../sources/packet.ts';
import type { FramedTarget, FramerShared } from '../stream-framer.ts';
import { WebSocketSession } from '../websocket/http-upgrade.ts';
import { TcpDirection } from './tcp-direction.ts';

export class TcpConnection {
  readonly ipVersion: number;
  /** Addresses as in a record: network order, IPv4 in the first 4 bytes. */
  readonly addressA = new Uint8Array(16);
  readonly addressB = new Uint8Array(16);
  readonly portA: number;
  readonly portB: number;
  /** FLAG.SIP_GATE and FLAG.WS_GATE of the segments seen. */
  gates = 0;
  /** The port that was called, when a SYN was seen; else the lower one. */
  servicePort: number;
  isClosed = false;
  /** A FIN or RST of either side came. */
  isEnding = false;
  /** Its first segment that was seen. */
  sinceUs: number;
  /** A SIP message of it was handed out. */
  carriedSip = false;
  isEncrypted = false;
  lastUs = 0;
  /** From A to B, and from B to A. */
  directions: readonly [TcpDirection, TcpDirection];

  readonly hash: number;
  bucketNext: TcpConnection | null = null;
  /** Among those that are like it, by their latest segment. */
  readonly idle = new ListLink(this);
  /** Among those with partial data, by when that began. */
  readonly waiting = new ListLink(this);

  readonly #shared: FramerShared;
  readonly #targets: readonly [FramedTarget, FramedTarget];

  constructor(
    hash: number,
    key: Packet,
    shared: FramerShared,
    target: (connection: TcpConnection, index: 0 | 1) => FramedTarget,
  ) {
    this.hash = hash;
    this.ipVersion = key.ipVersion;
    this.addressA.set(key.addresses.subarray(key.srcOff, key.srcOff + 16));
    this.addressB.set(key.addresses.subarray(key.dstOff, key.dstOff + 16));
    this.portA = key.srcPort;
    this.portB = key.dstPort;
    this.servicePort = Math.min(key.srcPort, key.dstPort);
    this.sinceUs = key.tsUs;
    this.#shared = shared;
    this.#targets = [target(this, 0), target(this, 1)];
    this.directions = this.#freshDirections();
  }

  get hasBuffered(): boolean {
    return this.directions[0].hasBuffered || this.directions[1].hasBuffered;
  }

  /** Gives up buffered data of both directions; true when that cut something off. */
  abandon(): boolean {
    const a = this.directions[0].abandon();
    const b = this.directions[1].abandon();
    return a || b;
  }

  /** The tuple is used by a new connection. */
  restart(): void {
    this.isClosed = false;
    this.isEnding = false;
    this.sinceUs = this.lastUs;
    this.carriedSip = false;
    this.isEncrypted = false;
    this.directions = this.#freshDirections();
  }

  #freshDirections(): readonly [TcpDirection, TcpDirection] {
    const session = new WebSocketSession();
    return [
      new TcpDirection(this.#shared, session, this.#targets[0]),
      new TcpDirection(this.#shared, session, this.#targets[1]),
    ];
  }
}

/** Where a connection stands in a list; in one list at a time. */
class ListLink {
  readonly connection: TcpConnection;
  list: ConnectionList | null = null;
  older: ListLink | null = null;
  newer: ListLink | null = null;

  constructor(connection: TcpConnection) {
    this.connection = connection;
  }
}

/** Connections in the order in which they came in. A Set would walk over what was removed from its front. */
export class ConnectionList {
  #oldest: ListLink | null = null;
  #newest: ListLink | null = null;

  get oldest(): TcpConnection | null {
    return this.#oldest?.connection ?? null;
  }

  /** Makes `link` the newest of this list, wherever it was. */
  append(link: ListLink): void {
    if (link.list === this && link === this.#newest) return;
    link.list?.remove(link);
    link.list = this;
    link.older = this.#newest;
    if (this.#newest !== null) this.#newest.newer = link;
    else this.#oldest = link;
    this.#newest = link;
  }

  /** Takes out a link of this list. */
  remove(link: ListLink): void {
    if (link.older !== null) link.older.newer = link.newer;
    else this.#oldest = link.newer;
    if (link.newer !== null) link.newer.older = link.older;
    else this.#newest = link.older;
    link.older = null;
    link.newer = null;
    link.list = null;
  }
}

export class TcpTable {
  /** In the order in which they give their places: those that ended, that carried no SIP yet, and that did. */
  readonly closed = new ConnectionList();
  readonly #silent = new ConnectionList();
  readonly #sip = new ConnectionList();
  readonly #buckets = new Map<number, TcpConnection>();
  readonly #end = new HashInput(5);
  size = 0;

  hash(key: Packet): number {
    // A sum, so that both directions have one bucket.
    return (
      (this.#hashEnd(key.addresses, key.srcOff, key.ipVersion, key.srcPort) +
        this.#hashEnd(key.addresses, key.dstOff, key.ipVersion, key.dstPort)) |
      0
    );
  }

  find(key: Packet, hash: number): TcpConnection | null {
    let c = this.#buckets.get(hash) ?? null;
    while (c !== null && directionOf(c, key) < 0) c = c.bucketNext;
    return c;
  }

  add(c: TcpConnection): void {
    c.bucketNext = this.#buckets.get(c.hash) ?? null;
    this.#buckets.set(c.hash, c);
    this.touch(c);
    this.size++;
  }

  /** Makes `c` the newest of the connections that are like it. */
  touch(c: TcpConnection): void {
    (c.isClosed ? this.closed : c.carriedSip ? this.#sip : this.#silent).append(c.idle);
  }

  /** The connection that gives its place to a newer one: a flood of handshakes takes none from who speaks SIP. */
  get victim(): TcpConnection | null {
    return this.closed.oldest ?? this.#silent.oldest ?? this.#sip.oldest;
  }

  remove(c: TcpConnection): void {
    const first = this.#buckets.get(c.hash) ?? null;
    if (first === c) {
      if (c.bucketNext === null) this.#buckets.delete(c.hash);
      else this.#buckets.set(c.hash, c.bucketNext);
    } else {
      let before = first;
      while (before !== null && before.bucketNext !== c) before = before.bucketNext;
      if (before !== null) before.bucketNext = c.bucketNext;
    }
    c.bucketNext = null;
    c.idle.list?.remove(c.idle);
    this.size--;
  }

  #hashEnd(addresses: Uint8Array, at: number, version: number, port: number): number {
    const end = this.#end.setAddress(0, addresses, at, version);
    this.#end.words[end] = port;
    return this.#end.hash(end + 1);
  }
}

/** 0 when `key` goes from A to B of `c`, 1 when back, -1 when it is another connection. */
export function directionOf(c: TcpConnection, key: Packet): 0 | 1 | -1 {
  if (c.ipVersion !== key.ipVersion) return -1;
  const n = c.ipVersion === 6 ? 16 : 4;
  const b = key.addresses;
  if (c.portA === key.srcPort && c.portB === key.dstPort) {
    if (same(c.addressA, b, key.srcOff, n) && same(c.addressB, b, key.dstOff, n)) return 0;
  }
  if (c.portB === key.srcPort && c.portA === key.dstPort) {
    if (same(c.addressB, b, key.srcOff, n) && same(c.addressA, b, key.dstOff, n)) return 1;
  }
  return -1;
}

function same(a: Uint8Array, b: Uint8Array, at: number, n: number): boolean {
  for (let i = 0; i < n; i++) if (a[i] !== b[at + i]) return false;
  return true;
}
