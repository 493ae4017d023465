/**
 * Loads the program from one script instead of two hundred modules (docs/adr/0018), while that script is current.
 */
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import type * as Program from './program.ts';

/** Imports a package of that name. */
export type LoadPackage = (name: string) => Promise<unknown>;

export type Startup = { readonly script: Script; readonly program: Promise<Pick<typeof Program, 'start'>> };

/** What scripts/steps/startup.mjs writes around the modules. */
type Joined = (require: NodeJS.Require, load: LoadPackage, base: URL) => Startup['program'];

/** File at `url`, or null when there is none. */
function contents(url: URL): Buffer | null {
  try {
    return readFileSync(url);
  } catch {
    return null;
  }
}

function modifiedMs(url: URL): number {
  return statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

/**
 * `dist` is the folder of the compiled program. Null when there is no script there or the compiler ran after it was made:
 * it writes every file anew.
 */
export function loadStartup(dist: URL, load: LoadPackage): Startup | null {
  const path = new URL('startup.js', dist);
  const modules = new URL('src/', dist);
  const entry = new URL('app/main.js', modules);
  if (modifiedMs(path) < modifiedMs(entry)) return null;
  const source = contents(path);
  if (source === null) return null;
  // Another engine refuses what was compiled ahead, and compiles the script itself.
  const cachedData = contents(new URL('startup.cache', dist)) ?? undefined;
  const options = { filename: path.pathname, ...(cachedData === undefined ? {} : { cachedData }) };
  const script = new Script(source.toString('latin1'), options);
  // A script's completion value has no type; scripts/steps/startup.mjs writes this function.
  const joined = script.runInThisContext() as Joined;
  return { script, program: joined(createRequire(entry), load, modules) };
}
