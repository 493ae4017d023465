/**
 * Finds which files a process started with: its program, the libraries that it needs, those that they need, and so on. It
 * loaded all others as it ran, as interpreters load their modules.
 *
 * System V gABI, dynamic section (DT_NEEDED, DT_SONAME).
 */
import type { ElfImage } from './elf.ts';
import { dynamicEntries, fileOffset, readName } from './elf.ts';
import { baseName } from './targets.ts';

const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_STRSZ = 10;
const DT_SONAME = 14;

/** What a file calls itself, and the names of what it needs. */
export type Links = { readonly name: string | null; readonly needs: readonly string[] };

export function linksOf({ source, segments, dynamic }: ElfImage): Links {
  const entries = dynamic === null ? [] : dynamicEntries(source, dynamic);
  const tagValue = (wanted: number): number => entries.find(([tag]) => tag === wanted)?.[1] ?? Number.NaN;
  const size = tagValue(DT_STRSZ);
  const strings = fileOffset(segments, tagValue(DT_STRTAB), size);
  if (strings < 0) return { name: null, needs: [] };
  const nameAt = (at: number): string | null => readName(source, strings, size, at);
  const needs = entries.flatMap(([tag, at]) => (tag === DT_NEEDED ? [nameAt(at)] : [])).filter((name) => name !== null);
  return { name: nameAt(tagValue(DT_SONAME)), needs };
}

type MappedFile = { readonly path: string };

/** Those of a process's files that it started with. `linksTo`: null for a file that cannot be read. */
export function startedWith<F extends MappedFile>(
  program: F,
  mapped: readonly F[],
  linksTo: (file: F) => Links | null,
): ReadonlySet<F> {
  const byName = new Map<string, F>();
  for (const file of mapped) byName.set(linksTo(file)?.name ?? baseName(file.path), file);
  const found = new Set([program]);
  // A set hands out what is added to it meanwhile.
  for (const file of found) {
    for (const name of linksTo(file)?.needs ?? []) {
      const needed = byName.get(name);
      if (needed !== undefined) found.add(needed);
    }
  }
  return found;
}
