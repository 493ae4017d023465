/**
 * HEP versions 1 and 2: C structures as their senders had them in memory.
 *
 *     version (1) | length (1) | family (1) | protocol (1) | source port (2) | destination port (2)
 *     source (4 or 16) | destination (4 or 16)
 *     version 2 only: seconds (4) | microseconds (4) | capture id (2) | padding (0 or 2)
 *
 * Ports are in network order; the time header is in the sender's, which is little-endian in practice.
 */
import { fail, ok, type Result } from '../../core/result.ts';
import type { HepFailure, HepPacket } from './packet.ts';

const BASE_BYTES = 8;
const FAMILY_4 = 2;
const FAMILY_6 = 10;
const TIME_PACKED = 10;
const TIME_PADDED = 12;
/** Seconds that are believed: the years 2000 to 2100. */
const EARLIEST = 946_684_800;
const LATEST = 4_102_444_800;

/** Reads a version 1 or 2 datagram. Its payload is SIP; version 1 tells no time. */
export function parseHepLegacy(b: Uint8Array, start: number, end: number): Result<HepPacket, HepFailure> {
  const version = b[start];
  if (end <= start || (version !== 1 && version !== 2)) return fail('not_hep');
  if (end - start < BASE_BYTES) return fail('short_header');
  const declared = b[start + 1] ?? 0;
  const family = b[start + 2];
  if (family !== FAMILY_4 && family !== FAMILY_6) return fail('not_hep');
  const n = family === FAMILY_6 ? 16 : 4;
  const addressed = BASE_BYTES + 2 * n;
  const timeBytes = version === 2 ? timeHeaderBytes(b, start, end, declared, addressed) : 0;
  // The length field covers the addresses, and the time header when the sender counted it.
  if (declared !== addressed && declared !== addressed + timeBytes) return fail('bad_length');
  const payloadAt = start + addressed + timeBytes;
  if (payloadAt > end) return fail('truncated');
  const src = new Uint8Array(16);
  const dst = new Uint8Array(16);
  src.set(b.subarray(start + BASE_BYTES, start + BASE_BYTES + n));
  dst.set(b.subarray(start + BASE_BYTES + n, start + addressed));
  const at = start + addressed;
  let stop = end;
  while (stop > payloadAt && b[stop - 1] === 0) stop--;
  return ok({
    version,
    ipVersion: n === 16 ? 6 : 4,
    proto: b[start + 3] ?? 0,
    src,
    dst,
    srcPort: ((b[start + 4] ?? 0) << 8) | (b[start + 5] ?? 0),
    dstPort: ((b[start + 6] ?? 0) << 8) | (b[start + 7] ?? 0),
    tsUs: version === 2 ? timeOf(b, at) : null,
    protocolType: 1,
    agentId: version === 2 ? ((b[at + 9] ?? 0) << 8) | (b[at + 8] ?? 0) : null,
    bytes: b,
    start: payloadAt,
    end: stop,
    isCompressed: false,
    keepAliveSecs: null,
    authKey: null,
    correlationId: null,
    nodeName: null,
    vlan: null,
    tos: null,
    tcpFlags: null,
    reportedMos: null,
    reportedRFactor: null,
    reportedJitter: null,
    groupId: null,
    skippedChunks: 0,
  });
}

/** 12 when the structure was padded, which the length field or two zero bytes before the payload tell; else 10. */
function timeHeaderBytes(b: Uint8Array, start: number, end: number, declared: number, addressed: number): number {
  if (declared === addressed + TIME_PADDED) return TIME_PADDED;
  if (declared === addressed + TIME_PACKED) return TIME_PACKED;
  const pad = start + addressed + TIME_PACKED;
  return pad + 2 <= end && b[pad] === 0 && b[pad + 1] === 0 ? TIME_PADDED : TIME_PACKED;
}

/** Microseconds since the epoch, or null when neither byte order gives a believable second. */
function timeOf(b: Uint8Array, at: number): number | null {
  const little = (o: number): number =>
    (b[o] ?? 0) + (b[o + 1] ?? 0) * 256 + (b[o + 2] ?? 0) * 65_536 + (b[o + 3] ?? 0) * 16_777_216;
  const big = (o: number): number =>
    (b[o + 3] ?? 0) + (b[o + 2] ?? 0) * 256 + (b[o + 1] ?? 0) * 65_536 + (b[o] ?? 0) * 16_777_216;
  for (const read of [little, big]) {
    const seconds = read(at);
    if (seconds >= EARLIEST && seconds < LATEST) return seconds * 1_000_000 + Math.min(read(at + 4), 999_999);
  }
  return null;
}
