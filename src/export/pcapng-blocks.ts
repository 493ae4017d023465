/**
 * Blocks of a pcapng file (draft-ietf-opsawg-pcapng) in a buffer that has room for them, little-endian, times in
 * nanoseconds: what native/output/pcap_encode.c writes for -O.
 */

export const SECTION_BYTES = 28;
export const INTERFACE_BYTES = 32;
/** Of a packet block, but for the frame. */
const PACKET_BYTES = 32;

const SECTION = 0x0a0d_0d0a;
const BYTE_ORDER = 0x1a2b_3c4d;
const INTERFACE = 1;
const PACKET = 6;
const SNAP_LENGTH = 262_144;

/** What a frame with this many bytes takes. */
export function packetBytes(length: number): number {
  return PACKET_BYTES + padded(length);
}

function padded(length: number): number {
  return (length + 3) & ~3;
}

/** | type | length | byte order | 1 | 0 | section length unknown | length |; returns where it ends. */
export function putSection(b: Buffer, start: number): number {
  let at = b.writeUInt32LE(SECTION, start);
  at = b.writeUInt32LE(SECTION_BYTES, at);
  at = b.writeUInt32LE(BYTE_ORDER, at);
  at = b.writeUInt16LE(1, at);
  at = b.writeUInt16LE(0, at);
  at = b.writeInt32LE(-1, at);
  at = b.writeInt32LE(-1, at);
  return b.writeUInt32LE(SECTION_BYTES, at);
}

/** | type | length | link type | 0 | snap length | if_tsresol 9 | end | length | */
export function putInterface(b: Buffer, start: number, linkType: number): number {
  let at = b.writeUInt32LE(INTERFACE, start);
  at = b.writeUInt32LE(INTERFACE_BYTES, at);
  at = b.writeUInt16LE(linkType & 0xffff, at);
  at = b.writeUInt16LE(0, at);
  at = b.writeUInt32LE(SNAP_LENGTH, at);
  at = b.writeUInt16LE(9, at);
  at = b.writeUInt16LE(1, at);
  at = b.writeUInt32LE(9, at);
  at = b.writeUInt32LE(0, at);
  return b.writeUInt32LE(INTERFACE_BYTES, at);
}

export type PacketTime = { readonly tsUs: number; readonly nanos: number };

/** | type | length | interface | time high | time low | captured | on the wire | frame, padded | length | */
export function putPacket(
  b: Buffer,
  start: number,
  interfaceId: number,
  { tsUs, nanos }: PacketTime,
  frame: { readonly bytes: Buffer; readonly start: number; readonly end: number; readonly wireLength: number },
): number {
  // The microseconds may be rounded into the next second.
  const seconds = Math.max(0, Math.round((tsUs - nanos / 1000) / 1e6));
  // seconds * 10^9 is beyond what a double counts exactly: 10^9 = 5^9 * 2^9.
  const top = seconds * 1_953_125;
  const low = (top % 0x80_0000) * 512 + nanos;
  const high = (Math.floor(top / 0x80_0000) + Math.floor(low / 0x1_0000_0000)) >>> 0;
  const bytes = frame.bytes.subarray(frame.start, frame.end);
  return putPacketAt(b, start, interfaceId, high, low % 0x1_0000_0000, bytes, frame.wireLength);
}

/** The same at a time in two words. */
export function putPacketAt(
  b: Buffer,
  start: number,
  interfaceId: number,
  high: number,
  low: number,
  frame: Uint8Array,
  wireLength: number,
): number {
  const length = packetBytes(frame.length);
  let at = b.writeUInt32LE(PACKET, start);
  at = b.writeUInt32LE(length, at);
  at = b.writeUInt32LE(interfaceId, at);
  at = b.writeUInt32LE(high, at);
  at = b.writeUInt32LE(low, at);
  at = b.writeUInt32LE(frame.length, at);
  at = b.writeUInt32LE(wireLength, at);
  b.set(frame, at);
  at += frame.length;
  while ((at & 3) !== (start & 3)) at = b.writeUInt8(0, at);
  return b.writeUInt32LE(length, at);
}

/** The whole blocks among the first `end` bytes, which begin with one: their bytes, and the frames in them. */
export function wholeBlocks(b: Buffer, end: number): { readonly length: number; readonly frames: number } {
  let length = 0;
  let frames = 0;
  while (length + 8 <= end && length + b.readUInt32LE(length + 4) <= end) {
    if (b.readUInt32LE(length) === PACKET) frames++;
    length += b.readUInt32LE(length + 4);
  }
  return { length, frames };
}
