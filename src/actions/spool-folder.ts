/**
 * Opens the folder of a spool: what waits on the disk for a host that is away. One calltap alone uses it, and only its user
 * reads it.
 */
import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { errnoOf, failure, ServiceError } from '../core/errors.ts';
import { makeFolder } from '../core/make-folder.ts';

/**
 * Makes the folder where it is not there; the names in it go to `found`, which may throw. Throws ServiceError when the
 * folder cannot be used; `option` named it.
 */
export function openSpoolFolder(option: string, folder: string, found: (names: readonly string[]) => void): void {
  try {
    makeFolder(folder, 0o700);
    refuseForeign(option, folder);
    found(readdirSync(folder));
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const code = errnoOf(error) ?? 'error';
    throw unusable(
      option,
      folder,
      code === 'EEXIST' || code === 'ENOTDIR' ? 'it is no folder' : `it cannot be used (${code})`,
    );
  }
}

/** Throws likewise where files of the folder may be somebody else's. */
function refuseForeign(option: string, folder: string): void {
  const stats = lstatSync(folder);
  if (stats.isSymbolicLink()) throw unusable(option, folder, 'it is a symbolic link');
  if (stats.uid !== process.geteuid?.()) throw unusable(option, folder, 'it belongs to another user');
  if ((stats.mode & 0o022) !== 0) throw unusable(option, folder, 'others may write to it');
}

function unusable(option: string, folder: string, reason: string): Error {
  return failure('HEP_PATH_UNUSABLE', {
    option,
    path: folder,
    reason,
    content: 'folder that calltap may make or write to',
  });
}
