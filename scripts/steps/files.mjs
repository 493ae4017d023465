// Lists source files and digests them: decides whether a build step has anything to do.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'corpus', '.git', '.cache']);

/** Paths below `folder` (relative to the repository) that `accept` takes, sorted; none when it is absent. */
export function list(folder, accept) {
  /** @type {string[]} */
  const found = [];
  const pending = [join(root, folder)];
  while (pending.length > 0) {
    const at = pending.pop();
    if (!existsSync(at)) continue;
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) pending.push(path);
      else if (entry.isFile() && accept(entry.name)) found.push(relative(root, path));
    }
  }
  return found.sort();
}

/** SHA-256 over names and contents of `files`, and over `extra` texts. */
export function digest(files, ...extra) {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${file}\0`);
    hash.update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : 'absent');
    hash.update('\0');
  }
  for (const text of extra) hash.update(`${text}\0`);
  return hash.digest('hex');
}

// The stamps live with the installed packages: whoever deletes node_modules starts over, as expected.
const STAMPS = join(root, 'node_modules/.cache/calltap/setup.json');

/** What earlier runs finished: step name -> digest of its inputs. */
export function readStamps() {
  try {
    const value = JSON.parse(readFileSync(STAMPS, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Records that `step` is done for inputs of this digest; `null` forgets it. */
export function writeStamp(step, value) {
  const stamps = readStamps();
  if (value === null) delete stamps[step];
  else stamps[step] = value;
  mkdirSync(dirname(STAMPS), { recursive: true });
  writeFileSync(STAMPS, `${JSON.stringify(stamps, null, 1)}\n`);
}
