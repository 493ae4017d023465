/**
 * Keeps the files of a spool: what waits on the disk for a host that is away, in a folder that one calltap alone uses and
 * only its user reads. It holds their order, their sum and their caps. Their owner decides what is in a file, what it is
 * called, how it is written and when it goes.
 */
import type { Stats } from 'node:fs';
import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, failure, ServiceError } from '../core/errors.ts';
import { makeFolder } from '../core/make-folder.ts';

const { O_NOFOLLOW, O_RDONLY, W_OK, X_OK } = constants;

/** `turn`: it is taken before those with a larger one. `rows`: of what it holds, lines or messages. */
export type SpoolFile<K extends string> = { readonly table: K; bytes: number; rows: number; turn: number };

export type SpoolKind<K extends string, F extends SpoolFile<K>> = {
  /** That names the folder. */
  readonly option: string;
  readonly folder: string;
  /** What matters least is the first. */
  readonly tables: readonly K[];
  /** Of the disk. */
  readonly mostBytes: number;
  readonly mostFiles?: number;
  /** A file counts as whole blocks of so many bytes. */
  readonly blockBytes?: number;
  readonly nameOf: (file: F) => string;
};

export class SpoolFiles<K extends string, F extends SpoolFile<K>> {
  readonly #kind: SpoolKind<K, F>;
  /** Each in the order of its turns. */
  readonly #queues: readonly { readonly table: K; readonly files: F[] }[];
  #files = 0;
  #bytes = 0;
  #rows = 0;

  constructor(kind: SpoolKind<K, F>) {
    this.#kind = kind;
    this.#queues = kind.tables.map((table) => ({ table, files: [] }));
  }

  /**
   * Makes the folder where it is not there, or finds what earlier runs left in it. `read` says which file a name is, or null;
   * it looks where a regular file of that name has to be there, and may throw. Throws ServiceError when the folder cannot be used.
   */
  open(read: (name: string, look: () => Stats | null) => F | null): void {
    const { option, folder } = this.#kind;
    try {
      makeFolder(folder, 0o700);
      refuseForeign(option, folder);
      const found = readdirSync(folder).flatMap((name) => read(name, () => regular(join(folder, name))) ?? []);
      for (const file of found.sort((a, b) => a.turn - b.turn)) {
        this.count(file);
        this.add(file);
      }
      accessSync(folder, W_OK | X_OK);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const code = errnoOf(error) ?? 'error';
      const isNone = code === 'EEXIST' || code === 'ENOTDIR';
      throw unusable(option, folder, isNone ? 'it is not a folder' : `it cannot be used (${code})`);
    }
  }

  /** Of the disk, in whole blocks. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Of all files that are counted, those that were taken too. */
  get rows(): number {
    return this.#rows;
  }

  /** The oldest that waits of each table. */
  get heads(): F[] {
    return this.#queues.flatMap(({ files }) => files.slice(0, 1));
  }

  /** The newest that waits of each table. */
  get tails(): F[] {
    return this.#queues.flatMap(({ files }) => files.slice(-1));
  }

  /** What so many bytes take of the disk. */
  onDisk(bytes: number): number {
    const { blockBytes = 1 } = this.#kind;
    return Math.ceil(bytes / blockBytes) * blockBytes;
  }

  pathOf(file: F): string {
    return join(this.#kind.folder, this.#kind.nameOf(file));
  }

  /** It is on the disk from now on. */
  count(file: F): void {
    this.#files++;
    this.#bytes += this.onDisk(file.bytes);
    this.#rows += file.rows;
  }

  /** It is there no longer. */
  forget(file: F): void {
    this.#files--;
    this.#bytes -= this.onDisk(file.bytes);
    this.#rows -= file.rows;
  }

  /** It waits, before all others of its table or after them, as its turn says. */
  add(file: F): void {
    const files = this.#queue(file.table);
    if (file.turn < (files[0]?.turn ?? Number.NEGATIVE_INFINITY)) files.unshift(file);
    else files.push(file);
  }

  /** The one whose turn it is, which waits no longer; null where none does. */
  take(): F | null {
    let first: F[] | null = null;
    for (const { files } of this.#queues)
      if (files[0] !== undefined && files[0].turn < (first?.[0]?.turn ?? Number.POSITIVE_INFINITY)) first = files;
    return first?.shift() ?? null;
  }

  /**
   * Lets the oldest files of lesser tables go, each to `dropped`, until there is room for these bytes of `table`; false where
   * nothing is left that may go.
   */
  makeRoom(table: K, bytes: number, dropped: (file: F) => void): boolean {
    const { mostBytes, mostFiles = Number.POSITIVE_INFINITY } = this.#kind;
    while (this.#bytes + this.onDisk(bytes) > mostBytes || this.#files >= mostFiles) {
      const least = this.#queues.find((one) => one.table === table || one.files.length > 0);
      const file = least?.files.shift();
      if (file === undefined) return false;
      this.forget(file);
      dropped(file);
    }
    return true;
  }

  /** For reading, and never by a link. Throws the error of the system. */
  read(file: F): Promise<FileHandle> {
    return open(this.pathOf(file), O_RDONLY | O_NOFOLLOW);
  }

  #queue(table: K): F[] {
    const queue = this.#queues.find((one) => one.table === table);
    if (queue === undefined) throw new RangeError(`no table ${table}`);
    return queue.files;
  }
}

/** Null for what is no file. */
function regular(path: string): Stats | null {
  const stats = lstatSync(path);
  return stats.isFile() ? stats : null;
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
