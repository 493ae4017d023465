/**
 * Opens a file whose path somebody else chose: a regular file for reading, and nothing else.
 *
 * To open a FIFO or a device is to act on it. So the path gives a descriptor that only names what is there (O_PATH); that is
 * looked at, and the same file is opened by the descriptor, whatever the path leads to by then. A file of the kernel (/proc,
 * /sys) is a regular one too, and reading it may act: such a file has no blocks on a disk.
 */
import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';

/** Bytes of /proc/PID/mountinfo, where a debug file must lie. @cap */
const MAX_MOUNTS_BYTES = 1024 * 1024;

/** Linux; node:fs does not name it. */
const O_PATH = 0o10000000;
/** A file that is leased to another process refuses at once instead of waiting for that process. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export type RegularFile = { readonly fd: number; readonly stat: Stats };
export type NoFile = { readonly reason: string };

export type OpenRules = {
  /** The last name of the path may be a link. */
  readonly follow: boolean;
  /** Folder of a process in /proc: the file must lie in a file system that this process sees. */
  readonly seenBy?: string;
};

/** The caller closes it. */
export function openRegular(path: string, { follow, seenBy }: OpenRules): RegularFile | NoFile {
  let named: number | null = null;
  try {
    named = openSync(path, O_PATH | (follow ? 0 : constants.O_NOFOLLOW));
    const stat = fstatSync(named);
    if (!stat.isFile() || stat.blocks === 0) return { reason: 'no regular file' };
    if (seenBy !== undefined && !isSeenBy(seenBy, named)) return { reason: 'the path leads out of its file systems' };
    return { fd: openSync(`/proc/self/fd/${named}`, READ), stat };
  } catch (error) {
    return { reason: `cannot be opened (${errnoOf(error) ?? 'error'})` };
  } finally {
    if (named !== null) closeSync(named);
  }
}

/** A link with a whole path leads from /proc/PID/root into the root of this process: mounts have one number for all. */
function isSeenBy(folder: string, fd: number): boolean {
  const mount = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
  const mounts = readHead(`${folder}/mountinfo`, MAX_MOUNTS_BYTES);
  return mount !== undefined && `\n${mounts}`.includes(`\n${mount} `);
}

/** The first bytes of a file of the kernel that others may make long. Throws as openSync does. */
export function readHead(path: string, most: number): string {
  const fd = openSync(path, READ);
  try {
    const pieces: Buffer[] = [];
    let left = most;
    while (left > 0) {
      const piece = Buffer.allocUnsafe(Math.min(left, PIECE_BYTES));
      const n = readSync(fd, piece, 0, piece.length, null);
      if (n <= 0) break;
      pieces.push(piece.subarray(0, n));
      left -= n;
    }
    return Buffer.concat(pieces).toString('utf8');
  } finally {
    closeSync(fd);
  }
}

const PIECE_BYTES = 64 * 1024;
