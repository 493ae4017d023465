/**
 * Compressed captures that a program of the system reads: which they are, told by their first bytes and never by their
 * name, and where the program is. gzip is not among them: the reader in C inflates it.
 */

import { spawnSync } from 'node:child_process';
import { findProgram } from '../../core/started-process.ts';

/** `program -dc` unpacks its standard input. */
export type Compression = { readonly program: string; readonly debianPackage: string };

/** RFC 8878 section 3.1.1, the xz file format 2.1.1.1, bzip2 (with the magic of its first block), the LZ4 frame format. */
const BY_MAGIC: readonly (readonly [RegExp, Compression])[] = [
  [/^28b52ffd/, { program: 'zstd', debianPackage: 'zstd' }],
  [/^fd377a585a00/, { program: 'xz', debianPackage: 'xz-utils' }],
  [/^425a683[1-9](314159265359|177245385090)/, { program: 'bzip2', debianPackage: 'bzip2' }],
  [/^(04224d18|02214c18)/, { program: 'lz4', debianPackage: 'lz4' }],
];
const MAGIC_BYTES = 10;

/** A file of a folder is looked into for this long. */
const PEEK_MS = 5_000;

/** How the file that begins so is compressed; null for every other one. */
export function compressionOf(head: Buffer): Compression | null {
  const start = head.toString('hex', 0, MAGIC_BYTES);
  return BY_MAGIC.find(([magic]) => magic.test(start))?.[1] ?? null;
}

/** The absolute path of the program; null where there is none. */
export function findUnpacker({ program }: Compression, searchPath = process.env['PATH'] ?? ''): string | null {
  return findProgram(program, searchPath);
}

/** What the program sees of the environment: their own variables can hold options (XZ_OPT, ZSTD_NBTHREADS, BZIP2). */
export function unpackerEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
}

/** The first bytes of what is in the file, at most `length`, or why there are none. `fd` stands at its beginning. */
export function peekUnpacked(fd: number, compression: Compression, length: number): Buffer | 'missing' | 'damaged' {
  const file = findUnpacker(compression);
  if (file === null) return 'missing';
  const { stdout, status } = spawnSync(file, ['-dc'], {
    stdio: [fd, 'pipe', 'ignore'],
    env: unpackerEnvironment(),
    // More than that ends the program.
    maxBuffer: length,
    timeout: PEEK_MS,
    killSignal: 'SIGKILL',
  });
  const bytes = stdout ?? Buffer.alloc(0);
  return bytes.length > 0 || status === 0 ? bytes : 'damaged';
}
