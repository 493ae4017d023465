/**
 * The folder of -O with --split call: files are made in it, and opened again, by the descriptor of the folder.
 *
 * A new file is never one that is there, and no name is followed through a link. Node has no openat(2); the kernel's own
 * name of the descriptor, /proc/self/fd/N, leads to the same folder whatever happens to the path.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { createFile } from '../core/create-file.ts';
import { errnoOf, failure } from '../core/errors.ts';

const { O_RDONLY, O_WRONLY, O_DIRECTORY, O_NOFOLLOW, O_APPEND, O_NONBLOCK, R_OK, W_OK, X_OK } = constants;
/** Names tried where others have them already. */
const TRIES = 8;
const ENDING = '.pcapng';

/** A file that was made: its name, and which file that is. */
export type MadeFile = { readonly name: string; readonly dev: bigint; readonly ino: bigint };

export class CallFolder {
  readonly path: string;
  readonly #fd: number;
  #isClosed = false;

  /** Throws ServiceError where files cannot be made in it. */
  constructor(path: string) {
    this.path = path;
    try {
      this.#fd = openSync(path, O_RDONLY | O_DIRECTORY);
    } catch (error) {
      throw failure('OUTPUT_OPEN_FAILED', { path, cause: errnoOf(error) ?? 'EIO' });
    }
    try {
      accessSync(this.#at('.'), R_OK | W_OK | X_OK);
    } catch (error) {
      this.close();
      throw failure('OUTPUT_OPEN_FAILED', { path, cause: errnoOf(error) ?? 'EIO' });
    }
  }

  /** Makes a file with this name, or one like it. Throws what openSync() does. */
  create(base: string): MadeFile & { readonly fd: number } {
    for (let n = 0; ; n++) {
      const name = `${base}${n === 0 ? '' : `_${randomBytes(4).toString('hex')}`}${ENDING}`;
      try {
        const fd = createFile(this.#at(name), O_WRONLY | O_APPEND);
        const { dev, ino } = fstatSync(fd, { bigint: true });
        return { name, dev, ino, fd };
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST' || n === TRIES) throw error;
      }
    }
  }

  /** Opens a file that was made, to go on with it; null when it was taken away. Throws what openSync() does. */
  append({ name, dev, ino }: MadeFile): number | null {
    let fd: number;
    try {
      // A pipe that somebody put there must not hold the program.
      fd = openSync(this.#at(name), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR'].includes(errnoOf(error) ?? '')) return null;
      throw error;
    }
    const now = fstatSync(fd, { bigint: true });
    if (now.isFile() && now.dev === dev && now.ino === ino) return fd;
    closeSync(fd);
    return null;
  }

  /** Removes a file that was made, while its name leads to it. */
  remove({ name, dev, ino }: MadeFile): void {
    try {
      const now = lstatSync(this.#at(name), { bigint: true });
      if (now.dev === dev && now.ino === ino) unlinkSync(this.#at(name));
    } catch {
      // It has gone, or stays as it is.
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#fd);
  }

  #at(name: string): string {
    return `/proc/self/fd/${this.#fd}/${name}`;
  }
}
