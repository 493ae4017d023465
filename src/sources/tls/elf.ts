/**
 * Reads as much of an ELF file as finding functions by name takes: loadable segments and symbol tables.
 *
 * System V gABI, ELF-64 little-endian (x86-64 psABI, AArch64 ELF). The file is any process's: every offset and count
 * in it is checked against the file and against a cap before it is used, and a file that lies gives a reason.
 */

import { closeSync, fstatSync, readSync } from 'node:fs';
import { ReadBudget } from './read-budget.ts';
import { openRegular } from './regular-file.ts';

/** Program headers, sections and dynamic entries of an ELF file. @cap */
export const MAX_PROGRAM_HEADERS = 512;
export const MAX_SECTIONS = 65_536;
const MAX_DYNAMIC = 4_096;

/** Bytes of one table of an ELF file; node's own need a tenth. @cap */
export const MAX_ELF_TABLE_BYTES = 64 * 1024 * 1024;

/** Bytes of the name of a library. @cap */
const MAX_SONAME = 128;

/** A file, or bytes of a test, read at any place. */
export type ByteSource = {
  readonly size: number;
  /** Its owner. */
  readonly uid: number;
  readonly budget: ReadBudget;
  /** Exactly `length` bytes from `offset`, or null when the file does not have them or its budget is spent. */
  read(offset: number, length: number): Buffer | null;
};

export type Segment = {
  readonly offset: number;
  readonly vaddr: number;
  readonly fileSize: number;
  readonly isExecutable: boolean;
  readonly isWritable: boolean;
};

/** One symbol table with the strings its names lie in, as places in the file. */
export type SymbolTable = {
  readonly name: 'dynsym' | 'symtab';
  readonly offset: number;
  readonly count: number;
  readonly stringsOffset: number;
  readonly stringsSize: number;
};

/** Relocations with addends, as places in the file. */
export type RelocationTable = { readonly offset: number; readonly bytes: number };

export type ElfImage = {
  readonly source: ByteSource;
  readonly machine: 'x64' | 'arm64';
  readonly segments: readonly Segment[];
  /** .dynsym first: it is there in a stripped file too. */
  readonly tables: readonly SymbolTable[];
  /** .eh_frame_hdr, which leads to the bounds of every function. */
  readonly unwind: Segment | null;
  /** What the loader fills in: addresses of functions that stubs jump to, then all others. */
  readonly relocations: readonly RelocationTable[];
  /** The dynamic section; null in a program that is linked statically. */
  readonly dynamic: Segment | null;
};

export type ElfResult =
  | { readonly ok: true; readonly image: ElfImage }
  | { readonly ok: false; readonly reason: string };

const SYMBOL_BYTES = 24;
const PROGRAM_HEADER_BYTES = 56;
const SECTION_HEADER_BYTES = 64;

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_GNU_EH_FRAME = 0x6474e550;
const SHT_SYMTAB = 2;
const SHT_DYNSYM = 11;
const PF_X = 1;
const PF_W = 2;
const DT = {
  PLTRELSZ: 2,
  HASH: 4,
  STRTAB: 5,
  SYMTAB: 6,
  RELA: 7,
  RELASZ: 8,
  STRSZ: 10,
  SYMENT: 11,
  JMPREL: 23,
  GNU_HASH: 0x6ffffef5,
} as const;

/** A file descriptor as a source; null when the file is no regular one. */
export function fileSource(fd: number, budget = new ReadBudget()): ByteSource | null {
  const stat = fstatSync(fd);
  if (!stat.isFile()) return null;
  return {
    size: stat.size,
    uid: stat.uid,
    budget,
    read(offset, length) {
      if (!fits(stat.size, offset, length) || !budget.mayRead(length)) return null;
      const out = Buffer.allocUnsafe(length);
      let at = 0;
      while (at < length) {
        const n = readSync(fd, out, at, length - at, offset + at);
        if (n <= 0) return null;
        at += n;
      }
      return out;
    },
  };
}

/** Whether an open file is a program of 32 bits. */
export function isElf32(fd: number): boolean {
  return fileSource(fd)?.read(0, 5)?.equals(Buffer.from('\x7fELF\x01', 'latin1')) ?? false;
}

/** Reads `path` as an ELF file and closes it again. */
export function withElf<T>(path: string, use: (image: ElfImage) => T): T | { readonly reason: string } {
  const opened = openRegular(path, { follow: true });
  if ('reason' in opened) return opened;
  try {
    const source = fileSource(opened.fd);
    const elf = source === null ? notElf('no regular file') : readElf(source);
    return elf.ok ? use(elf.image) : { reason: elf.reason };
  } finally {
    closeSync(opened.fd);
  }
}

function notElf(reason: string): ElfResult {
  return { ok: false, reason };
}

/** A 64-bit number of the file; NaN when it is beyond what a file offset can be. */
export function u64(b: Buffer, at: number): number {
  const high = b.readUInt32LE(at + 4);
  return high > 0x1f_ffff ? Number.NaN : high * 0x1_0000_0000 + b.readUInt32LE(at);
}

/** Whether [offset, offset + length) lies in a file of `size` bytes; false for NaN. */
export function fits(size: number, offset: number, length: number): boolean {
  return offset >= 0 && length >= 0 && offset + length <= size;
}

/** Reads headers and tables. Never throws for what is in the file. */
export function readElf(source: ByteSource): ElfResult {
  const head = source.read(0, 64);
  if (head === null || head.readUInt32BE(0) !== 0x7f454c46) return notElf('not an ELF file');
  if (head[4] !== 2 || head[5] !== 1) return notElf('not a 64-bit little-endian ELF file');
  const machine = head.readUInt16LE(18) === 62 ? 'x64' : head.readUInt16LE(18) === 183 ? 'arm64' : null;
  if (machine === null) return notElf('of a machine type that is not known');
  const phoff = u64(head, 32);
  const phnum = head.readUInt16LE(56);
  if (head.readUInt16LE(54) !== PROGRAM_HEADER_BYTES || phnum === 0 || phnum > MAX_PROGRAM_HEADERS)
    return notElf('malformed: program headers');
  const programHeaders = fits(source.size, phoff, phnum * PROGRAM_HEADER_BYTES)
    ? source.read(phoff, phnum * PROGRAM_HEADER_BYTES)
    : null;
  if (programHeaders === null) return notElf('malformed: program headers are beyond the end');
  const segments: Segment[] = [];
  let dynamic: Segment | null = null;
  let unwind: Segment | null = null;
  for (let i = 0; i < phnum; i++) {
    const at = i * PROGRAM_HEADER_BYTES;
    const type = programHeaders.readUInt32LE(at);
    if (type !== PT_LOAD && type !== PT_DYNAMIC && type !== PT_GNU_EH_FRAME) continue;
    const flags = programHeaders.readUInt32LE(at + 4);
    const segment = {
      offset: u64(programHeaders, at + 8),
      vaddr: u64(programHeaders, at + 16),
      fileSize: u64(programHeaders, at + 32),
      isExecutable: (flags & PF_X) !== 0,
      isWritable: (flags & PF_W) !== 0,
    };
    // A segment beyond the end is one the kernel would not have mapped: it is passed over.
    if (!fits(source.size, segment.offset, segment.fileSize) || Number.isNaN(segment.vaddr)) continue;
    if (type === PT_LOAD) segments.push(segment);
    else if (type === PT_DYNAMIC) dynamic = segment;
    else unwind = segment;
  }
  const fromDynamic = dynamic === null ? null : readDynamic(source, segments, dynamic);
  const tables = readSections(source, head);
  const dynamicTable = fromDynamic?.table ?? null;
  if (dynamicTable !== null && !tables.some((t) => t.name === 'dynsym')) tables.push(dynamicTable);
  tables.sort((a, b) => (a.name === b.name ? 0 : a.name === 'dynsym' ? -1 : 1));
  const relocations = fromDynamic?.relocations ?? [];
  return { ok: true, image: { source, machine, segments, tables, unwind, relocations, dynamic } };
}

/** Symbol tables by the section headers; none when the headers are stripped or wrong. */
function readSections(source: ByteSource, head: Buffer): SymbolTable[] {
  const shoff = u64(head, 40);
  const shnum = head.readUInt16LE(60);
  if (head.readUInt16LE(58) !== SECTION_HEADER_BYTES || shnum === 0 || shnum > MAX_SECTIONS) return [];
  if (shoff === 0 || !fits(source.size, shoff, shnum * SECTION_HEADER_BYTES)) return [];
  const headers = source.read(shoff, shnum * SECTION_HEADER_BYTES);
  if (headers === null) return [];
  const tables: SymbolTable[] = [];
  for (let i = 0; i < shnum && tables.length < 2; i++) {
    const at = i * SECTION_HEADER_BYTES;
    const type = headers.readUInt32LE(at + 4);
    if (type !== SHT_SYMTAB && type !== SHT_DYNSYM) continue;
    const name = type === SHT_DYNSYM ? ('dynsym' as const) : ('symtab' as const);
    const offset = u64(headers, at + 24);
    const bytes = u64(headers, at + 32);
    const link = headers.readUInt32LE(at + 40);
    if (link >= shnum || u64(headers, at + 56) !== SYMBOL_BYTES) continue;
    const linkAt = link * SECTION_HEADER_BYTES;
    const stringsOffset = u64(headers, linkAt + 24);
    const stringsSize = u64(headers, linkAt + 32);
    if (bytes > MAX_ELF_TABLE_BYTES || stringsSize > MAX_ELF_TABLE_BYTES) continue;
    if (!fits(source.size, offset, bytes) || !fits(source.size, stringsOffset, stringsSize)) continue;
    if (tables.some((t) => t.name === name)) continue;
    tables.push({ name, offset, count: Math.floor(bytes / SYMBOL_BYTES), stringsOffset, stringsSize });
  }
  return tables;
}

/** Place in the file of a virtual address, with `length` bytes behind it in the same segment; -1 without one. */
export function fileOffset(segments: readonly Segment[], vaddr: number, length: number): number {
  for (const s of segments) {
    const delta = vaddr - s.vaddr;
    if (delta >= 0 && delta + length <= s.fileSize) return s.offset + delta;
  }
  return -1;
}

type Dynamic = {
  readonly table: SymbolTable | null;
  readonly relocations: readonly RelocationTable[];
};

/** Tags of the dynamic section with their values, as the file has them. */
export function dynamicEntries(source: ByteSource, dynamic: Segment): (readonly [tag: number, value: number])[] {
  const count = Math.min(Math.floor(dynamic.fileSize / 16), MAX_DYNAMIC);
  const bytes = source.read(dynamic.offset, count * 16);
  const entries: (readonly [number, number])[] = [];
  for (let i = 0; bytes !== null && i < count; i++) {
    const tag = u64(bytes, i * 16);
    if (tag === 0) break;
    entries.push([tag, u64(bytes, i * 16 + 8)]);
  }
  return entries;
}

/** The dynamic section: relocations, and its symbols where section headers are missing. */
function readDynamic(source: ByteSource, segments: readonly Segment[], dynamic: Segment): Dynamic {
  const tags = new Map<number, number>();
  for (const [tag, value] of dynamicEntries(source, dynamic)) if (!tags.has(tag)) tags.set(tag, value);
  const relocations = [
    relocationTable(segments, tags.get(DT.JMPREL), tags.get(DT.PLTRELSZ)),
    relocationTable(segments, tags.get(DT.RELA), tags.get(DT.RELASZ)),
  ].filter((t) => t !== null);
  const stringsSize = tags.get(DT.STRSZ) ?? Number.NaN;
  const stringsOffset = fileOffset(segments, tags.get(DT.STRTAB) ?? Number.NaN, stringsSize);
  if (stringsOffset < 0 || stringsSize > MAX_ELF_TABLE_BYTES) return { table: null, relocations };
  const symbols = tags.get(DT.SYMTAB) ?? Number.NaN;
  const symbolCount = tags.get(DT.SYMENT) === SYMBOL_BYTES ? countSymbols(source, segments, tags) : 0;
  const offset = fileOffset(segments, symbols, symbolCount * SYMBOL_BYTES);
  if (symbolCount === 0 || offset < 0) return { table: null, relocations };
  return { table: { name: 'dynsym', offset, count: symbolCount, stringsOffset, stringsSize }, relocations };
}

function relocationTable(
  segments: readonly Segment[],
  vaddr: number | undefined,
  bytes: number | undefined,
): RelocationTable | null {
  if (vaddr === undefined || bytes === undefined || !(bytes > 0 && bytes <= MAX_ELF_TABLE_BYTES)) return null;
  const offset = fileOffset(segments, vaddr, bytes);
  return offset < 0 ? null : { offset, bytes };
}

/** A name of the string table; null when it is empty, or longer than names of functions are. */
export function readName(source: ByteSource, stringsOffset: number, stringsSize: number, at: number): string | null {
  if (!(at >= 0 && at < stringsSize)) return null;
  const bytes = source.read(stringsOffset + at, Math.min(MAX_SONAME, stringsSize - at));
  const end = bytes?.indexOf(0) ?? -1;
  return bytes === null || end <= 0 ? null : bytes.toString('latin1', 0, end);
}

/** How many dynamic symbols there are: nothing says so but the hash tables. */
function countSymbols(source: ByteSource, segments: readonly Segment[], tags: ReadonlyMap<number, number>): number {
  const most = MAX_ELF_TABLE_BYTES / SYMBOL_BYTES;
  const hashAt = fileOffset(segments, tags.get(DT.HASH) ?? Number.NaN, 8);
  if (hashAt >= 0) {
    const n = source.read(hashAt, 8)?.readUInt32LE(4) ?? 0;
    return n <= most ? n : 0;
  }
  const gnuAt = fileOffset(segments, tags.get(DT.GNU_HASH) ?? Number.NaN, 16);
  const head = gnuAt < 0 ? null : source.read(gnuAt, 16);
  if (head === null) return 0;
  const buckets = head.readUInt32LE(0);
  const first = head.readUInt32LE(4);
  const bucketsAt = gnuAt + 16 + head.readUInt32LE(8) * 8;
  if (buckets > most || !fits(source.size, bucketsAt, buckets * 4)) return 0;
  const table = source.read(bucketsAt, buckets * 4);
  let last = 0;
  for (let i = 0; table !== null && i < buckets; i++) last = Math.max(last, table.readUInt32LE(i * 4));
  if (last < first || last > most) return 0;
  // The last chain ends with an odd hash; it is looked at in one piece.
  const chainAt = bucketsAt + buckets * 4 + (last - first) * 4;
  const room = Math.min(Math.floor((source.size - chainAt) / 4), 65_536);
  const chain = room <= 0 ? null : source.read(chainAt, room * 4);
  if (chain === null) return 0;
  for (let i = 0; i < room; i++) if ((chain.readUInt32LE(i * 4) & 1) === 1) return last + i + 1;
  return 0;
}
