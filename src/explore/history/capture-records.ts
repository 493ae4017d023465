/**
 * The records of a capture file, pcap or pcapng of either byte order, found from a place where one begins: where each frame stands, and
 * what else a reader of the records must know (sections, interfaces). Records are copied as they are.
 */

/** Of a frame with all that its record has around it. */
export type RecordPlace = {
  readonly start: number;
  readonly end: number;
  /** Where the bytes of the frame stand; both 0 of a block that has no frame. */
  readonly frameStart: number;
  readonly frameEnd: number;
  /** Of pcapng: the number of its interface. */
  readonly interfaceId: number;
  readonly kind: 'frame' | 'interface' | 'section' | 'other';
};

export type CaptureFormat = {
  readonly isNg: boolean;
  readonly isLittle: boolean;
  /** Bytes before the first record: the header of a pcap, the section header of a pcapng. */
  readonly headBytes: number;
};

export const HEAD_BYTES = 64;

/** Bytes of a record of a capture: a reader that is lost stops at a longer one. @cap */
const RECORD_BYTES = 16 * 1024 * 1024;

const SECTION = 0x0a0d_0d0a;
const INTERFACE = 1;
const SIMPLE_PACKET = 3;
const PACKET = 6;
const BYTE_ORDER = 0x1a2b_3c4d;
const PCAP_MAGIC = new Set([0xa1b2_c3d4, 0xa1b2_3c4d]);
const PCAP_HEAD = 24;
const PCAP_RECORD = 16;

/** Null where the first bytes of a file are no head of a capture, as of a compressed one. */
export function readFormat(head: Buffer): CaptureFormat | null {
  if (head.length < PCAP_HEAD) return null;
  const little = head.readUInt32LE(0);
  if (little === SECTION) {
    const isLittle = head.readUInt32LE(8) === BYTE_ORDER;
    if (!isLittle && head.readUInt32BE(8) !== BYTE_ORDER) return null;
    const headBytes = isLittle ? head.readUInt32LE(4) : head.readUInt32BE(4);
    return headBytes >= 28 && headBytes <= RECORD_BYTES ? { isNg: true, isLittle, headBytes } : null;
  }
  const isLittle = PCAP_MAGIC.has(little);
  return isLittle || PCAP_MAGIC.has(head.readUInt32BE(0)) ? { isNg: false, isLittle, headBytes: PCAP_HEAD } : null;
}

const NO_RECORD = 'no record';
export type Lost = typeof NO_RECORD;

/** The record that begins at `start`; null where it goes beyond `end`, or text where none begins there. */
export function recordAt(b: Buffer, start: number, end: number, format: CaptureFormat): RecordPlace | null | Lost {
  return format.isNg ? blockAt(b, start, end, format.isLittle) : packetAt(b, start, end, format.isLittle);
}

function packetAt(b: Buffer, start: number, end: number, isLittle: boolean): RecordPlace | null | Lost {
  if (start + PCAP_RECORD > end) return null;
  const captured = isLittle ? b.readUInt32LE(start + 8) : b.readUInt32BE(start + 8);
  if (captured > RECORD_BYTES) return NO_RECORD;
  const frameStart = start + PCAP_RECORD;
  const frameEnd = frameStart + captured;
  return frameEnd > end ? null : { start, end: frameEnd, frameStart, frameEnd, interfaceId: 0, kind: 'frame' };
}

function blockAt(b: Buffer, start: number, end: number, isLittle: boolean): RecordPlace | null | Lost {
  if (start + 12 > end) return null;
  const word = (at: number): number => (isLittle ? b.readUInt32LE(at) : b.readUInt32BE(at));
  const [type, length] = [word(start), word(start + 4)];
  if (length < 12 || length % 4 !== 0 || length > RECORD_BYTES) return NO_RECORD;
  const after = start + length;
  if (after > end) return null;
  if (word(after - 4) !== length) return NO_RECORD;
  const other = { start, end: after, frameStart: 0, frameEnd: 0, interfaceId: 0 };
  if (type === SECTION) return { ...other, kind: 'section' };
  if (type === INTERFACE) return { ...other, kind: 'interface' };
  if (type === SIMPLE_PACKET) return { ...other, frameStart: start + 12, frameEnd: after - 4, kind: 'frame' };
  if (type !== PACKET || length < 32) return { ...other, kind: 'other' };
  const frameStart = start + 28;
  const frameEnd = frameStart + word(start + 20);
  if (frameEnd > after - 4) return NO_RECORD;
  return { start, end: after, frameStart, frameEnd, interfaceId: word(start + 8), kind: 'frame' };
}
