/**
 * Finds functions of an ELF file by their exact names; what is only imported there is not found.
 *
 * A name is searched for in the string table first, so that the hundred thousand symbols of a large program cost one
 * comparison each. Hostile tables: offsets are compared, never followed, and the work is linear in the table.
 */
import { MAX_SYMBOL_COPIES } from '../../core/item-limits.ts';
import type { ElfImage, SymbolTable } from './elf.ts';
import { fileOffset } from './elf.ts';

export type FoundFunction = {
  readonly name: string;
  readonly vaddr: number;
  /** As the symbol says; 0 when it does not. */
  readonly size: number;
  /** Place of its first instruction in the file. */
  readonly offset: number;
};

const SYMBOL_BYTES = 24;
const STT_FUNC = 2;

/**
 * The functions of these names that the file defines, by name; the first definition counts. The larger .symtab is
 * looked into only when .dynsym did not bring enough.
 */
export function findFunctions(
  image: ElfImage,
  names: readonly string[],
  isEnough: (found: ReadonlyMap<string, FoundFunction>) => boolean,
): Map<string, FoundFunction> {
  const found = new Map<string, FoundFunction>();
  for (const table of image.tables) {
    const missing = names.filter((name) => !found.has(name));
    if (isEnough(found)) break;
    searchTable(image, table, missing, found);
  }
  return found;
}

function searchTable(
  image: ElfImage,
  table: SymbolTable,
  names: readonly string[],
  found: Map<string, FoundFunction>,
): void {
  const strings = image.source.read(table.stringsOffset, table.stringsSize);
  if (strings === null) return;
  const nameAt = new Map<number, string>();
  for (const name of names) {
    const needle = Buffer.from(`${name}\0`, 'latin1');
    let at = strings.indexOf(needle);
    for (let copies = 0; at >= 0 && copies < MAX_SYMBOL_COPIES; copies++) {
      nameAt.set(at, name);
      at = strings.indexOf(needle, at + 1);
    }
  }
  if (nameAt.size === 0) return;
  const symbols = image.source.read(table.offset, table.count * SYMBOL_BYTES);
  if (symbols === null) return;
  const words = new DataView(symbols.buffer, symbols.byteOffset, symbols.byteLength);
  for (let at = 0; at + SYMBOL_BYTES <= symbols.length; at += SYMBOL_BYTES) {
    const name = nameAt.get(words.getUint32(at, true));
    if (name === undefined || found.has(name)) continue;
    const isFunction = ((symbols[at + 4] ?? 0) & 15) === STT_FUNC;
    const isDefined = words.getUint16(at + 6, true) !== 0;
    const high = words.getUint32(at + 12, true);
    if (!isFunction || !isDefined || high > 0x1f_ffff) continue;
    const vaddr = high * 0x1_0000_0000 + words.getUint32(at + 8, true);
    const offset = codeOffset(image, vaddr);
    // A symbol outside of executable bytes is nothing to put a probe on.
    if (offset >= 0) found.set(name, { name, vaddr, size: words.getUint32(at + 16, true), offset });
  }
}

/** Place in the file of `length` bytes of code; -1 when the address is not in executable bytes of the file. */
export function codeOffset(image: ElfImage, vaddr: number, length = 1): number {
  return fileOffset(
    image.segments.filter((s) => s.isExecutable),
    vaddr,
    length,
  );
}
