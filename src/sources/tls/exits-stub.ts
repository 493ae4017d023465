/**
 * Stubs of the linker (PLT): a few instructions that jump to where a word of the file's table (GOT) says, which the
 * loader fills with the address of a function of this file or another.
 *
 * System V psABI of x86-64, 5.2; AArch64 ELF (IHI 0056), 5. The function's name is in the word's relocation.
 */
import { decodeArm64 } from './arm64.ts';
import type { ElfImage, RelocationTable } from './elf.ts';
import { readName } from './elf.ts';
import { codeOffset } from './elf-symbols.ts';
import { decodeX86, opcodeOf } from './x86.ts';

/** Bytes of the relocations of a library; libcrypto.so has many and needs a tenth. @cap */
const MAX_RELOCATION_BYTES = 4 * 1024 * 1024;

/** `name` is that of the function; null when it is not known. */
export type Stub = { readonly name: string | null };

/** The longest: five A64 instructions. */
const STUB_BYTES = 24;
const STUB_INSTRUCTIONS = 5;
const RELOCATION_BYTES = 24;
const SYMBOL_BYTES = 24;

/** The stub at an address; null when other code is there. */
export function stubAt(image: ElfImage, vaddr: number): Stub | null {
  let code: Buffer | null = null;
  for (let length = STUB_BYTES; code === null && length >= 8; length -= 8) {
    const offset = codeOffset(image, vaddr, length);
    code = offset < 0 ? null : image.source.read(offset, length);
  }
  if (code === null) return null;
  const decode = image.machine === 'x64' ? decodeX86 : decodeArm64;
  let at = 0;
  for (let n = 0; n < STUB_INSTRUCTIONS && at < code.length; n++) {
    const instruction = decode(code, at);
    if (typeof instruction === 'string') return null;
    if (instruction.flow === 'indirect') {
      const slot = image.machine === 'x64' ? slotOf(code, at, vaddr) : slotOfArm64(code.subarray(0, at), vaddr);
      return slot === null ? null : { name: nameOf(image, slot) };
    }
    if (instruction.flow !== 'next') return null;
    at += instruction.length;
  }
  return null;
}

/** `jmp *slot(%rip)` at `at` of code that begins at `vaddr`: the address of the word; null for another jump. */
export function slotOf(code: Buffer, at: number, vaddr: number): number | null {
  const opcode = opcodeOf(code, at);
  const end = opcode.at + 6;
  if (opcode.at < 0 || end > code.length || code[opcode.at] !== 0xff || code[opcode.at + 1] !== 0x25) return null;
  return vaddr + end + code.readInt32LE(end - 4);
}

/** `adrp x16,slot; ldr x17,[x16,slot]` before the branch. */
function slotOfArm64(before: Buffer, vaddr: number): number | null {
  for (let at = 0; at + 8 <= before.length; at += 4) {
    const page = before.readUInt32LE(at);
    const load = before.readUInt32LE(at + 4);
    if ((page & 0x9f00_001f) >>> 0 !== 0x9000_0010 || (load & 0xffc0_03ff) >>> 0 !== 0xf940_0211) continue;
    const distance = ((((page >>> 3) & 0x1f_fffc) | ((page >>> 29) & 3)) << 11) >> 11;
    return (Math.floor((vaddr + at) / 4096) + distance) * 4096 + ((load >>> 10) & 0xfff) * 8;
  }
  return null;
}

/** Name of the function whose address the loader puts into the word at `slot`. */
export function nameOf(image: ElfImage, slot: number): string | null {
  const symbols = image.tables.find((t) => t.name === 'dynsym');
  if (symbols === undefined) return null;
  for (const table of image.relocations) {
    const n = symbolAt(image, table, slot);
    if (n === null || n >= symbols.count) continue;
    const at = image.source.read(symbols.offset + n * SYMBOL_BYTES, 4)?.readUInt32LE(0) ?? Number.NaN;
    return readName(image.source, symbols.stringsOffset, symbols.stringsSize, at);
  }
  return null;
}

/** Number of the symbol whose address goes to `slot`; null when nothing does, or no symbol's. */
function symbolAt({ source }: ElfImage, table: RelocationTable, slot: number): number | null {
  const bytes = table.bytes > MAX_RELOCATION_BYTES ? null : source.read(table.offset, table.bytes);
  if (bytes === null) return null;
  for (let at = 0; at + RELOCATION_BYTES <= bytes.length; at += RELOCATION_BYTES) {
    if (bytes.readUInt32LE(at) !== slot % 2 ** 32) continue;
    if (bytes.readUInt32LE(at + 4) !== Math.floor(slot / 2 ** 32)) continue;
    const symbol = bytes.readUInt32LE(at + 12);
    return symbol === 0 ? null : symbol;
  }
  return null;
}
