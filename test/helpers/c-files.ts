/**
 * What C files need of each other: what they include, and whose functions they call.
 */
import { posix } from 'node:path';
import type { File } from './source-files.ts';

/** A specifier that leads from `file` to `path`. */
function way(file: string, path: string): string {
  const relative = posix.relative(posix.dirname(file), path);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** The files that each includes with quotes, looked for by name. */
function included(files: readonly File[]): (file: File) => string[] {
  const byName = new Map(files.map((file) => [posix.basename(file.path), file.path]));
  return (file) =>
    [...file.text.matchAll(/^#include "([^"]+)"/gm)]
      .map((match) => byName.get(posix.basename(match[1] ?? '')))
      .filter((path): path is string => path !== undefined);
}

/** The same files, importing what they include. */
export function includes(files: readonly File[]): File[] {
  const of = included(files);
  return files.map((file) => ({ ...file, imports: of(file).map((path) => way(file.path, path)) }));
}

const DEFINITION = /^(?!static\b|typedef\b)\w[\w *]*?\b(ct_\w+)\([^;{]*\)\s*\{/gm;
const unit = (path: string): string => path.replace(/\.(c|cc|h)$/, '');
const withoutComments = (file: File): string => file.text.replace(/\/\*[\s\S]*?\*\//g, '');

/**
 * Each pair of `name.c` and `name.h` as one file. It imports the pairs that either includes, and those that define the
 * functions it names, whichever header declares them.
 */
export function units(files: readonly File[]): File[] {
  const of = included(files);
  const definedIn = new Map<string, string>();
  for (const file of files.filter(({ path }) => path.endsWith('.c')))
    for (const [, name = ''] of withoutComments(file).matchAll(DEFINITION)) definedIn.set(name, unit(file.path));
  const needs = new Map<string, { file: File; needed: Set<string> }>();
  for (const file of files) {
    const path = unit(file.path);
    const { needed } = needs.get(path) ?? { needed: new Set<string>() };
    needs.set(path, { file, needed });
    for (const other of of(file)) needed.add(unit(other));
    if (file.path.endsWith('.h')) continue;
    for (const [name] of withoutComments(file).matchAll(/\bct_\w+/g)) needed.add(definedIn.get(name) ?? path);
  }
  return [...needs].map(([path, { file, needed }]) => ({
    ...file,
    path,
    imports: [...needed].filter((other) => other !== path).map((other) => way(path, other)),
  }));
}
