/**
 * Finds functions of an ELF file by their exact names; what is only imported there is not found.
 *
 * A name is searched for in the string table first, so that the hundred thousand symbols of a large program cost one
 * comparison each. Hostile tables: offsets are compared, never followed, and the work is linear in the table.
 */
import type { ByteSource, ElfImage, SymbolTable } from './elf.ts';
import { fileOffset } from './elf.ts';

/** Copies of a name of a function: a linker keeps a name once, and more copies than this are no honest table. @cap */
export const MAX_SYMBOL_COPIES = 256;

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

/** Where the symbols of a file lie: in itself, or in its separate debug file. */
export type Symbols = { readonly source: ByteSource; readonly tables: readonly SymbolTable[] };

/**
 * The functions of these names that the file defines, by name; the first definition counts. The larger .symtab is
 * looked into only when .dynsym did not bring enough.
 */
export function findFunctions(
  image: ElfImage,
  names: readonly string[],
  isEnough: (found: ReadonlyMap<string, FoundFunction>) => boolean,
  symbols: Symbols = image,
): Map<string, FoundFunction> {
  const found = new Map<string, FoundFunction>();
  for (const table of symbols.tables) {
    const missing = names.filter((name) => !found.has(name));
    if (isEnough(found)) break;
    searchTable(image, symbols.source, table, missing, found);
  }
  return found;
}

function searchTable(
  image: ElfImage,
  source: ByteSource,
  table: SymbolTable,
  names: readonly string[],
  found: Map<string, FoundFunction>,
): void {
  const strings = source.read(table.stringsOffset, table.stringsSize);
  if (strings === null) return;
  const nameAt = new Map<number, string>();
  for (const name of names) {
    if (!source.budget.maySearch(strings.length)) return;
    const needle = Buffer.from(`${name}\0`, 'latin1');
    let at = strings.indexOf(needle);
    for (let copies = 0; at >= 0 && copies < MAX_SYMBOL_COPIES; copies++) {
      nameAt.set(at, name);
      at = strings.indexOf(needle, at + 1);
    }
  }
  if (nameAt.size === 0) return;
  for (const { nameOffset, vaddr, size } of functionsOf(source, table)) {
    const name = nameAt.get(nameOffset);
    if (name === undefined || found.has(name)) continue;
    const offset = codeOffset(image, vaddr);
    // A symbol outside of executable bytes is nothing to put a probe on.
    if (offset >= 0) found.set(name, { name, vaddr, size, offset });
  }
}

type FunctionSymbol = { readonly nameOffset: number; readonly vaddr: number; readonly size: number };

/** The functions that a table defines. */
function* functionsOf(source: ByteSource, table: SymbolTable): Generator<FunctionSymbol> {
  const symbols = source.read(table.offset, table.count * SYMBOL_BYTES);
  if (symbols === null) return;
  const words = new DataView(symbols.buffer, symbols.byteOffset, symbols.byteLength);
  for (let at = 0; at + SYMBOL_BYTES <= symbols.length; at += SYMBOL_BYTES) {
    const isFunction = ((symbols[at + 4] ?? 0) & 15) === STT_FUNC;
    const isDefined = words.getUint16(at + 6, true) !== 0;
    const high = words.getUint32(at + 12, true);
    if (!isFunction || !isDefined || high > 0x1f_ffff) continue;
    const vaddr = high * 0x1_0000_0000 + words.getUint32(at + 8, true);
    yield { nameOffset: words.getUint32(at, true), vaddr, size: words.getUint32(at + 16, true) };
  }
}

/** Bytes of the function that a symbol puts at an address, 0 when it does not say; null without such a symbol. */
export function symbolSizeAt(image: ElfImage, vaddr: number): number | null {
  for (const table of image.tables)
    for (const symbol of functionsOf(image.source, table)) if (symbol.vaddr === vaddr) return symbol.size;
  return null;
}

/** Place in the file of `length` bytes of code; -1 when the address is not in executable bytes of the file. */
export function codeOffset(image: ElfImage, vaddr: number, length = 1): number {
  return fileOffset(
    image.segments.filter((s) => s.isExecutable),
    vaddr,
    length,
  );
}
