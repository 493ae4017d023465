/**
 * Follows one direction of a TCP connection as a mirror sees it, packet by packet: its framer, and what a further piece is
 * to the message that is not whole. HEP tells no sequence numbers, so only the bytes say whether a piece is missing.
 */
import { asBuffer } from '../../core/byte-text.ts';
import type { Packet } from '../../sources/packet.ts';
import { emptyPacket, FrameMark } from '../../sources/packet.ts';
import { headersEnd, isKnownStart, MAX_START_LINE_BYTES, START, sipStart, skipKeepAlive } from '../sip-framing.ts';
import type { FramedTarget, FramerShared } from '../stream-framer.ts';
import { StreamFramer } from '../stream-framer.ts';
import { WebSocketSession } from '../websocket/http-upgrade.ts';
import { PieceOrder } from './order.ts';

/**
 * Bytes at the front of a message by HEP in which its Call-ID is looked for, to know that the other side answered it.
 *
 * @cap
 */
const MAX_HEP_ANSWERED_BYTES = 4_096;

/** A piece continues the message, begins another one, or came before: alone, or with more behind it. */
export const PIECE = { CONTINUES: 0, BREAKS: 1, COPY: 2, ANEW: 3 } as const;
export type Piece = (typeof PIECE)[keyof typeof PIECE];

/** Whether bytes are a message by themselves: surely, as far as a lenient reader sees, or not. */
export const WHOLE = { NO: 0, LIKELY: 1, SURE: 2 } as const;
export type Whole = (typeof WHOLE)[keyof typeof WHOLE];

/** So many bytes that are the last ones once more were sent again; fewer may be a number with equal digits. */
const COPY_BYTES = 32;
/** A request of a method that nobody knows. */
const ODD_REQUEST = /^[A-Z]+ (?:sips?|tel):/;
const ODD_BYTES = 64;
const CR = 13;
const LF = 10;

/** What the flows of one sender hold. */
export type HepShare = { readonly key: string; readonly flows: Set<HepFlow>; bytes: number };

/** Who mirrors, an agent at an address, and when a packet of it came. */
export type HepMirror = Readonly<Pick<Packet, 'addresses' | 'srcOff' | 'ipVersion' | 'tsUs'> & { agentId: number }>;

export class HepFlow {
  readonly hash: number;
  readonly share: HepShare;
  readonly framer: StreamFramer;
  /** Of the messages: whose, and the latest time of their pieces. */
  readonly packet: Packet;
  /** Where the message that is not whole begins. */
  readonly begin = new FrameMark();
  readonly order = new PieceOrder();
  /** The next message began in an earlier piece. */
  isJoining = false;
  /** Arrival of the newest piece. */
  lastUs = 0;
  /** What `share` was charged. */
  bytes = 0;
  /** Of these, early pieces. */
  earlyBytes = 0;
  readonly #mirror: Uint8Array;
  readonly #agentId: number;
  /** Where in the bytes held a start line may begin that is not whole; -1 nowhere. */
  #maybeAt = -1;

  constructor(hash: number, share: HepShare, c: Packet, mirror: HepMirror, shared: FramerShared, target: FramedTarget) {
    this.hash = hash;
    this.share = share;
    this.#mirror = mirror.addresses.slice(mirror.srcOff, mirror.srcOff + sizeOf(mirror.ipVersion));
    this.#agentId = mirror.agentId;
    const size = sizeOf(c.ipVersion);
    this.packet = { ...c, ...{ addresses: emptyPacket().addresses, srcOff: 0, dstOff: 16 } };
    this.packet.addresses.set(c.addresses.subarray(c.srcOff, c.srcOff + size), 0);
    this.packet.addresses.set(c.addresses.subarray(c.dstOff, c.dstOff + size), 16);
    this.framer = new StreamFramer(shared, new WebSocketSession(), target);
  }

  /** Whether a piece of `c` that this mirror sent is one of this flow. */
  isOf(c: Packet, mirror: HepMirror): boolean {
    const p = this.packet;
    if (p.srcPort !== c.srcPort || p.dstPort !== c.dstPort || p.ipVersion !== c.ipVersion) return false;
    if (p.transport !== c.transport || this.#agentId !== mirror.agentId) return false;
    const size = sizeOf(c.ipVersion);
    return (
      areEqual(p.addresses, 0, c.addresses, c.srcOff, size) &&
      areEqual(p.addresses, 16, c.addresses, c.dstOff, size) &&
      this.#mirror.length === sizeOf(mirror.ipVersion) &&
      areEqual(this.#mirror, 0, mirror.addresses, mirror.srcOff, this.#mirror.length)
    );
  }

  /** The times of a piece; a message has the latest. */
  takeTimes(c: Packet): void {
    const p = this.packet;
    p.arrivedUs = c.arrivedUs;
    if (c.tsUs < p.tsUs) return;
    p.tsUs = c.tsUs;
    p.toldUs = c.toldUs;
    p.clock = c.clock;
  }

  /** What a piece is to the message that is not whole. */
  judge(b: Uint8Array, start: number, end: number, whole: Whole): Piece {
    const { held, lacks } = this.framer;
    const size = end - start;
    if (held.length === 0) return PIECE.CONTINUES;
    if (size >= held.length && areEqual(held.bytes, 0, b, start, held.length)) return PIECE.ANEW;
    if (size >= COPY_BYTES && size < held.length && areEqual(held.bytes, held.length - size, b, start, size))
      return PIECE.COPY;
    if (lacks > 0 && size > lacks && !mayBegin(b, start + lacks, end)) return PIECE.BREAKS;
    const begins = this.#begins(b, start, end, whole) || this.#beginsWithin(b, start, end);
    return begins && !this.#bodyIsSip(b, start, end) ? PIECE.BREAKS : PIECE.CONTINUES;
  }

  /** Whether another message begins. A method that nobody knows may be the end of a longer one, in a start line that came in pieces. */
  #begins(b: Uint8Array, start: number, end: number, whole: Whole): boolean {
    if (sipStart(b, start, end) !== START.YES) return false;
    if (isKnownStart(b, start, end)) return true;
    const { held, lacks } = this.framer;
    if (lacks === 0 && held.bytes.subarray(0, held.length).indexOf(LF) < 0) return false;
    const isLine = lacks === 0 && held.bytes[held.length - 1] === LF;
    return isLine || whole === WHOLE.SURE || ODD_REQUEST.test(asBuffer(b).toString('latin1', start, start + ODD_BYTES));
  }

  /** Whether another message begins at a line of the piece that would be one of the headers, or of the body. */
  #beginsWithin(b: Uint8Array, start: number, end: number): boolean {
    const { held, lacks } = this.framer;
    const limit = lacks > 0 ? Math.min(end, start + lacks) : end;
    // Two line ends in a row end the headers, the first of which may have come before.
    let isEmpty = endsLine(held.bytes, held.length);
    for (let at = start; at < limit; ) {
      const eol = b.indexOf(LF, at);
      if (eol < 0 || eol >= limit - 1) return false;
      isEmpty &&= eol === at || (eol === at + 1 && b[at] === CR);
      if (lacks === 0 && isEmpty) return false;
      if (isKnownStart(b, eol + 1, end)) return true;
      at = eol + 1;
      isEmpty = true;
    }
    return false;
  }

  /** A body may be a message, or hold one. */
  #bodyIsSip(b: Uint8Array, start: number, end: number): boolean {
    const { held, lacks } = this.framer;
    return lacks > 0 && (namesSipBody(held.bytes, 0, held.length) || namesSipBody(b, start, end));
  }

  /** Whether these bytes are no part of anything: no message waits for them, and none begins in them. */
  isOrphan(b: Uint8Array, start: number, end: number): boolean {
    if (this.framer.hasPartial || mayBegin(b, start, end) || this.framer.isStart(b, start, end)) return false;
    for (let at = b.indexOf(LF, start); at >= 0 && at < end; at = b.indexOf(LF, at + 1))
      if (sipStart(b, at + 1, end) !== START.NO && at + 1 < end) return false;
    return true;
  }

  /** Whether all headers of a message are held, these bytes near its front, and nothing of its body. Asked for each message of the other side. */
  isBodiless(bytes: Uint8Array): boolean {
    const { bytes: held, length } = this.framer.held;
    const isEnd = headersEnd(held, Math.max(0, length - 4), length) === length;
    return (
      this.framer.lacks > 0 &&
      isEnd &&
      asBuffer(held).subarray(0, Math.min(length, MAX_HEP_ANSWERED_BYTES)).includes(asBuffer(bytes))
    );
  }

  /** Whether the piece of the message that was seen at this time is this one. */
  hasPiece(toldUs: number, b: Uint8Array, start: number, end: number): boolean {
    const { length } = this.framer.held;
    const at = length > 0 && end - start >= COPY_BYTES ? this.order.sameAs(toldUs) : -1;
    return at >= 0 && at + end - start <= length && areEqual(this.framer.held.bytes, at, b, start, end - start);
  }

  /** The bytes held, with a late piece in its place. */
  withPiece(at: number, b: Uint8Array, start: number, end: number): Uint8Array {
    const { bytes, length } = this.framer.held;
    return Buffer.concat([bytes.subarray(0, at), b.subarray(start, end), bytes.subarray(at, length)]);
  }

  /**
   * Where in the bytes held another message began, which only further bytes show: its start line came in pieces, behind
   * one that is missing. -1 where nothing tells. To be asked with each piece that continues.
   */
  beganAt(b: Uint8Array, start: number, end: number): number {
    const { held } = this.framer;
    const before = this.#maybeAt;
    this.#maybeAt = -1;
    if (before > 0 && before < held.length) {
      const line = Buffer.concat([
        held.bytes.subarray(before, held.length),
        b.subarray(start, Math.min(end, start + MAX_START_LINE_BYTES)),
      ]);
      if (isKnownStart(line, 0, line.length)) return this.#bodyIsSip(b, start, end) ? -1 : before;
      if (sipStart(line, 0, line.length) === START.MAYBE) this.#maybeAt = before;
    }
    if (this.#maybeAt < 0 && sipStart(b, start, end) === START.MAYBE) this.#maybeAt = held.length;
    return -1;
  }
}

/** Whether the last byte is that of a line end: CR or LF behind LF counts. */
function endsLine(b: Uint8Array, length: number): boolean {
  return b[length - 1] === LF || (b[length - 1] === CR && b[length - 2] === LF);
}

function namesSipBody(b: Uint8Array, start: number, end: number): boolean {
  return /message\/sip/i.test(asBuffer(b).toString('latin1', start, end));
}

/** Whether a message may begin there, behind what keeps a flow open. */
export function mayBegin(b: Uint8Array, start: number, end: number): boolean {
  const at = skipKeepAlive(b, start, end);
  return at === end || sipStart(b, at, end) !== START.NO;
}

export function sizeOf(ipVersion: number): number {
  return ipVersion === 6 ? 16 : 4;
}

function areEqual(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, size: number): boolean {
  for (let i = 0; i < size; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}
