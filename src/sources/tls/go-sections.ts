/**
 * Finds parts of a Go program in its file: by the names of its sections, or by the bytes that begin them where the section
 * headers are gone.
 *
 * Hostile files: counts and places are checked against the file and against caps; a search reads each byte once at most.
 */

import { MAX_ELF_TABLE_BYTES, MAX_GO_SEARCH_BYTES, MAX_SECTIONS } from '../../core/item-limits.ts';
import type { ByteSource, ElfImage } from './elf.ts';

/** A part of the file and where it lies in memory. */
export type Part = { readonly offset: number; readonly vaddr: number; readonly size: number };

const HEADER_BYTES = 64;
const SHT_NOBITS = 8;
const PIECE = 1024 * 1024;

/** A 64-bit number; NaN when it is more than an address or a place in a file can be. */
export function u64(b: Buffer, at: number): number {
  const high = b.readUInt32LE(at + 4);
  return high > 0x1f_ffff ? Number.NaN : high * 0x1_0000_0000 + b.readUInt32LE(at);
}

/** Whether the file says what its sections are. */
export function hasSections(source: ByteSource): boolean {
  return (source.read(0, HEADER_BYTES)?.readUInt16LE(60) ?? 0) > 0;
}

/** The first section that has one of these names and bytes in the file; null without one. */
export function sectionOf(source: ByteSource, names: readonly string[]): Part | null {
  const head = source.read(0, HEADER_BYTES);
  if (head === null) return null;
  const [offset, count, nameSection] = [u64(head, 40), head.readUInt16LE(60), head.readUInt16LE(62)];
  if (head.readUInt16LE(58) !== HEADER_BYTES || count > MAX_SECTIONS || nameSection >= count) return null;
  const headers = Number.isNaN(offset) ? null : source.read(offset, count * HEADER_BYTES);
  const strings = headers === null ? null : partAt(headers, nameSection, source.size);
  if (headers === null || strings === null || strings.size > MAX_ELF_TABLE_BYTES) return null;
  const text = source.read(strings.offset, strings.size);
  for (let i = 0; text !== null && i < count; i++) {
    const name = headers.readUInt32LE(i * HEADER_BYTES);
    if (!names.some((n) => text.toString('latin1', name, name + n.length + 1) === `${n}\0`)) continue;
    const part = partAt(headers, i, source.size);
    if (part !== null) return part;
  }
  return null;
}

function partAt(headers: Buffer, i: number, fileSize: number): Part | null {
  const at = i * HEADER_BYTES;
  const part = { vaddr: u64(headers, at + 16), offset: u64(headers, at + 24), size: u64(headers, at + 32) };
  if (headers.readUInt32LE(at + 4) === SHT_NOBITS) return null;
  return part.offset + part.size <= fileSize && !Number.isNaN(part.vaddr) ? part : null;
}

/**
 * Places in memory at multiples of `align` where one of these byte rows lies in bytes that are no code. The generator ends
 * with the file or after MAX_GO_SEARCH_BYTES. `isWritable`: what the program may write at its start, relocations included.
 */
export function* placesOf(
  image: ElfImage,
  needles: readonly Buffer[],
  { align, isWritable }: { align: number; isWritable: boolean },
): Generator<Part> {
  const overlap = Math.max(...needles.map((n) => n.length)) - 1;
  let left = MAX_GO_SEARCH_BYTES;
  for (const s of image.segments) {
    if (s.isExecutable || (isWritable && !s.isWritable)) continue;
    for (let at = 0; at < s.fileSize && left > 0; at += PIECE) {
      const bytes = image.source.read(s.offset + at, Math.min(PIECE + overlap, s.fileSize - at));
      if (bytes === null) break;
      left -= PIECE;
      for (const needle of needles)
        for (let i = bytes.indexOf(needle); i >= 0 && i < PIECE; i = bytes.indexOf(needle, i + 1)) {
          const [vaddr, offset] = [s.vaddr + at + i, s.offset + at + i];
          if (vaddr % align === 0) yield { vaddr, offset, size: s.fileSize - at - i };
        }
    }
  }
}
