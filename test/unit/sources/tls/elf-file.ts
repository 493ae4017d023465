/** Small ELF files for the tests: the functions asked for, each with its code, in the tables asked for. */
import assert from 'node:assert/strict';
import type { ByteSource } from '../../../../src/sources/tls/elf.ts';
import { ReadBudget } from '../../../../src/sources/tls/read-budget.ts';

/** Bytes as a file. `onRead` is called before each read, which asks for whole numbers of bytes at a place. */
export function sourceOf(file: Buffer, onRead: () => void = () => {}, budget = new ReadBudget()): ByteSource {
  return {
    uid: 0,
    size: file.length,
    budget,
    read(at, length) {
      onRead();
      assert.ok(Number.isSafeInteger(at) && Number.isSafeInteger(length) && length >= 0);
      if (at < 0 || at + length > file.length || !budget.mayRead(length)) return null;
      return file.subarray(at, at + length);
    },
  };
}

export type ElfFunction = {
  /** '' for code without a symbol. */
  readonly name: string;
  readonly code: readonly number[];
  readonly isImported?: boolean;
  /** What the symbol says; the code's own length when it is left out. */
  readonly size?: number;
};

export type ElfForm = {
  readonly functions: readonly ElfFunction[];
  readonly machine?: number;
  readonly table?: 'dynsym' | 'symtab';
  /** Symbols are reachable by the dynamic section only. */
  readonly withoutSections?: boolean;
  readonly hash?: 'sysv' | 'gnu';
  readonly soname?: string;
  /** Names of the libraries that it needs. */
  readonly needs?: readonly string[];
  /** Numbers of the functions that .eh_frame describes, each with the bytes it says. */
  readonly frames?: readonly (readonly [n: number, bytes: number])[];
};

const TEXT_AT = 0x1000;
/** Addresses differ from places in the file, as in real libraries. */
export const VADDR = 0x40_0000;
export const SLOT = 64;

/** Place in the file of the n-th function. */
export function functionAt(n: number): number {
  return TEXT_AT + n * SLOT;
}

/** Virtual address of the n-th function. */
export function addressOf(n: number): number {
  return VADDR + n * SLOT;
}

export function elfFile(form: ElfForm): Buffer {
  const {
    functions,
    machine = 62,
    table = 'dynsym',
    withoutSections = false,
    hash = 'sysv',
    soname,
    needs = [],
    frames,
  } = form;
  const strings = Buffer.from(
    `\0${functions.map((f) => f.name).join('\0')}\0${soname ?? ''}\0${needs.join('\0')}\0`,
    'latin1',
  );
  const symbols = Buffer.alloc(24 * (functions.length + 1));
  let nameAt = 1;
  functions.forEach((f, i) => {
    const at = 24 * (i + 1);
    if (f.name === '') {
      nameAt += 1;
      return;
    }
    symbols.writeUInt32LE(nameAt, at);
    symbols[at + 4] = 0x12; // global function
    symbols.writeUInt16LE(f.isImported === true ? 0 : 1, at + 6);
    symbols.writeBigUInt64LE(BigInt(f.isImported === true ? 0 : VADDR + i * SLOT), at + 8);
    symbols.writeBigUInt64LE(BigInt(f.size ?? f.code.length), at + 16);
    nameAt += f.name.length + 1;
  });
  const sonameAt = nameAt;
  const textBytes = functions.length * SLOT;
  const symbolsAt = TEXT_AT + textBytes;
  const stringsAt = symbolsAt + symbols.length;
  const hashAt = stringsAt + strings.length + (8 - ((stringsAt + strings.length) % 8));
  const hashTable = hash === 'sysv' ? sysvHash(functions.length + 1) : gnuHash(functions.length + 1);
  const dynamicAt = hashAt + hashTable.length;
  const address = (fileAt: number): number => VADDR + fileAt - TEXT_AT;
  const dynamic = pairs([
    [5, address(stringsAt)],
    [6, address(symbolsAt)],
    [10, strings.length],
    [11, 24],
    [hash === 'sysv' ? 4 : 0x6ffffef5, address(hashAt)],
    ...(soname === undefined ? [] : [[14, sonameAt] as const]),
    ...needs.map((name) => [1, strings.indexOf(`\0${name}\0`, 'latin1') + 1] as const),
    [0, 0],
  ]);
  const unwindAt = dynamicAt + dynamic.length;
  const unwind = frames === undefined ? Buffer.alloc(0) : frameTable(address(unwindAt), frames);
  const sectionsAt = unwindAt + unwind.length;
  const sections = withoutSections ? Buffer.alloc(0) : Buffer.alloc(64 * 3);
  if (!withoutSections) {
    section(sections, 1, table === 'dynsym' ? 11 : 2, symbolsAt, symbols.length, 2, 24);
    section(sections, 2, 3, stringsAt, strings.length, 0, 0);
  }
  const file = Buffer.alloc(sectionsAt + sections.length);
  file.writeUInt32BE(0x7f454c46, 0);
  file[4] = 2;
  file[5] = 1;
  file.writeUInt16LE(3, 16);
  file.writeUInt16LE(machine, 18);
  file.writeBigUInt64LE(64n, 32);
  file.writeBigUInt64LE(BigInt(withoutSections ? 0 : sectionsAt), 40);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(frames === undefined ? 2 : 3, 56);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(withoutSections ? 0 : 3, 60);
  segment(file, 64, 1, 5, TEXT_AT, VADDR, sectionsAt - TEXT_AT);
  if (table === 'dynsym') segment(file, 120, 2, 4, dynamicAt, address(dynamicAt), dynamic.length);
  else segment(file, 120, 4, 4, 0, 0, 0);
  if (frames !== undefined) segment(file, 176, 0x6474e550, 4, unwindAt, address(unwindAt), unwind.length);
  for (const [i, f] of functions.entries()) Buffer.from(f.code).copy(file, TEXT_AT + i * SLOT);
  symbols.copy(file, symbolsAt);
  strings.copy(file, stringsAt);
  hashTable.copy(file, hashAt);
  dynamic.copy(file, dynamicAt);
  unwind.copy(file, unwindAt);
  sections.copy(file, sectionsAt);
  return file;
}

function pairs(list: readonly (readonly [number, number])[]): Buffer {
  const b = Buffer.alloc(list.length * 16);
  list.forEach(([tag, value], i) => {
    b.writeBigUInt64LE(BigInt(tag), i * 16);
    b.writeBigUInt64LE(BigInt(value), i * 16 + 8);
  });
  return b;
}

function sysvHash(count: number): Buffer {
  const b = Buffer.alloc(8);
  b.writeUInt32LE(1, 0);
  b.writeUInt32LE(count, 4);
  return b;
}

/** One bucket that holds all symbols behind the first. */
function gnuHash(count: number): Buffer {
  const b = Buffer.alloc(16 + 8 + 4 + 4 * (count - 1));
  b.writeUInt32LE(1, 0);
  b.writeUInt32LE(1, 4);
  b.writeUInt32LE(1, 8);
  b.writeUInt32LE(1, 24);
  for (let i = 1; i < count; i++) b.writeUInt32LE(i === count - 1 ? 1 : 2, 28 + 4 * (i - 1));
  return b;
}

/** What all descriptions share (version 1, "zR", relative to the place itself), descriptions, and the sorted table. */
function frameTable(vaddr: number, frames: readonly (readonly [n: number, bytes: number])[]): Buffer {
  const shared = Buffer.from([20, 0, 0, 0, 0, 0, 0, 0, 1, 0x7a, 0x52, 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0, 0, 0, 0, 0]);
  const sharedAt = 12 + frames.length * 8;
  const b = Buffer.alloc(sharedAt + shared.length + frames.length * 20);
  Buffer.from([1, 0x1b, 0x03, 0x3b]).copy(b);
  b.writeInt32LE(sharedAt - 4, 4);
  b.writeUInt32LE(frames.length, 8);
  shared.copy(b, sharedAt);
  frames.forEach(([n, bytes], i) => {
    const at = sharedAt + shared.length + i * 20;
    b.writeInt32LE(addressOf(n) - vaddr, 12 + i * 8);
    b.writeInt32LE(at, 16 + i * 8);
    b.writeUInt32LE(16, at);
    b.writeUInt32LE(at + 4 - sharedAt, at + 4);
    b.writeInt32LE(addressOf(n) - (vaddr + at + 8), at + 8);
    b.writeUInt32LE(bytes, at + 12);
  });
  return b;
}

function section(b: Buffer, n: number, type: number, at: number, size: number, link: number, entry: number): void {
  b.writeUInt32LE(type, n * 64 + 4);
  b.writeBigUInt64LE(BigInt(at), n * 64 + 24);
  b.writeBigUInt64LE(BigInt(size), n * 64 + 32);
  b.writeUInt32LE(link, n * 64 + 40);
  b.writeBigUInt64LE(BigInt(entry), n * 64 + 56);
}

function segment(
  b: Buffer,
  at: number,
  type: number,
  flags: number,
  offset: number,
  vaddr: number,
  size: number,
): void {
  b.writeUInt32LE(type, at);
  b.writeUInt32LE(flags, at + 4);
  b.writeBigUInt64LE(BigInt(offset), at + 8);
  b.writeBigUInt64LE(BigInt(vaddr), at + 16);
  b.writeBigUInt64LE(BigInt(size), at + 32);
  b.writeBigUInt64LE(BigInt(size), at + 40);
}
