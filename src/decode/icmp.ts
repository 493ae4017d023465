/**
 * Reads an ICMP error and the datagram it quotes (RFC 792, RFC 4443; RFC 4884 for quotes with extensions behind them).
 *
 *   | type | code | checksum | length of the quote, in words, or 0 | ... |
 *   | IP header of the datagram that failed | as much of its contents as the reporter gave |
 *
 * The quote is a prefix of what was sent: it is read as far as it goes, and what is missing is said to be.
 */
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';

/** Extension headers in the datagram that an ICMP error quotes. @cap */
const MAX_ICMP_EXTENSIONS = 8;

export type IcmpError = {
  readonly type: number;
  readonly code: number;
  readonly ipVersion: 4 | 6;
  /** Addresses of the quoted datagram, as offsets into the bytes given. */
  readonly srcOff: number;
  readonly dstOff: number;
  readonly protocol: number;
  /** -1 when the quote ends before them, or the datagram was a later fragment. */
  readonly srcPort: number;
  readonly dstPort: number;
  /** What the quote holds of the transport payload; empty when it ends before it. */
  readonly payloadStart: number;
  readonly payloadEnd: number;
  /** The quote is shorter than the datagram was. */
  readonly isTruncated: boolean;
};

export const ICMP_REASONS = ['short', 'not_error', 'quote_short', 'quote_bad'] as const;
export type IcmpReason = (typeof ICMP_REASONS)[number];

export const PROTOCOL_TCP = 6;
export const PROTOCOL_UDP = 17;

const ICMP_HEADER = 8;
const FRAGMENT_HEADER = 44;
/** Hop-by-hop, routing and destination options: headers whose second byte is their length. */
const OPTION_HEADERS = new Set([0, 43, 60]);

/** The error at bytes[start..end), which begins with its type; `version` is that of the packet that carried it. */
export function parseIcmpError(
  bytes: Uint8Array,
  start: number,
  end: number,
  version: number,
): Result<IcmpError, IcmpReason> {
  // The header is eight bytes, the quote begins behind it.
  if (end - start < ICMP_HEADER) return fail('short');
  const type = bytes[start] ?? 0;
  const isError = version === 6 ? type >= 1 && type <= 4 : type === 3 || type === 11 || type === 12;
  if (!isError) return fail('not_error');
  const code = bytes[start + 1] ?? 0;
  const quoteEnd = Math.min(end, start + ICMP_HEADER + quotedBytes(bytes, start, type, version));
  return version === 6
    ? quotedIpv6(bytes, start + ICMP_HEADER, quoteEnd, type, code)
    : quotedIpv4(bytes, start + ICMP_HEADER, quoteEnd, type, code);
}

/** RFC 4884 section 4: a length field where extensions follow the quote, in words of 32 or 64 bits; 0 without them. */
function quotedBytes(b: Uint8Array, start: number, type: number, version: number): number {
  const length = version === 6 ? (type === 1 || type === 3 ? (b[start + 4] ?? 0) * 8 : 0) : (b[start + 5] ?? 0) * 4;
  return length === 0 ? Number.POSITIVE_INFINITY : length;
}

function quotedIpv4(b: Uint8Array, at: number, end: number, type: number, code: number): Result<IcmpError, IcmpReason> {
  // The IPv4 header is 20 bytes at least.
  if (end - at < 20) return fail('quote_short');
  const header = ((b[at] ?? 0) & 15) * 4;
  if ((b[at] ?? 0) >> 4 !== 4 || header < 20) return fail('quote_bad');
  const total = be16(b, at + 2);
  if (total < header) return fail('quote_bad');
  const isLater = (be16(b, at + 6) & 0x1fff) !== 0;
  const facts = { type, code, ipVersion: 4 as const, srcOff: at + 12, dstOff: at + 16, protocol: b[at + 9] ?? 0 };
  return ok(withTransport(b, facts, at + header, Math.min(end, at + total), isLater, at + total > end));
}

function quotedIpv6(b: Uint8Array, at: number, end: number, type: number, code: number): Result<IcmpError, IcmpReason> {
  // The IPv6 header is 40 bytes.
  if (end - at < 40) return fail('quote_short');
  if ((b[at] ?? 0) >> 4 !== 6) return fail('quote_bad');
  const total = 40 + be16(b, at + 4);
  const limit = Math.min(end, at + total);
  let protocol = b[at + 6] ?? 0;
  let next = at + 40;
  let isLater = false;
  for (let i = 0; i < MAX_ICMP_EXTENSIONS; i++) {
    const isFragment = protocol === FRAGMENT_HEADER;
    // An extension header is eight bytes at least.
    if ((!isFragment && !OPTION_HEADERS.has(protocol)) || limit - next < 8) break;
    if (isFragment) isLater ||= (be16(b, next + 2) & 0xfff8) !== 0;
    protocol = b[next] ?? 0;
    next += isFragment ? 8 : 8 + (b[next + 1] ?? 0) * 8;
  }
  const facts = { type, code, ipVersion: 6 as const, srcOff: at + 8, dstOff: at + 24, protocol };
  return ok(withTransport(b, facts, next, limit, isLater, at + total > end));
}

type Network = Pick<IcmpError, 'type' | 'code' | 'ipVersion' | 'srcOff' | 'dstOff' | 'protocol'>;

function withTransport(
  b: Uint8Array,
  facts: Network,
  at: number,
  end: number,
  isLater: boolean,
  isTruncated: boolean,
): IcmpError {
  const hasPorts = !isLater && (facts.protocol === PROTOCOL_UDP || facts.protocol === PROTOCOL_TCP) && end - at >= 4;
  const { type, code, ipVersion, srcOff, dstOff, protocol } = facts;
  // UDP has eight bytes of header, TCP says how many it has in its thirteenth.
  const header = facts.protocol === PROTOCOL_UDP ? 8 : end - at > 12 ? ((b[at + 12] ?? 0) >> 4) * 4 : end - at;
  const srcPort = hasPorts ? be16(b, at) : -1;
  const dstPort = hasPorts ? be16(b, at + 2) : -1;
  const payloadStart = hasPorts ? Math.min(end, at + header) : end;
  // Spelled out: an object that begins with a spread costs microseconds and a hidden class, and errors come in floods.
  return {
    type,
    code,
    ipVersion,
    srcOff,
    dstOff,
    protocol,
    srcPort,
    dstPort,
    payloadStart,
    payloadEnd: end,
    isTruncated,
  };
}

function be16(b: Uint8Array, at: number): number {
  return ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
}

const IPV4_UNREACHABLE: readonly string[] = [
  'network unreachable',
  'host unreachable',
  'protocol unreachable',
  'port unreachable',
  'fragmentation needed',
  'source route failed',
  'network unknown',
  'host unknown',
  'source host isolated',
  'network administratively prohibited',
  'host administratively prohibited',
  'network unreachable for this type of service',
  'host unreachable for this type of service',
  'communication administratively prohibited',
  'host precedence violation',
  'precedence cutoff in effect',
];

const IPV6_UNREACHABLE: readonly string[] = [
  'no route to the destination',
  'communication administratively prohibited',
  'beyond the scope of the source address',
  'address unreachable',
  'port unreachable',
  'source address refused by policy',
  'route rejected',
];

/** What type and code mean, in a few words (RFC 792, RFC 1122, RFC 1812, RFC 4443). */
export function icmpDescription(version: number, type: number, code: number): string {
  const unknown = `ICMP type ${type}, code ${code}`;
  if (version === 6) {
    if (type === 1) return IPV6_UNREACHABLE[code] ?? unknown;
    if (type === 2) return 'packet too big';
    if (type === 3) return code === 1 ? 'fragments not reassembled in time' : 'hop limit exceeded';
    return 'header not understood';
  }
  if (type === 3) return IPV4_UNREACHABLE[code] ?? unknown;
  if (type === 11) return code === 1 ? 'fragments not reassembled in time' : 'time to live exceeded';
  return 'header not understood';
}
