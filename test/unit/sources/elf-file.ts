/** Small ELF files for the tests: the functions asked for, each with its code, in the tables asked for. */

export type ElfFunction = { readonly name: string; readonly code: readonly number[]; readonly isImported?: boolean };

export type ElfForm = {
  readonly functions: readonly ElfFunction[];
  readonly machine?: number;
  readonly table?: 'dynsym' | 'symtab';
  /** Symbols are reachable by the dynamic section only. */
  readonly withoutSections?: boolean;
  readonly hash?: 'sysv' | 'gnu';
  readonly soname?: string;
};

const TEXT_AT = 0x1000;
/** Addresses differ from places in the file, as in real libraries. */
export const VADDR = 0x40_0000;
export const SLOT = 64;

/** Place in the file of the n-th function. */
export function functionAt(n: number): number {
  return TEXT_AT + n * SLOT;
}

export function elfFile(form: ElfForm): Buffer {
  const { functions, machine = 62, table = 'dynsym', withoutSections = false, hash = 'sysv', soname } = form;
  const strings = Buffer.from(`\0${functions.map((f) => f.name).join('\0')}\0${soname ?? ''}\0`, 'latin1');
  const symbols = Buffer.alloc(24 * (functions.length + 1));
  let nameAt = 1;
  functions.forEach((f, i) => {
    const at = 24 * (i + 1);
    symbols.writeUInt32LE(nameAt, at);
    symbols[at + 4] = 0x12; // global function
    symbols.writeUInt16LE(f.isImported === true ? 0 : 1, at + 6);
    symbols.writeBigUInt64LE(BigInt(f.isImported === true ? 0 : VADDR + i * SLOT), at + 8);
    symbols.writeBigUInt64LE(BigInt(f.code.length), at + 16);
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
    [0, 0],
  ]);
  const sectionsAt = dynamicAt + dynamic.length;
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
  file.writeUInt16LE(2, 56);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(withoutSections ? 0 : 3, 60);
  segment(file, 64, 1, 5, TEXT_AT, VADDR, sectionsAt - TEXT_AT);
  if (table === 'dynsym') segment(file, 120, 2, 4, dynamicAt, address(dynamicAt), dynamic.length);
  else segment(file, 120, 4, 4, 0, 0, 0);
  for (const [i, f] of functions.entries()) Buffer.from(f.code).copy(file, TEXT_AT + i * SLOT);
  symbols.copy(file, symbolsAt);
  strings.copy(file, stringsAt);
  hashTable.copy(file, hashAt);
  dynamic.copy(file, dynamicAt);
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
