/**
 * Finds functions of a Go program by name: in the table that Go's runtime itself needs for its stack traces (pclntab), so
 * that it is there in stripped programs too.
 *
 * debug/gosym of Go's library has the layout, which is that of Go 1.18 and 1.20. Addresses in the table count from the
 * begin of Go's code, which the runtime's moduledata names and the table itself does not (go-module.ts).
 *
 * Hostile files: every count and place is checked against the table's part of the file, and the table against a cap.
 */

import { placesOf } from './byte-search.ts';
import type { ByteSource, ElfImage } from './elf.ts';
import { u64 } from './elf.ts';
import type { Part } from './elf-sections.ts';
import { sectionNamed } from './elf-sections.ts';
import { codeOffset, MAX_SYMBOL_COPIES } from './elf-symbols.ts';
import { MAX_GO_PLACES, textStart } from './go-module.ts';
import type { ReadBudget } from './read-budget.ts';

/**
 * Functions of a Go program, and bytes of their names and of the rest of the table; the largest programs have a quarter.
 *
 * @cap
 */
const MAX_GO_FUNCTIONS = 4 * 1024 * 1024;
const MAX_GO_TABLE_BYTES = 128 * 1024 * 1024;

/** Virtual addresses; `size` reaches to the next function. */
export type GoFunction = { readonly vaddr: number; readonly size: number };

/** The words at the table's begin that name its layout: Go 1.18, and from 1.20 on. */
const MAGICS: readonly number[] = [0xffff_fff0, 0xffff_fff1];
const HEAD_BYTES = 72;
const ENTRY_BYTES = 8;

/** What the head says: numbers of functions, and where names and functions lie. */
type Table = {
  readonly vaddr: number;
  readonly functions: number;
  readonly names: Buffer;
  /** Rows of two words each, sorted: where a function begins, and where its description lies from here on. */
  readonly rows: Buffer;
};

function headMark(image: ElfImage, magic: number): Buffer {
  const mark = Buffer.alloc(8);
  mark.writeUInt32LE(magic, 0);
  mark[6] = image.machine === 'x64' ? 1 : 4;
  mark[7] = 8;
  return mark;
}

/** The functions of these names; empty when the program has none of them, null when its table cannot be read. */
export function goFunctions(image: ElfImage, names: readonly string[]): Map<string, GoFunction> | null {
  const marks = MAGICS.map((magic) => headMark(image, magic));
  const section = sectionNamed(image.source, ['.gopclntab', '.data.rel.ro.gopclntab']);
  const table = (section === null ? null : readTable(image, section, marks)) ?? searchTable(image, marks);
  if (table === null) return null;
  const found = search(image.source.budget, table, names);
  if (found.size === 0) return new Map();
  const last = table.rows.readUInt32LE(table.functions * ENTRY_BYTES);
  const text = textStart(image, table.vaddr, table.rows.readUInt32LE(0), last);
  if (text === null) return null;
  const placed = new Map<string, GoFunction>();
  for (const [name, { begin, end }] of found) {
    if (end <= begin || codeOffset(image, text + begin, end - begin) < 0) return null;
    placed.set(name, { vaddr: text + begin, size: end - begin });
  }
  return placed;
}

function searchTable(image: ElfImage, marks: readonly Buffer[]): Table | null {
  let places = 0;
  for (const place of placesOf(image, marks, { align: 8, isWritable: false })) {
    const table = readTable(image, place, marks);
    if (table !== null) return table;
    if (++places >= MAX_GO_PLACES) return null;
  }
  return null;
}

/** Null when no table lies there. */
function readTable({ source }: ElfImage, part: Part, marks: readonly Buffer[]): Table | null {
  const head = source.read(part.offset, Math.min(HEAD_BYTES, part.size));
  if (head === null || head.length < HEAD_BYTES || !marks.some((mark) => head.indexOf(mark) === 0)) return null;
  const functions = u64(head, 8);
  // Behind a word that was the begin of the code, and is not any more.
  const [namesAt, namesEnd, rowsAt] = [u64(head, 32), u64(head, 40), u64(head, 64)];
  if (!(functions > 0 && functions <= MAX_GO_FUNCTIONS)) return null;
  if (!(namesAt >= HEAD_BYTES && namesEnd > namesAt && namesEnd - namesAt <= MAX_GO_TABLE_BYTES)) return null;
  if (!(rowsAt >= namesEnd && rowsAt + functions * ENTRY_BYTES + 4 <= part.size)) return null;
  const names = source.read(part.offset + namesAt, namesEnd - namesAt);
  const rows = readRows(source, part.offset + rowsAt, Math.min(part.size - rowsAt, MAX_GO_TABLE_BYTES));
  if (names === null || rows === null || rows.length < functions * ENTRY_BYTES + 4) return null;
  return { vaddr: part.vaddr, functions, names, rows };
}

function readRows(source: ByteSource, offset: number, length: number): Buffer | null {
  return source.read(offset, Math.min(length, source.size - offset));
}

type Range = { readonly begin: number; readonly end: number };

/** Functions by name, counted from the begin of the code. The first of a name counts. */
function search(
  budget: ReadBudget,
  { names: text, rows, functions }: Table,
  names: readonly string[],
): Map<string, Range> {
  const nameAt = new Map<number, string>();
  for (const name of names) {
    if (!budget.maySearch(text.length)) break;
    const needle = Buffer.from(`\0${name}\0`, 'latin1');
    let at = text.indexOf(needle);
    for (let copies = 0; at >= 0 && copies < MAX_SYMBOL_COPIES; copies++) {
      nameAt.set(at + 1, name);
      at = text.indexOf(needle, at + 1);
    }
  }
  const found = new Map<string, Range>();
  for (let i = 0; nameAt.size > 0 && i < functions; i++) {
    const row = i * ENTRY_BYTES;
    const about = rows.readUInt32LE(row + 4);
    if (about + 8 > rows.length) continue;
    const name = nameAt.get(rows.readUInt32LE(about + 4));
    const begin = rows.readUInt32LE(row);
    // The description repeats where the function begins.
    if (name === undefined || found.has(name) || rows.readUInt32LE(about) !== begin) continue;
    found.set(name, { begin, end: rows.readUInt32LE(row + ENTRY_BYTES) });
  }
  return found;
}
