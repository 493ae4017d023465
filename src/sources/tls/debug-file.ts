/**
 * The separate debug file of a stripped one: where packages of debug symbols put it, in the root of the process.
 *
 * By build id (`/usr/lib/debug/.build-id/ab/cdef….debug`), else by the name in `.gnu_debuglink`. Only a file with the same
 * build id is taken: another version's addresses are other functions. It belongs to root or to the owner of the stripped file:
 * whoever runs the file in mounts of his own must not choose what others' processes of it are probed for.
 */
import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ByteSource, ElfImage } from './elf.ts';
import { fileSource, readElf } from './elf.ts';
import { buildIdOf, debugLinkOf } from './elf-notes.ts';
import type { Symbols } from './elf-symbols.ts';
import { openRegular } from './regular-file.ts';

const FOLDER = '/usr/lib/debug';

/** Where a file lies: its path as a process sees it, and the folder of that process in /proc; '' for this one's own root. */
export type FilePlaceInRoot = { readonly proc: string; readonly path: string };

/** What `use` finds in the symbols of the debug file of `image`; null when there is none. */
export function withDebugSymbols<T>(image: ElfImage, place: FilePlaceInRoot, use: (symbols: Symbols) => T): T | null {
  // A file that has its symbols still is not stripped.
  if (image.tables.some((table) => table.name === 'symtab')) return null;
  const id = buildIdOf(image.source);
  if (id === null) return null;
  for (const path of candidates(image, id, place.path)) {
    const found = withSymbolsOf(place.proc, path, id, image.source, use);
    if (found !== null) return found;
  }
  return null;
}

function candidates(image: ElfImage, id: string, path: string): string[] {
  const byId = `${FOLDER}/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`;
  const link = debugLinkOf(image.source);
  if (link === null || link.includes('/') || !path.startsWith('/')) return [byId];
  const folder = dirname(path);
  return [byId, join(folder, link), join(folder, '.debug', link), join(FOLDER, folder, link)];
}

function withSymbolsOf<T>(
  proc: string,
  path: string,
  id: string,
  { budget, uid }: ByteSource,
  use: (symbols: Symbols) => T,
): T | null {
  // Packages put links there.
  const opened =
    proc === ''
      ? openRegular(path, { follow: true })
      : openRegular(`${proc}/root${path}`, { follow: true, seenBy: proc });
  if ('reason' in opened) return null;
  try {
    if (opened.stat.uid !== 0 && opened.stat.uid !== uid) return null;
    const source = fileSource(opened.fd, budget);
    if (source === null || buildIdOf(source) !== id) return null;
    const elf = readElf(source);
    // Its dynamic symbols, like all that was loaded, are not in it.
    const tables = elf.ok ? elf.image.tables.filter((table) => table.name === 'symtab') : [];
    return tables.length === 0 ? null : use({ source, tables });
  } finally {
    closeSync(opened.fd);
  }
}
