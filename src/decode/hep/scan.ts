/**
 * The hot path of HEP: what a mirrored message needs of its packet, into a reused object, in one walk over the chunks.
 *
 * Says what parseHep says of the same bytes (hep.ts draws the format); only what is rare goes through it: versions 1 and
 * 2. A compressed payload is left as it is: who sent it is known only when all chunks were seen.
 */
import { copyBytes } from '../../core/byte-copy.ts';
import { isHep3, parseHep } from './hep.ts';
import type { HepFailure } from './packet.ts';

const HEADER_BYTES = 6;

/** Reused result. Offsets are into `bytes` for the payload and into `addresses` for the addresses. */
export class HepScan {
  /** 4 or 6 by the address chunks present; 0 when there are none. */
  ipVersion: 0 | 4 | 6 = 0;
  /** IP protocol number, 0 when it was not told. */
  proto = 0;
  /** Holder of both addresses, IPv4 in 4 bytes. */
  addresses: Uint8Array = ZEROS;
  srcAt = 0;
  dstAt = 0;
  srcPort = 0;
  dstPort = 0;
  /** Microseconds since the epoch; NaN when the packet does not tell. */
  tsUs = Number.NaN;
  /** Capture agent, 0 when it was not told. */
  agentId = 0;
  /** 1 SIP, 5 RTCP as JSON and so on; -1 when it was not told. */
  protocolType = -1;
  bytes: Uint8Array = ZEROS;
  start = 0;
  end = 0;
  /** The payload is to be inflated. */
  isCompressed = false;
  /** The authentication key; null when there is none. */
  authKey: Uint8Array | null = null;
}

const ZEROS = new Uint8Array(32);

/** Chunk types as bits of `seen`; a chunk that comes again is not looked at. */
const bit = (type: number): number => 1 << type;

/** Reads one datagram into `out`. Returns why it cannot be read, or null. */
export function scanHep(b: Uint8Array, start: number, end: number, out: HepScan): HepFailure | null {
  if (!isHep3(b, start, end)) return copyOf(b, start, end, out);
  if (end - start < HEADER_BYTES) return 'short_header';
  const total = u16(b, start + 4);
  if (total < HEADER_BYTES) return 'bad_length';
  // The datagram may be longer than the packet says, never shorter.
  if (total > end - start) return 'truncated';
  const limit = start + total;
  let seen = 0;
  let family = 0;
  let src4 = -1;
  let dst4 = -1;
  let src6 = -1;
  let dst6 = -1;
  let seconds = -1;
  let micros = 0;
  let authAt = -1;
  let authEnd = -1;
  let payloadAt = -1;
  let payloadEnd = -1;
  let compressedAt = -1;
  let compressedEnd = -1;
  out.proto = 0;
  out.srcPort = 0;
  out.dstPort = 0;
  out.agentId = 0;
  out.protocolType = -1;
  out.authKey = null;
  for (let at = start + HEADER_BYTES; at < limit; ) {
    // A chunk header of 6 bytes, and a length that holds it and stays inside the packet.
    if (limit - at < 6) return 'bad_chunk_length';
    const length = u16(b, at + 4);
    if (length < 6 || length > limit - at) return 'bad_chunk_length';
    const type = u16(b, at + 2);
    const p = at + 6;
    const size = length - 6;
    at += length;
    if (type > 0x10 || (b[p - 6] ?? 0) !== 0 || (b[p - 5] ?? 0) !== 0 || (seen & bit(type)) !== 0) continue;
    // A chunk of a size its type does not have is skipped, and does not keep a right one out.
    switch (type) {
      case 0x01:
        if (size !== 1) continue;
        family = b[p] ?? 0;
        break;
      case 0x02:
        if (size !== 1) continue;
        out.proto = b[p] ?? 0;
        break;
      case 0x03:
        if (size !== 4) continue;
        src4 = p;
        break;
      case 0x04:
        if (size !== 4) continue;
        dst4 = p;
        break;
      case 0x05:
        if (size !== 16) continue;
        src6 = p;
        break;
      case 0x06:
        if (size !== 16) continue;
        dst6 = p;
        break;
      case 0x07:
        if (size !== 2) continue;
        out.srcPort = u16(b, p);
        break;
      case 0x08:
        if (size !== 2) continue;
        out.dstPort = u16(b, p);
        break;
      case 0x09:
        if (size !== 4) continue;
        seconds = u16(b, p) * 65_536 + u16(b, p + 2);
        break;
      case 0x0a:
        if (size !== 4) continue;
        micros = Math.min(u16(b, p) * 65_536 + u16(b, p + 2), 999_999);
        break;
      case 0x0b:
        if (size !== 1) continue;
        out.protocolType = b[p] ?? 0;
        break;
      case 0x0c:
        if (size !== 4) continue;
        out.agentId = u16(b, p) * 65_536 + u16(b, p + 2);
        break;
      case 0x0e:
        authAt = p;
        authEnd = p + size;
        break;
      case 0x0f:
        payloadAt = p;
        payloadEnd = p + size;
        break;
      case 0x10:
        compressedAt = p;
        compressedEnd = p + size;
        break;
      default:
        continue;
    }
    seen |= bit(type);
  }
  out.isCompressed = payloadAt < 0 && compressedEnd > compressedAt;
  if (out.isCompressed) {
    payloadAt = compressedAt;
    payloadEnd = compressedEnd;
  }
  out.bytes = b;
  out.start = payloadAt < 0 ? start : payloadAt;
  out.end = payloadAt < 0 ? start : payloadEnd;
  // Some senders count the string's terminator.
  if (out.protocolType === 1 && !out.isCompressed) while (out.end > out.start && b[out.end - 1] === 0) out.end--;
  out.tsUs = seconds < 0 ? Number.NaN : seconds * 1_000_000 + micros;
  if (authAt >= 0) out.authKey = copyBytes(b, authAt, authEnd);
  // The version whose two addresses are there; the family decides only when both are, or none is complete.
  const four = (src4 < 0 ? 0 : 1) + (dst4 < 0 ? 0 : 1);
  const six = (src6 < 0 ? 0 : 1) + (dst6 < 0 ? 0 : 1);
  out.ipVersion = four !== six ? (four > six ? 4 : 6) : four === 0 ? 0 : family === 10 ? 6 : 4;
  const is6 = out.ipVersion === 6;
  placeAddresses(b, is6 ? src6 : src4, is6 ? dst6 : dst4, is6 ? 16 : 4, out);
  return null;
}

/** Addresses stay where they are, unless one is missing: it is all zeros then. */
function placeAddresses(b: Uint8Array, srcAt: number, dstAt: number, size: number, out: HepScan): void {
  if (srcAt >= 0 && dstAt >= 0) {
    out.addresses = b;
    out.srcAt = srcAt;
    out.dstAt = dstAt;
    return;
  }
  out.addresses = new Uint8Array(32);
  out.srcAt = 0;
  out.dstAt = 16;
  if (srcAt >= 0) out.addresses.set(b.subarray(srcAt, srcAt + size), 0);
  if (dstAt >= 0) out.addresses.set(b.subarray(dstAt, dstAt + size), 16);
}

/** The same from the general parser. */
function copyOf(b: Uint8Array, start: number, end: number, out: HepScan): HepFailure | null {
  const parsed = parseHep(b, start, end);
  if (!parsed.ok) return parsed.reason;
  const p = parsed.value;
  out.ipVersion = p.ipVersion;
  out.proto = p.proto;
  out.addresses = new Uint8Array(32);
  out.addresses.set(p.src, 0);
  out.addresses.set(p.dst, 16);
  out.srcAt = 0;
  out.dstAt = 16;
  out.srcPort = p.srcPort;
  out.dstPort = p.dstPort;
  out.tsUs = p.tsUs ?? Number.NaN;
  out.agentId = p.agentId ?? 0;
  out.protocolType = p.protocolType;
  out.bytes = p.bytes;
  out.start = p.start;
  out.end = p.end;
  out.isCompressed = p.isCompressed;
  out.authKey = p.authKey;
  return null;
}

function u16(b: Uint8Array, at: number): number {
  return ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
}
