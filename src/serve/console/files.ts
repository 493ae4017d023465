/**
 * The files of the console as they were built: each as it is and compressed, in memory, under the one name it is asked by.
 * What is not in the folder cannot be asked for, so no name is ever put together from a request.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../core/errors.ts';

/** The encodings that the build makes, the smallest first, with the ending of their files. */
export const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
export type Encoding = (typeof ENCODINGS)[number][0] | 'identity';

export type ConsoleFile = {
  readonly type: string;
  /** Its name has a hash of what is in it: it never changes. */
  readonly isHashed: boolean;
  readonly etag: string;
  readonly bytes: ReadonlyMap<Encoding, Buffer>;
};

/** The page itself. */
export const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json',
};

/** A file that is made here, not by the build. */
export function madeFile(name: string, text: string): ConsoleFile {
  return file(name, new Map([['identity', Buffer.from(text)]]));
}

/** Every file of the folder by name. Throws ServiceError where the build made none. */
export function readConsole(folder: string): Map<string, ConsoleFile> {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // Said below.
  }
  if (!names.includes(PAGE)) throw failure('CONSOLE_NOT_BUILT', {});
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    if (ENCODINGS.some(([, ending]) => name.endsWith(ending))) continue;
    const bytes = new Map<Encoding, Buffer>();
    for (const [encoding, ending] of ENCODINGS) {
      if (names.includes(name + ending)) bytes.set(encoding, readFileSync(join(folder, name + ending)));
    }
    files.set(name, file(name, bytes.set('identity', readFileSync(join(folder, name)))));
  }
  return files;
}

function file(name: string, bytes: ReadonlyMap<Encoding, Buffer>): ConsoleFile {
  const whole = bytes.get('identity') ?? Buffer.alloc(0);
  return {
    type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    isHashed: /-[A-Z0-9]{8}\.\w+$/.test(name),
    etag: createHash('sha256').update(whole).digest('base64url').slice(0, 22),
    bytes,
  };
}
