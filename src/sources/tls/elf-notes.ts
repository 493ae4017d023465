/**
 * What an ELF file says of itself and of its separate debug file: the build id (a note), and `.gnu_debuglink`.
 *
 * System V gABI, notes and section headers; "Separate Debug Files" of the GDB manual. The file is any process's: each offset
 * is checked against the file and against a cap before it is used.
 */
import type { ByteSource } from './elf.ts';
import { fits, MAX_PROGRAM_HEADERS, u64 } from './elf.ts';
import type { Part } from './elf-sections.ts';
import { SHT_NOTE, sectionNamed, sectionsOfType } from './elf-sections.ts';

/** Bytes of the notes of an ELF file in one piece, and of the name of its debug file. @cap */
const MAX_NOTE_BYTES = 64 * 1024;
const MAX_DEBUG_NAME = 256;

const PT_NOTE = 4;
const NT_GNU_BUILD_ID = 3;
const PROGRAM_HEADER_BYTES = 56;

/** The build id in lower-case hexadecimal digits; null without one. */
export function buildIdOf(source: ByteSource): string | null {
  // A debug file's program headers speak of the file it was taken from: its sections come first.
  for (const part of [...sectionsOfType(source, SHT_NOTE), ...noteSegments(source)]) {
    const id = buildIdIn(source, part);
    if (id !== null) return id;
  }
  return null;
}

/** Last name of the separate debug file; null when none is named. */
export function debugLinkOf(source: ByteSource): string | null {
  const section = sectionNamed(source, ['.gnu_debuglink']);
  const text = section === null ? null : source.read(section.offset, Math.min(MAX_DEBUG_NAME, section.size));
  const end = text?.indexOf(0) ?? -1;
  return text === null || end <= 0 ? null : text.toString('latin1', 0, end);
}

type Notes = Pick<Part, 'offset' | 'size'>;

function noteSegments(source: ByteSource): Notes[] {
  const head = source.read(0, 64);
  const count = head?.readUInt16LE(56) ?? 0;
  if (head === null || head.readUInt16LE(54) !== PROGRAM_HEADER_BYTES || count > MAX_PROGRAM_HEADERS) return [];
  const headers = bytesAt(source, u64(head, 32), count * PROGRAM_HEADER_BYTES);
  const parts: Notes[] = [];
  for (let at = 0; headers !== null && at < headers.length; at += PROGRAM_HEADER_BYTES)
    if (headers.readUInt32LE(at) === PT_NOTE) parts.push({ offset: u64(headers, at + 8), size: u64(headers, at + 32) });
  return parts;
}

/** | bytes of the name | of the content | type | name | content |, name and content padded to four bytes. */
function buildIdIn(source: ByteSource, { offset, size }: Notes): string | null {
  const notes = size > 0 && size <= MAX_NOTE_BYTES ? bytesAt(source, offset, size) : null;
  for (let at = 0; notes !== null && at + 12 <= notes.length && source.budget.mayLook(); ) {
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
