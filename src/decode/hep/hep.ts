/**
 * HEP datagrams, version 3 (and its old name EEP3), 2 and 1: who sent what to whom, as a mirroring agent saw it.
 *
 *     HEP3:   'H' 'E' 'P' '3' | total length (2, header included) | chunks
 *     chunk:  vendor (2) | type (2) | length (2, these 6 bytes included) | payload
 *
 * Network order. Chunks come in any order; of a chunk that comes twice the first counts. Versions 1 and 2 are in
 * legacy.ts.
 */

import { copyBytes } from '../../core/byte-copy.ts';
import { MAX_HEP_TEXT_BYTES } from '../../core/item-limits.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import { CHUNK, CHUNK_HEADER_BYTES, HEADER_BYTES } from './chunks.ts';
import { parseHepLegacy } from './legacy.ts';
import type { HepFailure, HepPacket } from './packet.ts';

const CHUNK_TYPES = 0x40;
/** Payload size of a type that is skipped. */
const SKIPPED = 255;

/** Payload size by type; 0 is any. */
const SIZES = new Uint8Array(CHUNK_TYPES).fill(SKIPPED);
for (const [type, size] of [
  [CHUNK.FAMILY, 1],
  [CHUNK.PROTOCOL, 1],
  [CHUNK.SRC4, 4],
  [CHUNK.DST4, 4],
  [CHUNK.SRC6, 16],
  [CHUNK.DST6, 16],
  [CHUNK.SRC_PORT, 2],
  [CHUNK.DST_PORT, 2],
  [CHUNK.SECONDS, 4],
  [CHUNK.MICROSECONDS, 4],
  [CHUNK.TYPE, 1],
  [CHUNK.AGENT, 4],
  [CHUNK.KEEP_ALIVE, 2],
  [CHUNK.AUTH_KEY, 0],
  [CHUNK.PAYLOAD, 0],
  [CHUNK.COMPRESSED, 0],
  [CHUNK.CORRELATION, 0],
  [CHUNK.VLAN, 2],
  [CHUNK.NODE, 0],
  [CHUNK.TCP_FLAGS, 1],
  [CHUNK.TOS, 1],
  [CHUNK.MOS, 2],
  [CHUNK.R_FACTOR, 2],
  [CHUNK.JITTER, 4],
  [CHUNK.GROUP, 0],
] as const)
  SIZES[type] = size;

/** True when bytes begin like HEP3 or EEP3. */
export function isHep3(b: Uint8Array, start: number, end: number): boolean {
  if (end - start < 4) return false;
  const first = b[start];
  // "HEP3", or "EEP3" in its old name.
  return (first === 0x48 || first === 0x45) && b[start + 1] === 0x45 && b[start + 2] === 0x50 && b[start + 3] === 0x33;
}

/**
 * Length of the HEP3 packet that begins at `start`, for framing it on a stream: 0 when more bytes are needed, -1
 * when no packet begins there.
 */
export function hep3Length(b: Uint8Array, start: number, end: number): number {
  if (end - start < HEADER_BYTES) return end - start >= 4 && !isHep3(b, start, end) ? -1 : 0;
  if (!isHep3(b, start, end)) return -1;
  const total = uint(b, start + 4, 2);
  return total < HEADER_BYTES ? -1 : total;
}

/** Reads one datagram of any version. The packet refers to `b`. */
export function parseHep(b: Uint8Array, start: number, end: number): Result<HepPacket, HepFailure> {
  if (!isHep3(b, start, end)) return parseHepLegacy(b, start, end);
  if (end - start < HEADER_BYTES) return fail('short_header');
  const total = uint(b, start + 4, 2);
  if (total < HEADER_BYTES) return fail('bad_length');
  // The datagram may be longer than the packet says, never shorter.
  if (total > end - start) return fail('truncated');
  const limit = start + total;
  const found = chunks;
  found.reset();
  let at = start + HEADER_BYTES;
  while (at < limit) {
    // A chunk header of 6 bytes, and a length that holds it and stays inside the packet.
    if (limit - at < CHUNK_HEADER_BYTES) return fail('bad_chunk_length');
    const length = u16(b, at + 4);
    if (length < CHUNK_HEADER_BYTES || length > limit - at) return fail('bad_chunk_length');
    found.note(u16(b, at), u16(b, at + 2), at + CHUNK_HEADER_BYTES, length - CHUNK_HEADER_BYTES);
    at += length;
  }
  return packetOf(b, start, found);
}

/** Where the chunks of a packet are; the first of a type counts. */
class Chunks {
  readonly #at = new Int32Array(CHUNK_TYPES);
  readonly #length = new Int32Array(CHUNK_TYPES);
  skipped = 0;

  reset(): void {
    this.#at.fill(-1);
    this.#length.fill(0);
    this.skipped = 0;
  }

  note(vendor: number, type: number, at: number, length: number): void {
    const size = SIZES[type] ?? SKIPPED;
    if (vendor !== 0 || size === SKIPPED || (size !== 0 && size !== length)) this.skipped++;
    else if (this.at(type) < 0) {
      this.#at[type] = at;
      this.#length[type] = length;
    }
  }

  at(type: number): number {
    return this.#at[type] ?? -1;
  }

  length(type: number): number {
    return this.#length[type] ?? 0;
  }

  has(type: number): boolean {
    return this.at(type) >= 0;
  }

  number(b: Uint8Array, type: number): number | null {
    return this.has(type) ? uint(b, this.at(type), this.length(type)) : null;
  }

  text(b: Uint8Array, type: number): string | null {
    const at = this.at(type);
    if (at < 0) return null;
    let n = Math.min(this.length(type), MAX_HEP_TEXT_BYTES);
    while (n > 0 && b[at + n - 1] === 0) n--;
    return Buffer.from(b.buffer, b.byteOffset + at, n).toString('utf8');
  }
}

/** Reused by every call: parsing is synchronous, and its result keeps nothing of it. */
const chunks = new Chunks();

function packetOf(b: Uint8Array, origin: number, found: Chunks): Result<HepPacket, HepFailure> {
  const isCompressed = !found.has(CHUNK.PAYLOAD) && found.length(CHUNK.COMPRESSED) > 0;
  const type = isCompressed ? CHUNK.COMPRESSED : CHUNK.PAYLOAD;
  const start = found.has(type) ? found.at(type) : origin;
  let end = found.has(type) ? start + found.length(type) : origin;
  const protocolType = found.number(b, CHUNK.TYPE) ?? -1;
  // Some senders count the string's terminator.
  if (protocolType === 1 && !isCompressed) while (end > start && b[end - 1] === 0) end--;
  const ipVersion = ipVersionOf(b, found);
  const seconds = found.number(b, CHUNK.SECONDS);
  const micros = Math.min(found.number(b, CHUNK.MICROSECONDS) ?? 0, 999_999);
  const authAt = found.at(CHUNK.AUTH_KEY);
  return ok({
    version: 3,
    ipVersion,
    proto: found.number(b, CHUNK.PROTOCOL) ?? 0,
    src: addressOf(b, found, ipVersion, CHUNK.SRC4, CHUNK.SRC6),
    dst: addressOf(b, found, ipVersion, CHUNK.DST4, CHUNK.DST6),
    srcPort: found.number(b, CHUNK.SRC_PORT) ?? 0,
    dstPort: found.number(b, CHUNK.DST_PORT) ?? 0,
    tsUs: seconds === null ? null : seconds * 1_000_000 + micros,
    protocolType,
    agentId: found.number(b, CHUNK.AGENT),
    bytes: b,
    start,
    end,
    isCompressed,
    keepAliveSecs: found.number(b, CHUNK.KEEP_ALIVE),
    authKey: authAt < 0 ? null : copyBytes(b, authAt, authAt + found.length(CHUNK.AUTH_KEY)),
    correlationId: found.text(b, CHUNK.CORRELATION),
    nodeName: found.text(b, CHUNK.NODE),
    vlan: found.number(b, CHUNK.VLAN),
    tos: found.number(b, CHUNK.TOS),
    tcpFlags: found.number(b, CHUNK.TCP_FLAGS),
    reportedMos: found.number(b, CHUNK.MOS),
    reportedRFactor: found.number(b, CHUNK.R_FACTOR),
    reportedJitter: found.number(b, CHUNK.JITTER),
    groupId: found.text(b, CHUNK.GROUP),
    skippedChunks: found.skipped,
  });
}

/** The version whose two addresses are there; the family chunk decides only when both are or none is complete. */
function ipVersionOf(b: Uint8Array, found: Chunks): 0 | 4 | 6 {
  const four = Number(found.has(CHUNK.SRC4)) + Number(found.has(CHUNK.DST4));
  const six = Number(found.has(CHUNK.SRC6)) + Number(found.has(CHUNK.DST6));
  if (four !== six) return four > six ? 4 : 6;
  if (four === 0) return 0;
  return found.number(b, CHUNK.FAMILY) === 10 ? 6 : 4;
}

function addressOf(b: Uint8Array, found: Chunks, ipVersion: number, four: number, six: number): Uint8Array {
  const out = new Uint8Array(16);
  const at = found.at(ipVersion === 6 ? six : four);
  const n = ipVersion === 0 || at < 0 ? 0 : ipVersion === 6 ? 16 : 4;
  for (let i = 0; i < n; i++) out[i] = b[at + i] ?? 0;
  return out;
}

function u16(b: Uint8Array, at: number): number {
  return ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
}

/** Unsigned number of `bytes` (1 to 4) bytes in network order. */
function uint(b: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i++) value = value * 256 + (b[at + i] ?? 0);
  return value;
}
