/**
 * HEP datagrams, version 3 (and its old name EEP3), 2 and 1: who sent what to whom, as a mirroring agent saw it.
 *
 *     HEP3:   'H' 'E' 'P' '3' | total length (2, header included) | chunks
 *     chunk:  vendor (2) | type (2) | length (2, these 6 bytes included) | payload
 *
 * Network order. Chunks come in any order; of a chunk that comes twice the first counts. Versions 1 and 2 are in
 * legacy.ts. A compressed payload is left as it is: who sent it is known only when all chunks were seen.
 */

import { copyBytes } from '../../sources/packet.ts';
import * as CHUNK from './chunks.ts';
import { readLegacy } from './legacy.ts';
import type { HepFailure, HepPacket } from './packet.ts';

/** Bytes of a text chunk that is read; longer ones are cut. @cap */
const MAX_HEP_TEXT_BYTES = 1_024;

/** True when bytes begin like HEP3 or EEP3. */
function isHep3(b: Uint8Array, start: number, end: number): boolean {
  if (end - start < 4) return false;
  const first = b[start];
  return (first === 0x48 || first === 0x45) && b[start + 1] === 0x45 && b[start + 2] === 0x50 && b[start + 3] === 0x33;
}

/**
 * Length of the HEP3 packet that begins at `start`, for framing it on a stream: 0 when more bytes are needed, -1
 * when no packet begins there.
 */
export function hep3Length(b: Uint8Array, start: number, end: number): number {
  if (end - start < CHUNK.HEADER_BYTES) return end - start >= 4 && !isHep3(b, start, end) ? -1 : 0;
  if (!isHep3(b, start, end)) return -1;
  const total = u16(b, start + 4);
  return total < CHUNK.HEADER_BYTES ? -1 : total;
}

/** Chunk types as bits of `seen`. */
const bit = (type: number): number => 1 << type;

/** Reads one datagram of any version, which came at `arrivedUs`, into `out`. Returns why it cannot be read, or null. */
export function readHep(
  b: Uint8Array,
  start: number,
  end: number,
  out: HepPacket,
  arrivedUs: number = Number.NEGATIVE_INFINITY,
): HepFailure | null {
  out.begin(b, start);
  if (!isHep3(b, start, end)) return readLegacy(b, start, end, out, arrivedUs);
  if (end - start < CHUNK.HEADER_BYTES) return 'short_header';
  const total = u16(b, start + 4);
  if (total < CHUNK.HEADER_BYTES) return 'bad_length';
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
  let compressedAt = -1;
  let compressedEnd = -1;
  for (let at = start + CHUNK.HEADER_BYTES; at < limit; ) {
    // A chunk header of 6 bytes, and a length that holds it and stays inside the packet.
    if (limit - at < CHUNK.CHUNK_HEADER_BYTES) return 'bad_chunk_length';
    const length = u16(b, at + 4);
    if (length < CHUNK.CHUNK_HEADER_BYTES || length > limit - at) return 'bad_chunk_length';
    const vendor = u16(b, at);
    const type = u16(b, at + 2);
    const p = at + CHUNK.CHUNK_HEADER_BYTES;
    const size = length - CHUNK.CHUNK_HEADER_BYTES;
    at += length;
    if (type > CHUNK.CORRELATION || vendor !== 0 || (seen & bit(type)) !== 0) continue;
    // A chunk of a size its type does not have is skipped, and does not keep a right one out.
    switch (type) {
      case CHUNK.FAMILY:
        if (size !== 1) continue;
        family = b[p] ?? 0;
        break;
      case CHUNK.PROTOCOL:
        if (size !== 1) continue;
        out.proto = b[p] ?? 0;
        break;
      case CHUNK.SRC4:
        if (size !== 4) continue;
        src4 = p;
        break;
      case CHUNK.DST4:
        if (size !== 4) continue;
        dst4 = p;
        break;
      case CHUNK.SRC6:
        if (size !== 16) continue;
        src6 = p;
        break;
      case CHUNK.DST6:
        if (size !== 16) continue;
        dst6 = p;
        break;
      case CHUNK.SRC_PORT:
        if (size !== 2) continue;
        out.srcPort = u16(b, p);
        break;
      case CHUNK.DST_PORT:
        if (size !== 2) continue;
        out.dstPort = u16(b, p);
        break;
      case CHUNK.SECONDS:
        if (size !== 4) continue;
        seconds = u16(b, p) * 65_536 + u16(b, p + 2);
        break;
      case CHUNK.MICROSECONDS:
        if (size !== 4) continue;
        micros = Math.min(u16(b, p) * 65_536 + u16(b, p + 2), 999_999);
        break;
      case CHUNK.TYPE:
        if (size !== 1) continue;
        out.protocolType = b[p] ?? 0;
        break;
      case CHUNK.AGENT:
        if (size !== 4) continue;
        out.agentId = u16(b, p) * 65_536 + u16(b, p + 2);
        break;
      case CHUNK.AUTH_KEY:
        out.authKey = copyBytes(b, p, p + size);
        break;
      case CHUNK.PAYLOAD:
        out.start = p;
        out.end = p + size;
        break;
      case CHUNK.COMPRESSED:
        compressedAt = p;
        compressedEnd = p + size;
        break;
      case CHUNK.CORRELATION:
        out.correlationAt = p;
        out.correlationEnd = p + Math.min(size, MAX_HEP_TEXT_BYTES);
        break;
      default:
        continue;
    }
    seen |= bit(type);
  }
  out.isCompressed = (seen & bit(CHUNK.PAYLOAD)) === 0 && compressedEnd > compressedAt;
  if (out.isCompressed) {
    out.start = compressedAt;
    out.end = compressedEnd;
  }
  if (out.protocolType === 1 && !out.isCompressed) out.dropTerminator();
  if (seconds >= 0) out.takeTime(seconds * 1_000_000 + micros, arrivedUs);
  // The version whose two addresses are there; the family decides only when both are, or none is complete.
  const four = (src4 < 0 ? 0 : 1) + (dst4 < 0 ? 0 : 1);
  const six = (src6 < 0 ? 0 : 1) + (dst6 < 0 ? 0 : 1);
  out.ipVersion = four !== six ? (four > six ? 4 : 6) : four === 0 ? 0 : family === 10 ? 6 : 4;
  if (out.ipVersion === 6) out.placeAddresses(src6, dst6, 16);
  else out.placeAddresses(src4, dst4, 4);
  return null;
}

function u16(b: Uint8Array, at: number): number {
  return ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
}
