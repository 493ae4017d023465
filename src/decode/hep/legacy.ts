/**
 * HEP versions 1 and 2: C structures as their senders had them in memory.
 *
 *     version (1) | length (1) | family (1) | protocol (1) | source port (2) | destination port (2)
 *     source (4 or 16) | destination (4 or 16)
 *     version 2 only: seconds (4) | microseconds (4) | capture id (2) | padding (0 or 2)
 *
 * Ports are in network order; the time header is in the sender's, which is little-endian in practice.
 */
import type { HepFailure, HepPacket } from './packet.ts';
import { isPlausible } from './time.ts';

const BASE_BYTES = 8;
const FAMILY_4 = 2;
const FAMILY_6 = 10;
const TIME_PACKED = 10;
const TIME_PADDED = 12;
const DAY_US = 86_400_000_000;

/** Reads a version 1 or 2 datagram into `out`. Its payload is SIP; version 1 has no time. */
export function readLegacy(
  b: Uint8Array,
  start: number,
  end: number,
  out: HepPacket,
  arrivedUs: number,
): HepFailure | null {
  const version = b[start];
  if (end <= start || (version !== 1 && version !== 2)) return 'not_hep';
  if (end - start < BASE_BYTES) return 'short_header';
  const declared = b[start + 1] ?? 0;
  const family = b[start + 2];
  if (family !== FAMILY_4 && family !== FAMILY_6) return 'not_hep';
  const n = family === FAMILY_6 ? 16 : 4;
  const addressed = BASE_BYTES + 2 * n;
  const timeBytes = version === 2 ? timeHeaderBytes(b, start, end, declared, addressed) : 0;
  // The length field covers the addresses, and the time header when the sender counted it.
  if (declared !== addressed && declared !== addressed + timeBytes) return 'bad_length';
  const payloadAt = start + addressed + timeBytes;
  if (payloadAt > end) return 'truncated';
  const at = start + addressed;
  out.ipVersion = n === 16 ? 6 : 4;
  out.proto = b[start + 3] ?? 0;
  out.placeAddresses(start + BASE_BYTES, start + BASE_BYTES + n, n);
  out.srcPort = ((b[start + 4] ?? 0) << 8) | (b[start + 5] ?? 0);
  out.dstPort = ((b[start + 6] ?? 0) << 8) | (b[start + 7] ?? 0);
  out.protocolType = 1;
  if (version === 2) {
    out.takeTime(timeOf(b, at, arrivedUs), arrivedUs);
    out.agentId = ((b[at + 9] ?? 0) << 8) | (b[at + 8] ?? 0);
  }
  out.start = payloadAt;
  out.end = end;
  out.dropTerminator();
  return null;
}

/** 12 when the structure was padded, which the length field or two zero bytes before the payload tell; else 10. */
function timeHeaderBytes(b: Uint8Array, start: number, end: number, declared: number, addressed: number): number {
  if (declared === addressed + TIME_PADDED) return TIME_PADDED;
  if (declared === addressed + TIME_PACKED) return TIME_PACKED;
  const pad = start + addressed + TIME_PACKED;
  return pad + 2 <= end && b[pad] === 0 && b[pad + 1] === 0 ? TIME_PADDED : TIME_PACKED;
}

/** Microseconds since the epoch: little-endian, unless that cannot be and the other order says the day of the arrival. */
function timeOf(b: Uint8Array, at: number, arrivedUs: number): number {
  const little = (o: number): number =>
    (b[o] ?? 0) + (b[o + 1] ?? 0) * 256 + (b[o + 2] ?? 0) * 65_536 + (b[o + 3] ?? 0) * 16_777_216;
  const big = (o: number): number =>
    (b[o + 3] ?? 0) + (b[o + 2] ?? 0) * 256 + (b[o + 1] ?? 0) * 65_536 + (b[o] ?? 0) * 16_777_216;
  const read = (order: typeof little): number => order(at) * 1_000_000 + Math.min(order(at + 4), 999_999);
  const [told, swapped] = [read(little), read(big)];
  return isPlausible(told, arrivedUs) || !(Math.abs(swapped - arrivedUs) <= DAY_US) ? told : swapped;
}
