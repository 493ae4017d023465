/** Makes a folder and what is missing above it. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf } from './errors.ts';

/**
 * Nothing happens where it is there. Throws the error of the system where it cannot be made. Node's own `recursive` never
 * returns from where the kernel refuses new names with ENOENT, as /proc does.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // Somebody else made it meanwhile.
      if (errnoOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
    }
  }
}
