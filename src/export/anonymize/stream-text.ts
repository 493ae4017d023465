/**
 * What one direction of a connection says, piece by piece: SIP messages (RFC 3261 §18.3), keep-alives, a WebSocket handshake and
 * the frames after it. What is none of them is left out; inside a stream of SIP it is replaced whole.
 */
import {
  bodyWithoutLength,
  headersEnd,
  MAX_START_LINE_BYTES,
  START,
  sipStart,
  skipKeepAlive,
} from '../../decode/sip-framing.ts';
import { HTTP, mayBeHandshake, readHandshake, type WebSocketSession } from '../../decode/websocket/http-upgrade.ts';
import { sipFrameStart } from '../../decode/websocket/websocket.ts';
import { contentLength } from '../../protocols/sip/scanner/scan.ts';
import { cleanHandshake } from './handshake.ts';
import type { Taken, TcpShared } from './tcp-shared.ts';
import { NOT_YET } from './tcp-shared.ts';
import type { LeftOutReason } from './token.ts';
import { WebSocketText } from './web-socket-text.ts';

/** Headers of a message on a stream. @cap */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_MESSAGE_BYTES = 512 * 1024;

const LF = 10;

type Mode = 'unknown' | 'sip' | 'websocket' | 'other';

export class StreamText {
  readonly #shared: TcpShared;
  readonly #session: WebSocketSession;
  #mode: Mode = 'unknown';
  #webSocket: WebSocketText | null = null;
  /** Of the message that waits: bytes without the end of its headers, and how many it has in all. */
  #scanned = 0;
  #needs = 0;

  constructor(shared: TcpShared, session: WebSocketSession) {
    this.#shared = shared;
    this.#session = session;
  }

  /** Whether a stream that is joined late may begin with these bytes. */
  begins(b: Buffer): boolean {
    const at = skipKeepAlive(b, 0, b.length);
    if (sipStart(b, at, b.length) !== START.NO) return true;
    return mayBeHandshake(b, at, b.length) || sipFrameStart(b, 0, b.length, MAX_MESSAGE_BYTES) === START.YES;
  }

  /** A stream that was of something else may carry SIP from here on. */
  segmentBegins(b: Buffer): void {
    if (this.#mode === 'other' && this.begins(b)) this.#mode = 'unknown';
  }

  /** Bytes are missing in front of the next. */
  lose(): void {
    this.#scanned = 0;
    this.#needs = 0;
    this.#webSocket?.lose();
  }

  next(b: Buffer): Taken {
    if (b.length < this.#needs) return NOT_YET;
    if (this.#mode === 'other') return { taken: b.length, bytes: null, reason: null };
    // The other direction may have said so.
    if (this.#webSocket !== null) return this.#webSocket.next(b);
    const at = skipKeepAlive(b, 0, b.length);
    if (at > 0) return { taken: at, bytes: Buffer.from(b.subarray(0, at)), reason: null };
    const start = sipStart(b, 0, b.length);
    if (start === START.YES) return this.#message(b);
    if (start === START.MAYBE && b.length < MAX_START_LINE_BYTES) return NOT_YET;
    if (mayBeHandshake(b, 0, b.length)) return this.#handshake(b);
    if (sipFrameStart(b, 0, b.length, MAX_MESSAGE_BYTES) === START.YES) {
      this.#webSocket = new WebSocketText(this.#shared, this.#session, false);
      return this.#webSocket.next(b);
    }
    return this.#mode === 'sip' ? this.#passLine(b) : this.#leave(b, isTls(b) ? 'tls' : 'tcp_content');
  }

  #message(b: Buffer): Taken {
    this.#mode = 'sip';
    const headers = headersEnd(b, Math.max(0, this.#scanned - 3), b.length);
    if (headers < 0 && b.length > MAX_HEADER_BYTES) return this.#passLine(b);
    this.#scanned = headers < 0 ? b.length : Math.max(0, headers - 4);
    if (headers < 0) return NOT_YET;
    const said = contentLength(b, 0, headers);
    const body = said < 0 ? bodyWithoutLength(b, headers, b.length) : said;
    const length = headers + body;
    if (length > MAX_MESSAGE_BYTES) return this.#passLine(b);
    this.#needs = length > b.length ? length : 0;
    if (length > b.length) return NOT_YET;
    this.#scanned = 0;
    return { taken: length, bytes: this.#shared.contents.sip(Buffer.from(b.subarray(0, length))), reason: null };
  }

  #handshake(b: Buffer): Taken {
    const end = headersEnd(b, 0, b.length);
    if (end < 0) return b.length > MAX_HEADER_BYTES ? this.#leave(b, 'tcp_content') : NOT_YET;
    const kind = readHandshake(b, 0, end, this.#session);
    if (kind !== HTTP.UPGRADE && kind !== HTTP.SWITCHED) return this.#leave(b, 'tcp_content');
    if (kind === HTTP.UPGRADE) this.#session.request(this);
    else this.#session.accept(this);
    this.#webSocket = new WebSocketText(this.#shared, this.#session, true);
    return { taken: end, bytes: cleanHandshake(b.subarray(0, end)), reason: null };
  }

  /** Up to the next line that may begin a message. */
  #passLine(b: Buffer): Taken {
    this.#scanned = 0;
    this.#needs = 0;
    const feed = b.indexOf(LF);
    const taken = feed < 0 ? b.length : feed + 1;
    return { taken, bytes: this.#shared.contents.filler(b.subarray(0, taken)), reason: null };
  }

  #leave(b: Buffer, reason: LeftOutReason): Taken {
    this.#mode = 'other';
    return { taken: b.length, bytes: null, reason };
  }
}

/** | type 20 to 23 | 3 | 0 to 4 |   RFC 8446 §5.1 */
function isTls(b: Buffer): boolean {
  const type = b[0] ?? 0;
  return type >= 20 && type <= 23 && b[1] === 3 && (b[2] ?? 9) <= 4;
}
