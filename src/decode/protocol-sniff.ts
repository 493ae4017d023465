/** What protocol bytes at the begin of a stream or a segment belong to (SIP, HTTP, RFC 6455, RFC 8446 §5.1). */

import type { DecodeCounters } from './counters.ts';
import type { TcpLimits } from './decode-limits.ts';
import { headersEnd, START, type Start, sipStart, skipKeepAlive } from './sip-framing.ts';
import { HTTP, isHttpPrefix, mayBeHandshake, readHandshake, type WebSocketSession } from './websocket/http-upgrade.ts';
import { compressedFrames, FRAME, FrameHeader, sipFrameStart } from './websocket/websocket.ts';

export const PROTOCOL = { UNKNOWN: 0, SIP: 1, WEBSOCKET: 2, TLS: 3, OTHER: 4 } as const;
export type Protocol = (typeof PROTOCOL)[keyof typeof PROTOCOL];

/** For looking ahead; holds nothing between calls. */
const ahead = new FrameHeader();

/** Whether a segment begins where a message, a handshake, a frame or a TLS record begins, as far as its bytes tell. */
export function startsStream(
  b: Uint8Array,
  start: number,
  end: number,
  session: WebSocketSession,
  maxFrameBytes: number,
): boolean {
  const at = skipKeepAlive(b, start, end);
  if (at === end || sipStart(b, at, end) === START.YES || mayBeHandshake(b, at, end)) return true;
  if (tlsStart(b, at, end) === START.YES) return true;
  if (session.isAccepted || session.isRequested) return ahead.read(b, at, end) === FRAME.OK;
  return sipFrameStart(b, at, end, maxFrameBytes) === START.YES;
}

/** Finds out what protocol begins at a boundary of one direction; asked again with more bytes while it says MAYBE. */
export class StreamStart {
  /** What begins there, after YES. */
  protocol: Protocol = PROTOCOL.UNKNOWN;
  /** End of the handshake that was read, 0 without one. */
  handshakeEnd = 0;
  readonly #session: WebSocketSession;
  readonly #limits: TcpLimits;
  readonly #counters: DecodeCounters;
  /** Names the direction to the session. */
  readonly #direction: object;
  #scanned = 0;

  constructor(session: WebSocketSession, limits: TcpLimits, counters: DecodeCounters, direction: object) {
    this.#session = session;
    this.#limits = limits;
    this.#counters = counters;
    this.#direction = direction;
  }

  /** The bytes asked about begin elsewhere from now on. */
  restart(): void {
    this.#scanned = 0;
  }

  read(b: Uint8Array, pos: number, end: number): Start {
    const sip = sipStart(b, pos, end);
    if (sip !== START.NO) return this.#is(PROTOCOL.SIP, sip);
    const tls = tlsStart(b, pos, end);
    if (tls !== START.NO) return this.#is(PROTOCOL.TLS, tls);
    const http = this.#http(b, pos, end);
    if (http !== START.NO) return http;
    const { isAccepted, isRequested } = this.#session;
    if ((isAccepted || isRequested) && ahead.read(b, pos, end) === FRAME.OK)
      return this.#is(PROTOCOL.WEBSOCKET, START.YES);
    const frame = sipFrameStart(b, pos, end, this.#limits.maxWebSocketMessageBytes);
    const isFrame = frame === START.YES || compressedFrames(b, pos, end);
    return this.#is(PROTOCOL.WEBSOCKET, isFrame ? START.YES : frame);
  }

  #is(protocol: Protocol, found: Start): Start {
    if (found === START.YES) this.protocol = protocol;
    return found;
  }

  #http(b: Uint8Array, pos: number, end: number): Start {
    if (!mayBeHandshake(b, pos, end)) return isHttpPrefix(b, pos, end) ? START.MAYBE : START.NO;
    const close = headersEnd(b, Math.max(pos, pos + this.#scanned - 3), end);
    this.#scanned = end - pos;
    if (close < 0) return end - pos > this.#limits.maxHandshakeBytes ? START.NO : START.MAYBE;
    this.#scanned = 0;
    const kind = readHandshake(b, pos, close, this.#session);
    if (kind === HTTP.NONE) return START.NO;
    if (kind === HTTP.REFUSED) this.#session.isRefused = true;
    if (kind === HTTP.OTHER || kind === HTTP.REFUSED) return this.#is(PROTOCOL.OTHER, START.YES);
    if (kind === HTTP.UPGRADE) this.#session.request(this.#direction);
    else {
      this.#session.accept(this.#direction);
      this.#counters.wsHandshakes++;
    }
    this.handshakeEnd = close;
    return this.#is(PROTOCOL.WEBSOCKET, START.YES);
  }
}

const TLS_MAJOR = 3;

/** A TLS record: type 20 to 23, version 3.0 to 3.4. */
function tlsStart(b: Uint8Array, at: number, end: number): Start {
  const type = b[at] ?? 0;
  if (type < 20 || type > 23) return START.NO;
  if (end - at < 3) return START.MAYBE;
  return b[at + 1] === TLS_MAJOR && (b[at + 2] ?? 255) <= 4 ? START.YES : START.NO;
}
