/**
 * One TLS connection as its plaintext comes by: two directions in stream order, the address as far as it is known, and
 * the messages that wait for it.
 */

import type { InFrame, Packet } from '../../sources/packet.ts';
import { PROTOCOL } from '../protocol-sniff.ts';
import type { FramedTarget, FramerShared } from '../stream-framer.ts';
import { StreamFramer } from '../stream-framer.ts';
import { WebSocketSession } from '../websocket/http-upgrade.ts';

/** A message that was framed before the address was known. */
export type HeldMessage = {
  readonly bytes: Uint8Array;
  readonly isWritten: boolean;
  readonly isWebSocket: boolean;
  readonly isTruncated: boolean;
  readonly tsUs: number;
};

/** Where the bytes of one direction have got to. */
class TlsDirection {
  readonly framer: StreamFramer;
  /** Stream offset that comes next; -1 before the first byte. */
  next = -1;
  /** Time of what is fed now; never runs backwards. */
  clockUs = 0;

  constructor(shared: FramerShared, session: WebSocketSession, target: FramedTarget) {
    this.framer = new StreamFramer(shared, session, target);
  }

  upgradeRequested(offset: number): void {
    this.next = offset;
    this.framer.upgradeRequested();
  }

  /** Takes [start, end) at `offset`; returns the bytes that are missing in front of them, 0 mostly. */
  feed(offset: number, b: Uint8Array, start: number, end: number, mark: InFrame): number {
    if (mark.tsUs > this.clockUs) this.clockUs = mark.tsUs;
    // What came before the first byte was not SIP, or was before the probe: it is not missing.
    if (this.next < 0) this.next = offset;
    const missing = Math.max(0, offset - this.next);
    if (missing > 0) this.framer.gap(missing, mark);
    // Bytes that were there already: never from a sound source, and never read twice.
    const known = Math.min(Math.max(0, this.next - offset), end - start);
    this.next = Math.max(this.next, offset + end - start);
    if (start + known >= end) return missing;
    if (!this.framer.isIgnored || this.framer.revive(b, start + known, end))
      this.framer.feed(b, start + known, end, mark);
    return missing;
  }
}

export class TlsConnection {
  readonly key: bigint;
  readonly idLow: number;
  readonly idHigh: number;
  /** The process that was seen last with it. */
  pid: number;
  /** In memory that several processes share: it outlives each of them. */
  isShared = false;
  readonly session = new WebSocketSession();
  /** What the observed process wrote, and what it read. */
  readonly written: TlsDirection;
  readonly read: TlsDirection;
  /** 4 or 6; 0 while the address is not known. */
  ipVersion = 0;
  /** The address is likely, not proven. */
  isWeak = false;
  readonly local = new Uint8Array(16);
  readonly remote = new Uint8Array(16);
  localPort = 0;
  remotePort = 0;
  lastUs = 0;
  /** When it took its place among the others. */
  placedUs = 0;
  /** Framed messages in order, waiting for the address. */
  held: HeldMessage[] = [];
  isVerdictGiven = false;
  /** Messages handed out, of any kind of framing. */
  messages = 0;

  constructor(
    key: bigint,
    idLow: number,
    idHigh: number,
    pid: number,
    shared: FramerShared,
    target: (connection: TlsConnection, isWritten: boolean) => FramedTarget,
  ) {
    this.key = key;
    this.idLow = idLow;
    this.idHigh = idHigh;
    this.pid = pid;
    this.written = new TlsDirection(shared, this.session, target(this, true));
    this.read = new TlsDirection(shared, this.session, target(this, false));
  }

  get hasPartial(): boolean {
    return this.written.framer.hasPartial || this.read.framer.hasPartial;
  }

  /** Takes the addresses of `p`; `local` is the observed process's end. */
  setAddress(p: Packet, localAt: number, remoteAt: number, localPort: number, remotePort: number): void {
    this.ipVersion = p.ipVersion;
    this.isWeak = p.isWeak;
    copy(p.addresses, localAt, this.local);
    copy(p.addresses, remoteAt, this.remote);
    this.localPort = localPort;
    this.remotePort = remotePort;
  }

  /** Gives up partial messages; how many directions that cut one off in. */
  abandon(): number {
    return Number(this.written.framer.abandon()) + Number(this.read.framer.abandon());
  }

  /**
   * Whether a connection that began with a WebSocket request carries SIP: true, false, or null while nothing tells.
   * The agreed subprotocol decides (RFC 7118 §4), or a message that came first.
   */
  get verdict(): boolean | null {
    const { session } = this;
    if (this.messages > 0) return true;
    if (session.isAccepted) return session.isSip;
    if (session.isRefused) return false;
    const isOther = (d: TlsDirection): boolean => d.framer.protocol === PROTOCOL.OTHER;
    return isOther(this.written) || isOther(this.read) ? false : null;
  }
}

function copy(from: Uint8Array, at: number, to: Uint8Array): void {
  for (let i = 0; i < 16; i++) to[i] = from[at + i] ?? 0;
}
