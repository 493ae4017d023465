/**
 * The files of the repository with what they import, for tests that hold all of them to a rule.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSource, type SourceText } from './source-text.ts';

/** A file of the repository: its path from the root. */
export type File = SourceText & { readonly path: string; readonly text: string };

export function parse(path: string, text: string): File {
  const isTypeScript = /\.(ts|mjs)$/.test(path);
  return { path, text, ...readSource(isTypeScript ? text : '') };
}

/** Repository path an import of `file` leads to, or null for a package. */
export function target(file: File, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file.path), specifier)) : null;
}

export const ROOT = repositoryRoot();
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'corpus', 'coverage', '.git', '.cache']);

/** The compiled test stands in dist/test; a copy compiled elsewhere is run from the repository. */
function repositoryRoot(): string {
  let at = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(at, 'binding.gyp')) && at !== dirname(at)) at = dirname(at);
  return existsSync(join(at, 'binding.gyp')) ? at : process.cwd();
}

/** Files below a folder whose name fits. */
export function load(folder: string, accept: RegExp): File[] {
  const at = join(ROOT, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = relative(ROOT, join(at, entry.name));
    if (entry.isDirectory()) return SKIPPED.has(entry.name) && folder !== 'fixtures' ? [] : load(path, accept);
    return entry.isFile() && accept.test(entry.name) ? [parse(path, readFileSync(join(ROOT, path), 'utf8'))] : [];
  });
}
