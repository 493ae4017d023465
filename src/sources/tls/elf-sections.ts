/**
 * The sections of an ELF file by their names (System V gABI, section headers). Stripped files have them too; few have none.
 *
 * The file is any process's: each place is checked against the file and against a cap before it is used.
 */
import type { ByteSource } from './elf.ts';
import { fits, MAX_ELF_TABLE_BYTES, MAX_SECTIONS, u64 } from './elf.ts';

/** A part of the file and where it lies in memory; 0 where it does not. */
export type Part = { readonly offset: number; readonly vaddr: number; readonly size: number };

const HEADER_BYTES = 64;
const SHT_NOBITS = 8;
export const SHT_NOTE = 7;

type Section = Part & { readonly nameAt: number; readonly type: number };

/** Whether the file says what its sections are. */
export function hasSections(source: ByteSource): boolean {
  return (source.read(0, HEADER_BYTES)?.readUInt16LE(60) ?? 0) > 0;
}

/** The sections of a type that have bytes in the file. */
export function sectionsOfType(source: ByteSource, type: number): Part[] {
  return (sectionsOf(source)?.sections ?? []).filter((section) => section.type === type && isInFile(source, section));
}

/** The first section that has one of these names and bytes in the file; null without one. */
export function sectionNamed(source: ByteSource, names: readonly string[]): Part | null {
  const { sections, strings } = sectionsOf(source) ?? { sections: [], strings: undefined };
  if (strings === undefined || strings.size > MAX_ELF_TABLE_BYTES || !isInFile(source, strings)) return null;
  const text = source.read(strings.offset, strings.size);
  if (text === null) return null;
  const isMeant = ({ nameAt }: Section): boolean =>
    names.some((name) => text.toString('latin1', nameAt, nameAt + name.length + 1) === `${name}\0`);
  return sections.find((section) => isMeant(section) && isInFile(source, section)) ?? null;
}

function sectionsOf(source: ByteSource): { sections: Section[]; strings: Section | undefined } | null {
  const head = source.read(0, HEADER_BYTES);
  if (head === null) return null;
  const [offset, count] = [u64(head, 40), head.readUInt16LE(60)];
  if (head.readUInt16LE(58) !== HEADER_BYTES || count === 0 || count > MAX_SECTIONS) return null;
  const bytes = count * HEADER_BYTES;
  const headers = offset > 0 && fits(source.size, offset, bytes) ? source.read(offset, bytes) : null;
  if (headers === null) return null;
  const sections = Array.from({ length: count }, (_, i) => sectionAt(headers, i * HEADER_BYTES));
  return { sections, strings: sections[head.readUInt16LE(62)] };
}

function sectionAt(headers: Buffer, at: number): Section {
  return {
    nameAt: headers.readUInt32LE(at),
    type: headers.readUInt32LE(at + 4),
    vaddr: u64(headers, at + 16),
    offset: u64(headers, at + 24),
    size: u64(headers, at + 32),
  };
}

function isInFile(source: ByteSource, { type, vaddr, offset, size }: Section): boolean {
  return type !== SHT_NOBITS && !Number.isNaN(vaddr) && fits(source.size, offset, size);
}
