/**
 * The blocks of an index file: a header with a checksum of its own, and a payload that is deflated, with another.
 *
 * ```text
 * magic 4 | kind 1 | zero 3 | stored bytes 4 | inflated bytes 4 | checksum of the payload 4 | checksum of the header 4
 * ```
 *
 * The checksum of the header covers the place in the file. So a reader that lost its way finds the next block by its magic,
 * and takes nothing for a header that stands elsewhere, inside a payload.
 */
import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** What a block holds; rows and documents are lines of JSON. */
export const BLOCK = {
  head: 1,
  rows: 2,
  documents: 3,
  chunks: 4,
  minutes: 5,
  names: 6,
  footer: 7,
  summary: 8,
} as const;
export type BlockKind = (typeof BLOCK)[keyof typeof BLOCK];

export const HEADER_BYTES = 24;
/** `CTb1`: it begins every block. */
export const MAGIC = Buffer.from('CTb1', 'latin1');

/** Bytes of a block of an index, inflated. @cap */
export const HISTORY_BLOCK_BYTES = 4 * 1024 * 1024;

/** As it is stored: what deflate makes larger is no more than this. */
const STORED_BYTES = HISTORY_BLOCK_BYTES + 4_096;

/** Blocks of an index that are looked at, and written. @cap */
export const HISTORY_BLOCKS = 65_536;

/** The fastest: rows are compressed while calls come. */
const LEVEL = constants.Z_BEST_SPEED;
/** Node.js wants a piece of output of no less. */
const LEAST_CHUNK = 64;

const KINDS: ReadonlySet<number> = new Set(Object.values(BLOCK));

/** Where a block stands; `bytes` with its header. */
export type BlockPlace = { readonly kind: BlockKind; readonly offset: number; readonly bytes: number };
export type BlockHeader = BlockPlace & { readonly inflated: number; readonly checksum: number };

/** A block that will stand at `offset`; `text` is at most HISTORY_BLOCK_BYTES long. */
export function packBlock(kind: BlockKind, offset: number, content: Uint8Array): Buffer {
  const payload = deflateRawSync(content, { level: LEVEL });
  const block = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  MAGIC.copy(block, 0);
  block.writeUInt32LE(kind, 4);
  block.writeUInt32LE(payload.length, 8);
  block.writeUInt32LE(content.length, 12);
  block.writeUInt32LE(crc32(payload), 16);
  block.writeUInt32LE(headerChecksum(block, offset), 20);
  payload.copy(block, HEADER_BYTES);
  return block;
}

/** The header that `bytes` begin with, read at `offset` of a file; null where none stands there. */
export function readHeader(bytes: Buffer, offset: number): BlockHeader | null {
  if (bytes.length < HEADER_BYTES || !MAGIC.equals(bytes.subarray(0, MAGIC.length))) return null;
  if (bytes.readUInt32LE(20) !== headerChecksum(bytes, offset)) return null;
  const kind = bytes.readUInt32LE(4);
  const stored = bytes.readUInt32LE(8);
  const inflated = bytes.readUInt32LE(12);
  if (!KINDS.has(kind) || stored > STORED_BYTES || inflated > HISTORY_BLOCK_BYTES) return null;
  // It is one of the kinds.
  const known = kind as BlockKind;
  return { kind: known, offset, bytes: HEADER_BYTES + stored, inflated, checksum: bytes.readUInt32LE(16) };
}

/** Whether the bytes of a block are those that were written. */
export function isBlock(header: BlockHeader, block: Buffer): boolean {
  const payload = block.subarray(HEADER_BYTES, header.bytes);
  return payload.length === header.bytes - HEADER_BYTES && crc32(payload) === header.checksum;
}

/** The content of a block: null where its bytes are not those that were written. Inflates no more than the header says. */
export function unpackBlock(header: BlockHeader, block: Buffer): Buffer | null {
  if (!isBlock(header, block)) return null;
  const payload = block.subarray(HEADER_BYTES, header.bytes);
  try {
    const chunkSize = Math.max(LEAST_CHUNK, header.inflated);
    const content = inflateRawSync(payload, { maxOutputLength: chunkSize, chunkSize });
    return content.length === header.inflated ? content : null;
  } catch {
    return null;
  }
}

function headerChecksum(block: Buffer, offset: number): number {
  return crc32(block.subarray(0, 20), offset % 2 ** 32);
}
