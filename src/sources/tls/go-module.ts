/**
 * Where the code of a Go program begins: the runtime's moduledata says it, the first word of which points to the table of
 * functions.
 *
 * Its fields (runtime/symtab.go) lie in one order since Go 1.16. In a program that may lie anywhere (PIE) the words can be
 * in the relocations only. What is found must fit the table: the begin and the end of all functions are there as well.
 */

import { placesOf } from './byte-search.ts';
import type { ElfImage } from './elf.ts';
import { fileOffset, MAX_ELF_TABLE_BYTES, u64 } from './elf.ts';
import { codeOffset } from './elf-symbols.ts';

/** Places of a table of a Go program that are tried. @cap */
export const MAX_GO_PLACES = 256;

/** Bytes from the begin of moduledata: the first function, the end of the last, the begin of the code. */
const FIRST = 160;
const END = 168;
const TEXT = 176;
const RELOCATION_BYTES = 24;

/** `first` and `end` are those of the functions, from the begin of the code; null when nothing fits. */
export function textStart(image: ElfImage, tableVaddr: number, first: number, end: number): number | null {
  const fits = (words: { first: number; end: number; text: number }): boolean =>
    words.first === words.text + first && words.end === words.text + end && codeOffset(image, words.text) >= 0;
  const needle = Buffer.alloc(8);
  needle.writeBigUInt64LE(BigInt(tableVaddr));
  let places = 0;
  for (const { offset } of placesOf(image, [needle], { align: 8, isWritable: true })) {
    const words = image.source.read(offset + FIRST, 24);
    if (words !== null) {
      const said = { first: u64(words, 0), end: u64(words, END - FIRST), text: u64(words, TEXT - FIRST) };
      if (fits(said)) return said.text;
    }
    if (++places >= MAX_GO_PLACES) break;
  }
  const said = relocated(image, tableVaddr);
  return said !== null && fits(said) ? said.text : null;
}

/** The same words by the relocations (RELA) that the loader fills them in by. */
function relocated(image: ElfImage, tableVaddr: number): { first: number; end: number; text: number } | null {
  for (const { offset, bytes } of image.relocations) {
    const table = bytes > MAX_ELF_TABLE_BYTES ? null : image.source.read(offset, bytes);
    if (table === null) continue;
    const addends = new Map<number, number>();
    const places: number[] = [];
    for (let at = 0; at + RELOCATION_BYTES <= table.length; at += RELOCATION_BYTES) {
      const [place, addend] = [u64(table, at), u64(table, at + 16)];
      addends.set(place, addend);
      if (addend === tableVaddr && places.length < MAX_GO_PLACES) places.push(place);
    }
    for (const place of places) {
      const [first, end, text] = [FIRST, END, TEXT].map((field) => addends.get(place + field));
      if (first === undefined || end === undefined || text === undefined) continue;
      // A place that the file does not map is no moduledata.
      if (fileOffset(image.segments, place, TEXT + 8) >= 0) return { first, end, text };
    }
  }
  return null;
}
