/**
 * Plaintext chunks of TLS connections in, SIP messages out: stream order, located gaps, framing, and a short wait for
 * the address.
 *
 * A chunk says where in its direction it belongs, so what is missing is known to the byte: the message it was part of
 * is cut there and the next one is found behind it. Time is that of the records; nothing here reads a clock.
 */

import { TRANSPORT } from '../../core/words.ts';
import { copyBytes, emptyPacket, type Packet } from '../../sources/packet.ts';
import { ByteBudget } from '../byte-buffer.ts';
import type { DecodeCounters } from '../counters.ts';
import { TCP_LIMITS } from '../decode-limits.ts';
import type { ContentLength } from '../sip-framing.ts';
import type { FramedTarget, FramerShared } from '../stream-framer.ts';
import { SharedInflation } from '../websocket/permessage-deflate.ts';
import { TlsConnection } from './connection.ts';

export const TLS_STREAM_LIMITS = {
  maxConnections: 65_536,
  /** Partial messages over all connections. */
  maxPartialBytes: 64 * 1024 * 1024,
  /** Messages that wait for an address, over all connections. */
  maxHeldBytes: 8 * 1024 * 1024,
  /** How long a message waits for its address, in the time of the records. */
  holdUs: 200_000,
  /** How long a partial message waits for its rest. */
  idleUs: 30_000_000,
};
export type TlsStreamLimits = Readonly<typeof TLS_STREAM_LIMITS>;

/** One record of the probes; the object may be filled again. */
export interface TlsChunk {
  /** Addresses of data: as the bytes travelled. Of a bind: the local end, then the remote one. */
  readonly packet: Packet;
  readonly idLow: number;
  readonly idHigh: number;
  readonly pid: number;
  /** By the observed process; else it was read. */
  readonly isWritten: boolean;
  readonly isShared: boolean;
  /** Waits for a verdict. */
  readonly isUndecided: boolean;
  /** No bytes: a request for WebSocket ended in front of `offset`, and stays with who saw it. */
  readonly isUpgrade: boolean;
  /** Place of the first byte in its direction. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

export type TlsHooks = {
  /** A SIP message that `pid` wrote or read: [start, end) of `bytes`, valid during the call only. False: it was known already. */
  onMessage(bytes: Uint8Array, start: number, end: number, packet: Packet, isWritten: boolean, pid: number): boolean;
  /** An undecided connection carries SIP, or does not. */
  onVerdict(idLow: number, idHigh: number, isSip: boolean): void;
  readonly contentLength: ContentLength;
};

/** What happened to plaintext after the probes, by name. */
export class TlsStreamCounters {
  connections = 0;
  closed = 0;
  messages = 0;
  /** Places where bytes of a direction are missing, and how many. */
  gaps = 0;
  gapBytes = 0;
  /** Messages that waited for their address. */
  held = 0;
  /** Messages whose address did not become known, and those whose address is likely, not proven. */
  unbound = 0;
  weak = 0;
  /** Messages cut off by the end of a connection or by a wait without an end. */
  aborted = 0;
  /** Connections given up to stay under a cap. */
  evicted = 0;
}

/** Taking a place after all others at every record would cost more than the rest of its way through here. */
const REORDER_US = 1_000_000;
/** What a message that waits takes beside its bytes. */
const HELD_COST_BYTES = 256;
const NOWHERE = new Uint8Array(16);

export class TlsStreams {
  readonly counters: TlsStreamCounters;
  readonly #hooks: TlsHooks;
  readonly #limits: TlsStreamLimits;
  readonly #shared: FramerShared;
  /** In the order of their latest records, to REORDER_US. */
  readonly #connections = new Map<bigint, TlsConnection>();
  readonly #holding = new Set<TlsConnection>();
  /** Connections with a part of a message, in the order in which that came to be. */
  readonly #partial = new Set<TlsConnection>();
  readonly #packet = emptyPacket();
  #heldBytes = 0;

  constructor(
    hooks: TlsHooks,
    decode: DecodeCounters,
    counters: TlsStreamCounters = new TlsStreamCounters(),
    limits: TlsStreamLimits = TLS_STREAM_LIMITS,
  ) {
    this.#hooks = hooks;
    this.#limits = limits;
    this.counters = counters;
    const budget = new ByteBudget(limits.maxPartialBytes);
    const inflation = new SharedInflation(decode);
    this.#shared = { counters: decode, limits: TCP_LIMITS, budget, inflation, contentLength: hooks.contentLength };
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Messages are waiting for an address: settle() is to be called soon. */
  get isHolding(): boolean {
    return this.#holding.size > 0;
  }

  get bufferedBytes(): number {
    return this.#shared.budget.used + this.#heldBytes;
  }

  /** Plaintext of one direction. */
  data(chunk: TlsChunk): void {
    const c = this.#connection(chunk);
    const { packet } = chunk;
    if (packet.ipVersion !== 0) {
      const { srcOff, dstOff, srcPort, dstPort } = packet;
      if (chunk.isWritten) c.setAddress(packet, srcOff, dstOff, srcPort, dstPort);
      else c.setAddress(packet, dstOff, srcOff, dstPort, srcPort);
      if (!packet.isWeak) this.#release(c);
    }
    const direction = chunk.isWritten ? c.written : c.read;
    if (chunk.isUpgrade) {
      direction.upgradeRequested(chunk.offset);
      return;
    }
    const missing = direction.feed(chunk.offset, chunk.bytes, chunk.start, chunk.end, packet);
    if (missing > 0) {
      this.counters.gaps++;
      this.counters.gapBytes += missing;
    }
    if (chunk.isUndecided) this.#judge(c);
    if (!c.hasPartial) this.#partial.delete(c);
    else if (!this.#partial.has(c)) this.#partial.add(c);
    if (this.#shared.budget.isExceeded) this.#shed();
  }

  /** The address became known, or another one was proven. */
  bind(chunk: TlsChunk): void {
    const { packet } = chunk;
    if (packet.ipVersion === 0) return;
    const c = this.#connection(chunk);
    c.setAddress(packet, packet.srcOff, packet.dstOff, packet.srcPort, packet.dstPort);
    if (!packet.isWeak) this.#release(c);
  }

  /** The connection is gone. */
  close(idLow: number, idHigh: number): void {
    const c = this.#connections.get(keyOf(idLow, idHigh));
    if (c !== undefined) this.#close(c);
  }

  /** The process is gone, and with it every connection that lived in its own memory. */
  closeProcess(pid: number): void {
    for (const c of this.#connections.values()) if (c.pid === pid && !c.isShared) this.#close(c);
  }

  /** Passes on what has waited for an address long enough. */
  settle(nowUs: number): void {
    for (const c of this.#holding) {
      const first = c.held[0];
      if (first !== undefined && nowUs - first.tsUs >= this.#limits.holdUs) this.#release(c);
    }
  }

  /** Gives up partial messages that have waited for their rest too long. */
  expire(nowUs: number): void {
    this.settle(nowUs);
    for (const c of this.#partial) {
      if (nowUs - c.lastUs <= this.#limits.idleUs) continue;
      this.#abandon(c);
      this.#shared.counters.tcpTimeouts++;
    }
  }

  /** The probes are gone: nothing more comes. */
  finish(): void {
    for (const c of this.#connections.values()) this.#close(c);
  }

  #connection(chunk: TlsChunk): TlsConnection {
    const key = keyOf(chunk.idLow, chunk.idHigh);
    let c = this.#connections.get(key);
    if (c === undefined) {
      if (this.#connections.size >= this.#limits.maxConnections) this.#evictOldest();
      this.counters.connections++;
      c = new TlsConnection(key, chunk.idLow, chunk.idHigh, chunk.pid, this.#shared, this.#target);
      c.placedUs = chunk.packet.tsUs;
      this.#connections.set(key, c);
    } else if (chunk.packet.tsUs - c.placedUs >= REORDER_US) {
      c.placedUs = chunk.packet.tsUs;
      this.#connections.delete(key);
      this.#connections.set(key, c);
    }
    c.lastUs = chunk.packet.tsUs;
    c.pid = chunk.pid;
    c.isShared ||= chunk.isShared;
    return c;
  }

  #evictOldest(): void {
    const oldest = this.#connections.values().next().value;
    if (oldest === undefined) return;
    this.counters.evicted++;
    this.#close(oldest);
  }

  /** Gives up the partial messages that have waited longest, a quarter of the cap at a time. */
  #shed(): void {
    const { budget } = this.#shared;
    for (const c of this.#partial) {
      if (budget.used * 4 <= budget.limit * 3) return;
      this.counters.evicted++;
      this.#abandon(c);
    }
  }

  #abandon(c: TlsConnection): void {
    this.counters.aborted += c.abandon();
    this.#partial.delete(c);
  }

  #close(c: TlsConnection): void {
    this.#release(c);
    this.#abandon(c);
    this.counters.closed++;
    this.#connections.delete(c.key);
  }

  #judge(c: TlsConnection): void {
    const { verdict } = c;
    if (c.isVerdictGiven || verdict === null) return;
    c.isVerdictGiven = true;
    this.#hooks.onVerdict(c.idLow, c.idHigh, verdict);
  }

  readonly #target = (c: TlsConnection, isWritten: boolean): FramedTarget => {
    return (bytes, start, end, isWebSocket, _begin, isTruncated) => {
      c.messages++;
      const tsUs = (isWritten ? c.written : c.read).clockUs;
      if (c.ipVersion !== 0 && !c.isWeak && c.held.length === 0) {
        this.#pass(c, bytes, start, end, { isWritten, isWebSocket, isTruncated, tsUs });
        return;
      }
      this.counters.held++;
      c.held.push({ bytes: copyBytes(bytes, start, end), isWritten, isWebSocket, isTruncated, tsUs });
      this.#heldBytes += end - start + HELD_COST_BYTES;
      this.#holding.add(c);
      if (this.#heldBytes > this.#limits.maxHeldBytes) this.#releaseOldest();
    };
  };

  #releaseOldest(): void {
    const oldest = this.#holding.values().next().value;
    if (oldest !== undefined) this.#release(oldest);
  }

  /** Passes on all that a connection holds, with the address as it is known now. */
  #release(c: TlsConnection): void {
    if (c.held.length === 0) return;
    const { held } = c;
    c.held = [];
    this.#holding.delete(c);
    for (const m of held) {
      this.#heldBytes -= m.bytes.length + HELD_COST_BYTES;
      this.#pass(c, m.bytes, 0, m.bytes.length, m);
    }
  }

  #pass(
    c: TlsConnection,
    bytes: Uint8Array,
    start: number,
    end: number,
    m: {
      readonly isWritten: boolean;
      readonly isWebSocket: boolean;
      readonly isTruncated: boolean;
      readonly tsUs: number;
    },
  ): void {
    const { counters } = this;
    counters.messages++;
    const isKnown = c.ipVersion !== 0;
    const [src, dst] = m.isWritten ? [c.local, c.remote] : [c.remote, c.local];
    const p = this.#packet;
    p.transport = m.isWebSocket ? TRANSPORT.WSS : TRANSPORT.TLS;
    p.ipVersion = c.ipVersion;
    p.isWeak = c.isWeak;
    p.addresses.set(isKnown ? src : NOWHERE, 0);
    p.addresses.set(isKnown ? dst : NOWHERE, 16);
    p.srcPort = isKnown ? (m.isWritten ? c.localPort : c.remotePort) : 0;
    p.dstPort = isKnown ? (m.isWritten ? c.remotePort : c.localPort) : 0;
    p.tsUs = m.tsUs;
    p.arrivedUs = m.tsUs;
    p.isSnapped = m.isTruncated;
    if (!this.#hooks.onMessage(bytes, start, end, p, m.isWritten, c.pid)) return;
    if (!isKnown) counters.unbound++;
    else if (c.isWeak) counters.weak++;
  }
}

function keyOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
