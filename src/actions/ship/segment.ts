/**
 * A segment: a file of the spool with lines of one table, gzipped.
 *
 *     <boot>-<n>-<table>-<rows>.seg       0600; whole, and on the disk
 *     <boot>-<n>-<table>-<rows>.tmp       being written, or left by a crash
 *     <boot>-<n>-<table>-<rows>.refused   the store refused it; kept for who wants to know why
 *
 * `n` counts over all tables, and on from what earlier runs left, so the smallest is the oldest. A segment is written under the
 * name that counts for nothing, gets to the disk, and then gets its name: nobody ever reads half of one.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { SHIP_SEGMENT_BYTES } from '../../core/item-limits.ts';
import { SHIP_TABLES, type ShipTable } from './counters.ts';
import type { Lines } from './lines.ts';

export type SegmentName = {
  readonly boot: string;
  readonly n: number;
  readonly table: ShipTable;
  readonly rows: number;
};
export type Kind = 'seg' | 'tmp' | 'refused';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const NAME = /^([0-9a-f]{16,32})-([0-9]{10,15})-([a-z]+)-([0-9]{1,7})\.(seg|tmp|refused)$/;

/** The fastest. */
const LEVEL = 1;
/** zlib hands over so much at a time: each costs the main thread a turn. */
const CHUNK_BYTES = 256 * 1024;
const gzipped = promisify(gzip);

export function fileName({ boot, n, table, rows }: SegmentName, kind: Kind): string {
  return `${boot}-${String(n).padStart(10, '0')}-${table}-${rows}.${kind}`;
}

/** Null for a file that is no part of a spool. */
export function readName(name: string): (SegmentName & { readonly kind: Kind }) | null {
  const [, boot, n, tableText, rows, kindText] = NAME.exec(name) ?? [];
  const table = SHIP_TABLES.find((one) => one === tableText);
  const kind = (['seg', 'tmp', 'refused'] as const).find((one) => one === kindText);
  if (boot === undefined || table === undefined || kind === undefined) return null;
  return { boot, n: Number(n), table, rows: Number(rows), kind };
}

/** Makes segments, one at a time, in memory that is kept: what is new each time starts the garbage collector often. */
export class Compressor {
  #joined = Buffer.alloc(0);

  /** The lines, which are copied at once, as one gzip member, made by a thread of libuv's pool. */
  async gzip({ pieces, bytes }: Lines): Promise<Buffer> {
    if (this.#joined.length < bytes) this.#joined = Buffer.allocUnsafeSlow(SHIP_SEGMENT_BYTES);
    let at = 0;
    for (const piece of pieces) at += piece.copy(this.#joined, at);
    return gzipped(this.#joined.subarray(0, bytes), { level: LEVEL, chunkSize: CHUNK_BYTES });
  }
}

/** Writes it whole, or not at all. Throws the error of the system. */
export async function writeSegment(folder: string, name: SegmentName, bytes: Buffer): Promise<void> {
  const temporary = join(folder, fileName(name, 'tmp'));
  const file = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    await using(file, async () => {
      await file.writeFile(bytes);
      await file.sync();
    });
    await rename(temporary, join(folder, fileName(name, 'seg')));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  // The segment has its name; that it keeps it when the host crashes is no reason to lose the rows.
  await syncFolder(folder).catch(() => undefined);
}

/** Opens a segment for reading. Throws the error of the system. */
export function openSegment(folder: string, name: SegmentName): Promise<FileHandle> {
  return open(join(folder, fileName(name, 'seg')), O_RDONLY | O_NOFOLLOW);
}

async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, O_RDONLY | O_DIRECTORY);
  await using(directory, () => directory.sync());
}

async function using(file: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await file.close();
  }
}
