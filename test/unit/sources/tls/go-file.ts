/** Small Go programs for the tests: as much of one as finding its functions takes. */

export type GoFile = {
  /** As the program names it; null: it says nothing of Go. */
  readonly version: string | null;
  /** Functions and their code, in the order of the file. */
  readonly functions: readonly (readonly [name: string, code: readonly number[]])[];
  /** 1.18: the first layout that is read; 1.20: the one since. */
  readonly layout?: '1.18' | '1.20';
  readonly withoutSections?: boolean;
  /** Nothing points to the table of functions. */
  readonly withoutModule?: boolean;
};

export const TEXT_AT = 0x1000;
export const TEXT_VADDR = 0x40_1000;
const DATA_AT = 0x4000;
const DATA_VADDR = 0x60_0000;
const TABLE = 0x400;
const MODULE = 0x200;
export const SLOT = 64;

const text = (s: string): Buffer => Buffer.from(s, 'latin1');

/** Code in front of which a function looks at its stack's end, on x86-64. */
export const CHECKED = [0x49, 0x3b, 0x66, 0x10, 0x76, 0x01, 0xc3, 0xc3];

function table({ functions, layout = '1.20' }: GoFile): Buffer {
  const names = text(`\0${functions.map(([name]) => name).join('\0')}\0`);
  const namesAt = 72;
  const rowsAt = namesAt + names.length + (8 - (names.length % 8));
  const rows = Buffer.alloc(8 * functions.length + 4 + 8 * functions.length);
  let nameAt = 1;
  functions.forEach(([name], i) => {
    const about = 8 * functions.length + 4 + 8 * i;
    rows.writeUInt32LE(i * SLOT, 8 * i);
    rows.writeUInt32LE(about, 8 * i + 4);
    rows.writeUInt32LE(i * SLOT, about);
    rows.writeUInt32LE(nameAt, about + 4);
    nameAt += name.length + 1;
  });
  rows.writeUInt32LE(functions.length * SLOT, 8 * functions.length);
  const out = Buffer.alloc(rowsAt + rows.length);
  out.writeUInt32LE(layout === '1.18' ? 0xffff_fff0 : 0xffff_fff1, 0);
  out[6] = 1;
  out[7] = 8;
  out.writeBigUInt64LE(BigInt(functions.length), 8);
  out.writeBigUInt64LE(BigInt(namesAt), 32);
  out.writeBigUInt64LE(BigInt(namesAt + names.length), 40);
  out.writeBigUInt64LE(BigInt(rowsAt), 64);
  names.copy(out, namesAt);
  rows.copy(out, rowsAt);
  return out;
}

function buildInfo(version: string): Buffer {
  const out = Buffer.alloc(33 + version.length);
  text('\xff Go buildinf:').copy(out);
  out[14] = 8;
  out[15] = 2;
  out[32] = version.length;
  text(version).copy(out, 33);
  return out;
}

export function goFile(form: GoFile): Buffer {
  const { version, functions, withoutSections = false, withoutModule = false } = form;
  const code = Buffer.alloc(functions.length * SLOT, 0xcc);
  for (const [i, [, bytes]] of functions.entries()) Buffer.from(bytes).copy(code, i * SLOT);
  const data = Buffer.alloc(TABLE);
  if (version !== null) buildInfo(version).copy(data);
  if (!withoutModule) {
    data.writeBigUInt64LE(BigInt(DATA_VADDR + TABLE), MODULE);
    const words = [TEXT_VADDR, TEXT_VADDR + functions.length * SLOT, TEXT_VADDR];
    for (const [i, word] of words.entries()) data.writeBigUInt64LE(BigInt(word), MODULE + 160 + 8 * i);
  }
  const all = Buffer.concat([data, table(form)]);
  const names = text('\0.go.buildinfo\0.gopclntab\0.shstrtab\0');
  const sectionsAt = DATA_AT + all.length + names.length;
  const sections = Buffer.alloc(withoutSections ? 0 : 64 * 4);
  if (!withoutSections) {
    section(sections, 1, 1, 0, TABLE);
    section(sections, 2, 15, TABLE, all.length - TABLE);
    section(sections, 3, 26, all.length, names.length);
  }
  const head = Buffer.alloc(DATA_AT);
  head.writeUInt32BE(0x7f454c46, 0);
  head.set([2, 1], 4);
  head.writeUInt16LE(62, 18);
  head.writeBigUInt64LE(64n, 32);
  head.writeBigUInt64LE(withoutSections ? 0n : BigInt(sectionsAt), 40);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(2, 56);
  if (!withoutSections) for (const [i, n] of [64, 4, 3].entries()) head.writeUInt16LE(n, 58 + 2 * i);
  load(head, 64, 5, TEXT_AT, TEXT_VADDR, code.length);
  load(head, 120, 6, DATA_AT, DATA_VADDR, all.length);
  code.copy(head, TEXT_AT);
  return Buffer.concat([head, all, names, sections]);
}

function section(out: Buffer, i: number, name: number, at: number, size: number): void {
  out.writeUInt32LE(name, i * 64);
  out.writeUInt32LE(1, i * 64 + 4);
  for (const [n, word] of [DATA_VADDR + at, DATA_AT + at, size].entries())
    out.writeBigUInt64LE(BigInt(word), i * 64 + 16 + 8 * n);
}

function load(out: Buffer, at: number, flags: number, offset: number, vaddr: number, size: number): void {
  out.writeUInt32LE(1, at);
  out.writeUInt32LE(flags, at + 4);
  for (const [n, word] of [offset, vaddr, vaddr, size, size].entries())
    out.writeBigUInt64LE(BigInt(word), at + 8 + 8 * n);
}
