/** What protocol bytes at the begin of a stream or a segment belong to (SIP, HTTP, RFC 6455, RFC 8446 §5.1). */

import { START, type Start, sipStart, skipKeepAlive } from './sip-framing.ts';
import { mayBeHandshake, type WebSocketSession } from './websocket/http-upgrade.ts';
import { FRAME, FrameHeader, sipFrameStart } from './websocket/websocket.ts';

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

const TLS_MAJOR = 3;

/** A TLS record: type 20 to 23, version 3.0 to 3.4. */
export function tlsStart(b: Uint8Array, at: number, end: number): Start {
  const type = b[at] ?? 0;
  if (type < 20 || type > 23) return START.NO;
  if (end - at < 3) return START.MAYBE;
  return b[at + 1] === TLS_MAJOR && (b[at + 2] ?? 255) <= 4 ? START.YES : START.NO;
}

/** Whether the bytes end inside what an HTTP response begins with. */
export function isHttpPrefix(b: Uint8Array, at: number, end: number): boolean {
  const text = 'HTTP/1.';
  if (end - at >= text.length) return false;
  for (let i = at; i < end && i - at < text.length; i++) if (b[i] !== text.charCodeAt(i - at)) return false;
  return true;
}
