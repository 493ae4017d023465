/** Files of the repository as tests see them, from dist or from a copy compiled elsewhere. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function repositoryRoot(): string {
  let at = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(at, 'binding.gyp')) && at !== dirname(at)) at = dirname(at);
  return existsSync(join(at, 'binding.gyp')) ? at : process.cwd();
}

export function repositoryFile(path: string): string {
  return readFileSync(join(repositoryRoot(), path), 'utf8');
}
