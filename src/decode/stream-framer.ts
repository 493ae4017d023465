/**
 * What protocol one direction of a TCP connection speaks, and where its messages begin and end.
 *
 * Fed with in-order bytes; bytes handed on are valid during the call only. SIP framing: RFC 3261 §18.3; WebSocket:
 * RFC 6455, RFC 7118; TLS is known by its record header (RFC 8446 §5.1).
 */
import { FrameMark, type InFrame } from '../sources/packet.ts';
import { type ByteBudget, ByteBuffer } from './byte-buffer.ts';
import type { DecodeCounters } from './counters.ts';
import type { TcpLimits } from './decode-limits.ts';
import { HeldFrames } from './held-frames.ts';
import { PROTOCOL, type Protocol, StreamStart, startsStream } from './protocol-sniff.ts';
import {
  bodyWithoutLength,
  type ContentLength,
  headersEnd,
  START,
  type Start,
  sipStart,
  skipKeepAlive,
} from './sip-framing.ts';
import { mayBeHandshake, type WebSocketSession } from './websocket/http-upgrade.ts';
import type { SharedInflation } from './websocket/permessage-deflate.ts';
import { areFrames, FRAME, sipFrameStart, WebSocketReceiver } from './websocket/websocket.ts';

/** What all directions share. */
export type FramerShared = {
  readonly counters: DecodeCounters;
  readonly limits: TcpLimits;
  readonly budget: ByteBudget;
  readonly inflation: SharedInflation;
  readonly contentLength: ContentLength;
  readonly keepsFrames?: boolean;
};

/** A complete message; `begin` is the segment it began in. */
export type FramedTarget = (
  b: Uint8Array,
  start: number,
  end: number,
  isWebSocket: boolean,
  begin: InFrame,
  isTruncated: boolean,
) => void;

/** `need` while a boundary is awaited, and while the end of the headers is. */
const AT_BOUNDARY = 0;
const IN_HEADERS = -1;

export class StreamFramer {
  protocol: Protocol = PROTOCOL.UNKNOWN;
  /** What came of a message that is not whole. */
  readonly held: ByteBuffer;
  readonly #shared: FramerShared;
  readonly #session: WebSocketSession;
  readonly #target: FramedTarget;
  readonly #heldMark = new FrameMark();
  readonly #heldFrames: HeldFrames | null;
  #mark: InFrame;
  /** Bytes at the front of what is being read that came with earlier segments. */
  #oldBytes = 0;
  readonly #begin: StreamStart;
  #need = AT_BOUNDARY;
  #scanned = 0;
  #skip = 0;
  /** The next boundary is searched for; what stands at it is not the next byte. */
  #isLost = false;
  /** A step changed the state without taking bytes. */
  #movedOn = false;
  #ignoredRun = 0;
  #webSocket: WebSocketReceiver | null = null;

  constructor(shared: FramerShared, session: WebSocketSession, target: FramedTarget) {
    this.#shared = shared;
    this.#session = session;
    this.#target = target;
    this.held = new ByteBuffer(shared.budget);
    this.#heldFrames = shared.keepsFrames === true ? new HeldFrames(shared.counters) : null;
    this.#begin = new StreamStart(session, shared.limits, shared.counters, this);
    this.#mark = this.#heldMark;
  }

  get hasPartial(): boolean {
    return this.held.length > 0 || this.#webSocket?.hasPartial === true;
  }

  /** Bytes that this message lacks; 0 while its headers are not whole. */
  get lacks(): number {
    return this.#need > 0 ? this.#need - this.held.length : 0;
  }

  /** Nothing is read from this direction: TLS, or a protocol that is not ours. */
  get isIgnored(): boolean {
    return this.protocol === PROTOCOL.TLS || this.protocol === PROTOCOL.OTHER;
  }

  /** Takes the next bytes of the stream. */
  feed(b: Uint8Array, start: number, end: number, mark: InFrame): void {
    this.#mark = mark;
    if (this.held.length === 0) {
      this.#oldBytes = 0;
      const rest = this.#consume(b, start, end);
      if (rest < end) {
        this.held.append(b, rest, end);
        this.#heldMark.copy(mark);
        this.#heldFrames?.restart(end - rest, mark);
      }
      return;
    }
    const old = this.held.length;
    this.#oldBytes = old;
    this.held.append(b, start, end);
    const rest = this.#consume(this.held.bytes, 0, this.held.length);
    if (rest >= old) this.#heldMark.copy(mark);
    this.#heldFrames?.keep(rest, this.held.length - rest, mark);
    this.held.dropFront(rest);
  }

  /** `bytes` of the stream will never come. A message whose headers are complete is handed out as far as it goes. */
  gap(bytes: number, mark: InFrame): void {
    if (this.isIgnored) return;
    const within = Math.min(this.#skip, bytes);
    this.#skip -= within;
    const missing = bytes - within;
    if (within > 0 && missing === 0) return;
    this.#mark = mark;
    const held = this.held.length;
    if (this.protocol === PROTOCOL.WEBSOCKET) this.#webSocketGap(missing);
    else if (this.#need > 0) {
      const left = this.#need - held;
      this.#shared.counters.tcpMessagesTruncated++;
      this.#emit(this.held.bytes, 0, held, false, this.#beginOf(0, held, held), true);
      this.held.clear();
      this.#need = AT_BOUNDARY;
      if (missing <= left) this.#skip = left - missing;
      else this.#lose();
    } else {
      this.#ignore(held);
      this.held.clear();
      this.#need = AT_BOUNDARY;
      this.#lose();
    }
  }

  /** Gives up what is held, because the stream ended or does not continue. Says whether that cut a message. */
  abandon(): boolean {
    const had = this.hasPartial;
    let left = this.held.length;
    if (this.#webSocket !== null) left += this.#webSocket.close();
    this.#shared.counters.tcpBytesIgnored += left;
    this.held.clear();
    this.#need = AT_BOUNDARY;
    this.#skip = 0;
    this.#scanned = 0;
    this.#begin.restart();
    this.#isLost = true;
    return had;
  }

  /** The next byte fed is somewhere in a stream that was joined late: a boundary is searched for. */
  joinLate(): void {
    if (!this.isIgnored) this.#lose();
  }

  /** A client's request for WebSocket ended in front of the next byte; who saw it did not hand it over. */
  upgradeRequested(): void {
    this.#session.request(this);
    this.#becomeWebSocket(true);
  }

  /** A segment of an ignored direction: looks at its first bytes only, and reads on when a message begins there. */
  revive(b: Uint8Array, start: number, end: number): boolean {
    if (this.protocol !== PROTOCOL.OTHER) return false;
    const at = skipKeepAlive(b, start, end);
    const isHandshake = mayBeHandshake(b, at, end) && headersEnd(b, at, end) > 0;
    if (!isHandshake && !this.isStart(b, at, end)) return false;
    this.protocol = PROTOCOL.UNKNOWN;
    this.#ignoredRun = 0;
    this.#isLost = false;
    return true;
  }

  /** Whether a segment seen first on a connection joined late begins at a boundary. */
  isStart(b: Uint8Array, start: number, end: number): boolean {
    return startsStream(b, start, end, this.#session, this.#shared.limits.maxWebSocketMessageBytes);
  }

  /** Reads what can be read; returns where the unread rest begins. */
  #consume(b: Uint8Array, start: number, end: number): number {
    let pos = start;
    while (pos < end) {
      if (this.#skip > 0) {
        const n = Math.min(this.#skip, end - pos);
        this.#skip -= n;
        pos += n;
        this.#shared.counters.tcpBytesIgnored += n;
        continue;
      }
      const before = pos;
      const protocol = this.protocol;
      if (protocol === PROTOCOL.SIP) pos = this.#isLost ? this.#seek(b, pos, end) : this.#sip(b, pos, end);
      else if (protocol === PROTOCOL.UNKNOWN) pos = this.#isLost ? this.#seek(b, pos, end) : this.#detect(b, pos, end);
      else if (protocol === PROTOCOL.WEBSOCKET) pos = this.#frames(b, pos, end);
      else {
        if (protocol === PROTOCOL.TLS) this.#shared.counters.encryptedBytes += end - pos;
        else this.#shared.counters.tcpBytesIgnored += end - pos;
        return end;
      }
      // No progress and nothing learned: more bytes are needed.
      if (pos === before && this.protocol === protocol && this.#skip === 0 && !this.#movedOn) break;
      this.#movedOn = false;
    }
    return pos;
  }

  /** A boundary of a direction whose protocol is not known yet. */
  #detect(b: Uint8Array, from: number, end: number): number {
    const pos = this.#keepAlive(b, from, end);
    if (pos === end) return end;
    const found = this.#protocolAt(b, pos, end);
    if (found === START.NO) this.#lose();
    // Keep-alive bytes were taken; the rest waits for more bytes unless something was decided.
    else if (found === START.YES) this.#movedOn = true;
    return found === START.YES && this.#begin.handshakeEnd > 0 ? this.#takeHandshake(pos) : pos;
  }

  #takeHandshake(pos: number): number {
    const end = this.#begin.handshakeEnd;
    this.#begin.handshakeEnd = 0;
    this.#shared.counters.wsOverheadBytes += end - pos;
    return end;
  }

  /** Decides the protocol by what stands at `pos`, or says that more bytes are needed. */
  #protocolAt(b: Uint8Array, pos: number, end: number): Start {
    const found = this.#begin.read(b, pos, end);
    if (found !== START.YES) return found;
    if (this.#begin.protocol === PROTOCOL.WEBSOCKET) this.#becomeWebSocket(this.#begin.handshakeEnd > 0);
    else this.protocol = this.#begin.protocol;
    return found;
  }

  #becomeWebSocket(sawAll: boolean): void {
    this.protocol = PROTOCOL.WEBSOCKET;
    this.#isLost = false;
    this.#need = AT_BOUNDARY;
    this.#webSocket?.close();
    this.#webSocket = new WebSocketReceiver(this.#session, sawAll, this.#shared, (b, start, end, begin) =>
      this.#webSocketMessage(b, start, end, begin),
    );
  }

  /** Messages of a direction known to carry SIP. */
  #sip(b: Uint8Array, from: number, end: number): number {
    const { counters, limits } = this.#shared;
    let pos = from;
    for (;;) {
      if (this.#need === AT_BOUNDARY) {
        pos = this.#keepAlive(b, pos, end);
        if (pos === end) return end;
        const found = sipStart(b, pos, end);
        if (found === START.MAYBE) return pos;
        if (found === START.NO) {
          this.#lose();
          return pos;
        }
        this.#need = IN_HEADERS;
        this.#scanned = 0;
      }
      if (this.#need === IN_HEADERS) {
        const close = headersEnd(b, Math.max(pos, pos + this.#scanned - 3), end);
        if (close < 0 && end - pos <= limits.maxHeaderBytes) {
          this.#scanned = end - pos;
          return pos;
        }
        const header = close < 0 ? limits.maxHeaderBytes + 1 : close - pos;
        let body = close < 0 ? 0 : this.#shared.contentLength(b, pos, close);
        if (body < 0) {
          counters.sipWithoutContentLength++;
          body = bodyWithoutLength(b, close, Math.min(end, close + limits.maxBodyBytes));
        }
        if (header > limits.maxHeaderBytes || body > limits.maxBodyBytes) {
          counters.tcpMessageTooLong++;
          this.#need = AT_BOUNDARY;
          const passed = Math.min(header, end - pos);
          this.#ignore(passed);
          this.#lose();
          return pos + passed;
        }
        this.#need = header + body;
      }
      const next = pos + this.#need;
      if (next > end) return pos;
      this.#need = AT_BOUNDARY;
      this.#emit(b, pos, next, false, this.#beginOf(pos, next), false);
      pos = next;
      if (pos === end) return end;
    }
  }

  /** Looks for the next boundary: at the first byte given, and after every line end. Counts what it passes. */
  #seek(b: Uint8Array, from: number, end: number): number {
    let pos = from;
    for (let isSegment = true; ; isSegment = false) {
      const at = skipKeepAlive(b, pos, end);
      this.#ignore(at - pos);
      pos = at;
      if (this.isIgnored || pos === end) return pos;
      // Handshakes, TLS and frames are looked for only where a segment begins.
      const found = isSegment ? this.#protocolAt(b, pos, end) : sipStart(b, pos, end);
      if (found === START.MAYBE) return pos;
      if (found === START.YES) {
        if (!isSegment) this.protocol = PROTOCOL.SIP;
        this.#isLost = false;
        this.#movedOn = true;
        return this.#begin.handshakeEnd > 0 ? this.#takeHandshake(pos) : pos;
      }
      this.#begin.restart();
      // Bytes of earlier segments that might have begun something did not: this segment may begin a message.
      if (pos < this.#oldBytes && sipStart(b, this.#oldBytes, end) !== START.NO) {
        this.#ignore(this.#oldBytes - pos);
        pos = this.#oldBytes;
        continue;
      }
      let eol = pos;
      while (eol < end && b[eol] !== 10) eol++;
      const next = Math.min(eol + 1, end);
      this.#ignore(next - pos);
      pos = next;
      if (this.isIgnored || pos === end) return pos;
    }
  }

  #frames(b: Uint8Array, from: number, end: number): number {
    const { counters, limits } = this.#shared;
    const receiver = this.#webSocket;
    if (receiver === null) return end;
    if (this.#session.isRefused && !this.#session.isAccepted) {
      this.#session.isRequested = false;
      receiver.close();
      this.#webSocket = null;
      this.protocol = PROTOCOL.UNKNOWN;
      return from;
    }
    let pos = from;
    while (pos < end) {
      if (this.#isLost) {
        // Only the begin of a segment is a likely frame boundary.
        const isBoundary =
          areFrames(b, pos, end) || sipFrameStart(b, pos, end, limits.maxWebSocketMessageBytes) === START.YES;
        if (!isBoundary) {
          this.#ignore(end - pos);
          return end;
        }
        this.#isLost = false;
      }
      const status = receiver.peek(b, pos, end);
      if (status === FRAME.SHORT) return pos;
      if (status === FRAME.BAD) {
        counters.wsBadFrames++;
        receiver.lost();
        this.#ignore(end - pos);
        this.#lose();
        return end;
      }
      const bytes = receiver.frameBytes;
      if (receiver.isTooLong) {
        receiver.tooLong();
        this.#skip = bytes;
        return pos;
      }
      if (bytes > end - pos) return pos;
      this.#heldFrames?.collect(pos, pos + bytes, this.#oldBytes, this.#mark, !receiver.hasPartial);
      receiver.frame(b, pos, pos < this.#oldBytes ? this.#heldMark : this.#mark, this.#mark.tsUs);
      pos += bytes;
    }
    return pos;
  }

  #webSocketGap(missing: number): void {
    const receiver = this.#webSocket;
    const held = this.held.length;
    if (receiver === null) return;
    const isInFrame = held > 0 && receiver.peek(this.held.bytes, 0, held) === FRAME.OK;
    const left = isInFrame ? receiver.frameBytes - held : -1;
    receiver.lost();
    this.#ignore(held);
    this.held.clear();
    if (missing <= left) this.#skip = left - missing;
    else this.#lose();
  }

  /** False for a message that is neither SIP nor a keep-alive. */
  #webSocketMessage(b: Uint8Array, start: number, end: number, begin: InFrame): boolean {
    const { counters } = this.#shared;
    const at = skipKeepAlive(b, start, end);
    counters.tcpKeepAliveBytes += at - start;
    if (at === end) return true;
    if (sipStart(b, at, end) === START.YES) this.#session.carriesSip = true;
    else if (!this.#session.isSip) {
      counters.wsOtherMessages++;
      counters.wsOtherBytes += end - at;
      return false;
    }
    // The frame ends the message (RFC 7118 §5); Content-Length, when given, tells bytes that trail it.
    const close = headersEnd(b, at, end);
    const body = close < 0 ? -1 : this.#shared.contentLength(b, at, close);
    const stop = body >= 0 && close + body < end ? close + body : end;
    counters.tcpBytesIgnored += end - stop;
    counters.wsMessages++;
    this.#emit(b, at, stop, true, this.#heldFrames?.ofMessage(begin) ?? begin, false);
    return true;
  }

  #emit(b: Uint8Array, start: number, end: number, isWebSocket: boolean, begin: InFrame, isTruncated: boolean): void {
    this.#ignoredRun = 0;
    if (!isWebSocket) this.#shared.counters.sipMessages++;
    this.#target(b, start, end, isWebSocket, begin, isTruncated);
  }

  #beginOf(pos: number, end: number, old = this.#oldBytes): InFrame {
    const begin = pos < old ? this.#heldMark : this.#mark;
    return this.#heldFrames?.of(begin, pos, end, old, this.#mark) ?? begin;
  }

  #keepAlive(b: Uint8Array, from: number, end: number): number {
    const pos = skipKeepAlive(b, from, end);
    this.#shared.counters.tcpKeepAliveBytes += pos - from;
    return pos;
  }

  #lose(): void {
    this.#shared.counters.tcpResyncs++;
    this.#scanned = 0;
    this.#begin.restart();
    this.#isLost = true;
    this.#movedOn = true;
  }

  #ignore(bytes: number): void {
    this.#shared.counters.tcpBytesIgnored += bytes;
    this.#ignoredRun += bytes;
    if (this.#ignoredRun > this.#shared.limits.maxUnknownBytes) {
      this.#webSocket?.close();
      this.#webSocket = null;
      this.protocol = PROTOCOL.OTHER;
    }
  }
}
