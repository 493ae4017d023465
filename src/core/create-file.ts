/**
 * Makes every file that calltap writes, but for that of -O (native/output/pcap_write.c, by the same rules): content of calls
 * is nobody else's, and what somebody else put at the name leads nowhere.
 */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf, failure } from './errors.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** Its owner reads and writes it. */
const MODE = 0o600;
const NEW = O_CREAT | O_EXCL | O_NOFOLLOW;

/** A new file under a name that nothing has, and no link. Throws what openSync() does. */
export function createFile(path: string, access = O_WRONLY): number {
  return openSync(path, NEW | access, MODE);
}

/** The same without waiting for the disk. */
export function createFileAsync(path: string): Promise<FileHandle> {
  return open(path, NEW | O_WRONLY, MODE);
}

/** Writes a new file, whole or not at all; with `mayReplace` in the place of a regular one. Throws WRITE_FAILED. */
export function writeNewFile(path: string, bytes: Uint8Array, mayReplace: boolean): void {
  try {
    const isThere = mayReplace && isRegular(path);
    // What is replaced may have a second name, which keeps its content.
    const name = isThere ? `${path}.${randomBytes(8).toString('hex')}` : path;
    writeAll(name, bytes, () => {
      if (isThere) renameSync(name, path);
    });
  } catch (error) {
    throw failure('WRITE_FAILED', { path, cause: errnoOf(error) ?? 'error' });
  }
}

/**
 * Opens a file to go on at its end, made where it is not there. Whoever may write to the folder could lead the user root to
 * any file by a link, or read what goes to a file or pipe of his. Throws what openSync() does, EMLINK for a link of another
 * user, and EALREADY for what is another user's in a folder that everybody may write to.
 */
export function openToAppend(path: string, mode: number): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) refuseForeign(path, found);
  const isLink = found?.isSymbolicLink() === true;
  // What was looked at, and nothing that somebody put there meanwhile.
  const only = (isLink ? 0 : O_NOFOLLOW) | (found === undefined ? O_EXCL : 0);
  // A pipe without a reader is refused at once, and one that is full holds nobody up.
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | only, mode);
  try {
    if (found !== undefined && !isLink) refuseForeign(path, fstatSync(fd));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return fd;
}

function refuseForeign(path: string, found: Stats): void {
  if (found.uid === 0 || found.uid === process.geteuid?.()) return;
  if (found.isSymbolicLink()) throw Object.assign(new Error('a link of another user'), { code: 'EMLINK' });
  if ((statSync(dirname(path)).mode & constants.S_IWOTH) !== 0)
    throw Object.assign(new Error('a file of another user'), { code: 'EALREADY' });
}

/** False where nothing is. Throws `special` where something else is: a link, a pipe, a device. */
function isRegular(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw Object.assign(new Error('not a regular file'), { code: 'special' });
  return found !== undefined;
}

function writeAll(path: string, bytes: Uint8Array, done: () => void): void {
  const fd = createFile(path);
  try {
    try {
      writeFileSync(fd, bytes);
    } finally {
      closeSync(fd);
    }
    done();
  } catch (error) {
    // Half of a file is none.
    unlinkSync(path);
    throw error;
  }
}
