/** The HTTP/1.1 handshake that turns a connection into WebSocket (RFC 6455 §4, RFC 7118 §5). */
import { type DeflateParameters, deflateParameters } from './permessage-deflate.ts';

/** What both directions of a connection know about its WebSocket handshake. */
export class WebSocketSession {
  /** The client's request was seen. */
  isRequested = false;
  /** The server's 101 was seen; only then the extensions are known. */
  isAccepted = false;
  /** The server answered with something else. */
  isRefused = false;
  /** Subprotocol `sip` was agreed: every message is meant to be SIP. */
  isSip = false;
  /** A message of either direction was SIP, whatever was agreed; and how many compressed ones were something else. */
  carriesSip = false;
  otherCompressed = 0;
  deflate: DeflateParameters | null = null;
  /** The directions that the request and the 101 came from: nobody agrees with himself. */
  requester: object | null = null;
  accepter: object | null = null;

  /** A request for WebSocket came from that direction. */
  request(from: object): void {
    this.isRequested = true;
    this.isRefused = false;
    this.requester = from;
  }

  /** That direction brought the 101. */
  accept(from: object): void {
    this.isAccepted = true;
    this.accepter = from;
  }

  /** Request and answer were seen, one in each direction: only then something was agreed. */
  get isAgreed(): boolean {
    return this.requester !== null && this.accepter !== null && this.requester !== this.accepter;
  }
}

export const HTTP = { NONE: 0, UPGRADE: 1, SWITCHED: 2, REFUSED: 3, OTHER: 4 } as const;
export type HttpKind = (typeof HTTP)[keyof typeof HTTP];

const GET = [71, 69, 84, 32];
const STATUS = [72, 84, 84, 80, 47, 49, 46];

function startsWith(b: Uint8Array, at: number, end: number, prefix: readonly number[]): boolean {
  if (end - at < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (b[at + i] !== prefix[i]) return false;
  return true;
}

/** Whether the bytes end inside what an HTTP response begins with. */
export function isHttpPrefix(b: Uint8Array, at: number, end: number): boolean {
  return end - at < STATUS.length && startsWith(b, at, end, STATUS.slice(0, end - at));
}

/** Whether bytes begin like an HTTP/1.x response or a GET request, whose header block is then worth waiting for. */
export function mayBeHandshake(b: Uint8Array, at: number, end: number): boolean {
  return startsWith(b, at, end, GET) || startsWith(b, at, end, STATUS);
}

/** Reads the complete header block [at, end) and notes in `session` what it agrees. */
export function readHandshake(b: Uint8Array, at: number, end: number, session: WebSocketSession): HttpKind {
  const lines = Buffer.from(b.buffer, b.byteOffset + at, end - at)
    .toString('latin1')
    .split('\n');
  const first = lines[0] ?? '';
  const isResponse = startsWith(b, at, end, STATUS);
  if (!isResponse && !/ HTTP\/1\.\d\r?$/.test(first)) return HTTP.NONE;
  if (isResponse && !/^HTTP\/1\.\d 101[ \r]?/.test(first)) {
    // 1xx answers come before the final one and decide nothing.
    if (/^HTTP\/1\.\d 1/.test(first)) return HTTP.OTHER;
    return session.isRequested && !session.isAccepted ? HTTP.REFUSED : HTTP.OTHER;
  }
  if (!values(lines, 'upgrade').some((v) => v.toLowerCase() === 'websocket')) return HTTP.OTHER;
  if (!isResponse) return HTTP.UPGRADE;
  session.isSip = values(lines, 'sec-websocket-protocol').some((v) => v.toLowerCase() === 'sip');
  session.deflate = deflateParameters(values(lines, 'sec-websocket-extensions').join(','));
  return HTTP.SWITCHED;
}

/** Comma-separated values of every header of that (lower-case) name. */
function values(lines: readonly string[], name: string): string[] {
  const out: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 0 || line.slice(0, colon).trim().toLowerCase() !== name) continue;
    for (const value of line.slice(colon + 1).split(',')) out.push(value.trim());
  }
  return out;
}
