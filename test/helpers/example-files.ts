/** The configurations of deploy/examples, as they are and laid out for a test. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package.ts';
import { certified } from './certificates.ts';

const FOLDER = join(packageRoot(), 'deploy/examples');

export const EXAMPLES: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.toml'))
  .sort();

export const KEY = 'example-key-example-key-example-key';

export function exampleText(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

/** `calltap hub` or `calltap`, with a configuration file. */
export function commandOf(name: string, path: string): string[] {
  return [...(name.includes('hub') ? ['hub'] : []), '--config', path];
}

/** Copies one to a folder that stands for /etc/calltap and /var/lib/calltap, with the secrets that it names; its path. */
export function layOut(name: string, folder: string, change: (text: string) => string = (text) => text): string {
  mkdirSync(join(folder, 'lib'), { recursive: true });
  const text = change(exampleText(name))
    .replaceAll('/etc/calltap/', `${folder}/`)
    .replaceAll('/var/lib/calltap', `${folder}/lib`);
  for (const [, path = ''] of text.matchAll(/^\w*(?:key|password)_file = "([^"]+)"$/gm))
    writeFileSync(path, `${KEY}\n`, { mode: 0o600 });
  if (text.includes('listen_cert')) {
    certified(folder, 'ca', 'localhost');
    for (const [from, to] of [
      ['ca-server.pem', 'hep.pem'],
      ['ca-server.key', 'hep.key'],
    ] as const)
      writeFileSync(join(folder, to), readFileSync(join(folder, from)));
  }
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
