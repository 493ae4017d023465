/**
 * What an ELF file says of itself and of its separate debug file: the build id (a note), and `.gnu_debuglink`.
 *
 * System V gABI, notes and section headers; "Separate Debug Files" of the GDB manual. The file is any process's: each offset
 * is checked against the file and against a cap before it is used.
 */
import { MAX_DEBUG_NAME, MAX_NOTE_BYTES, MAX_PROGRAM_HEADERS, MAX_SECTIONS } from '../../core/item-limits.ts';
import type { ByteSource } from './elf.ts';
import { fits, u64 } from './elf.ts';

const PT_NOTE = 4;
const SHT_NOTE = 7;
const NT_GNU_BUILD_ID = 3;
const PROGRAM_HEADER_BYTES = 56;
const SECTION_HEADER_BYTES = 64;

type Part = { readonly offset: number; readonly bytes: number };

/** The build id in lower-case hexadecimal digits; null without one. */
export function buildIdOf(source: ByteSource): string | null {
  const head = source.read(0, 64);
  if (head === null) return null;
  // A debug file's program headers speak of the file it was taken from: its sections come first.
  for (const part of [...noteSections(source, head), ...noteSegments(source, head)]) {
    const id = buildIdIn(source, part);
    if (id !== null) return id;
  }
  return null;
}

/** Last name of the separate debug file; null when none is named. */
export function debugLinkOf(source: ByteSource): string | null {
  const head = source.read(0, 64);
  const headers = head === null ? null : sectionHeaders(source, head);
  if (head === null || headers === null) return null;
  const names = head.readUInt16LE(62) * SECTION_HEADER_BYTES;
  if (names + SECTION_HEADER_BYTES > headers.length) return null;
  const strings = { offset: u64(headers, names + 24), bytes: u64(headers, names + 32) };
  for (let at = 0; at < headers.length; at += SECTION_HEADER_BYTES) {
    if (textAt(source, strings, headers.readUInt32LE(at)) !== '.gnu_debuglink') continue;
    return textAt(source, { offset: u64(headers, at + 24), bytes: u64(headers, at + 32) }, 0);
  }
  return null;
}

function sectionHeaders(source: ByteSource, head: Buffer): Buffer | null {
  const offset = u64(head, 40);
  const count = head.readUInt16LE(60);
  if (head.readUInt16LE(58) !== SECTION_HEADER_BYTES || count === 0 || count > MAX_SECTIONS) return null;
  return offset > 0 ? bytesAt(source, offset, count * SECTION_HEADER_BYTES) : null;
}

function noteSections(source: ByteSource, head: Buffer): Part[] {
  const headers = sectionHeaders(source, head);
  const parts: Part[] = [];
  for (let at = 0; headers !== null && at < headers.length; at += SECTION_HEADER_BYTES)
    if (headers.readUInt32LE(at + 4) === SHT_NOTE)
      parts.push({ offset: u64(headers, at + 24), bytes: u64(headers, at + 32) });
  return parts;
}

function noteSegments(source: ByteSource, head: Buffer): Part[] {
  const count = head.readUInt16LE(56);
  if (head.readUInt16LE(54) !== PROGRAM_HEADER_BYTES || count > MAX_PROGRAM_HEADERS) return [];
  const headers = bytesAt(source, u64(head, 32), count * PROGRAM_HEADER_BYTES);
  const parts: Part[] = [];
  for (let at = 0; headers !== null && at < headers.length; at += PROGRAM_HEADER_BYTES)
    if (headers.readUInt32LE(at) === PT_NOTE)
      parts.push({ offset: u64(headers, at + 8), bytes: u64(headers, at + 32) });
  return parts;
}

/** | bytes of the name | of the content | type | name | content |, name and content padded to four bytes. */
function buildIdIn(source: ByteSource, { offset, bytes }: Part): string | null {
  const notes = bytes > 0 && bytes <= MAX_NOTE_BYTES ? bytesAt(source, offset, bytes) : null;
  for (let at = 0; notes !== null && at + 12 <= notes.length; ) {
    const nameBytes = notes.readUInt32LE(at);
    const contentBytes = notes.readUInt32LE(at + 4);
    const content = at + 12 + padded(nameBytes);
    const isOurs =
      notes.readUInt32LE(at + 8) === NT_GNU_BUILD_ID && notes.toString('latin1', at + 12, at + 16) === 'GNU\0';
    if (isOurs && contentBytes > 0 && contentBytes <= 64 && content + contentBytes <= notes.length)
      return notes.toString('hex', content, content + contentBytes);
    at = content + padded(contentBytes);
  }
  return null;
}

/** Null too for a place that is beyond what a file offset can be. */
function bytesAt(source: ByteSource, offset: number, length: number): Buffer | null {
  return fits(source.size, offset, length) ? source.read(offset, length) : null;
}

function padded(bytes: number): number {
  return bytes + ((4 - (bytes % 4)) % 4);
}

/** Text that ends with a NUL; null when it is empty, too long, or beyond its part. */
function textAt(source: ByteSource, { offset, bytes }: Part, at: number): string | null {
  const length = Math.min(MAX_DEBUG_NAME, bytes - at);
  const text = length > 0 ? bytesAt(source, offset + at, length) : null;
  const end = text?.indexOf(0) ?? -1;
  return text === null || end <= 0 ? null : text.toString('latin1', 0, end);
}
