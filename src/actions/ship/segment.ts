/**
 * A segment: a file of the spool with lines of one table, gzipped.
 *
 *     <boot>-<n>-<table>-<rows>.seg       0600; whole, and on the disk
 *     <boot>-<n>-<table>-<rows>.tmp       being written, or left by a crash
 *     <boot>-<n>-<table>-<rows>.refused   the store refused it; kept for who wants to know why
 *
 * `n` counts over all tables, and on from what earlier runs left, so the smallest is the oldest. A segment is written under its
 * temporary name, gets to the disk, and then gets its name: nobody ever sends half of one.
 */
import { constants, readFileSync, renameSync, unlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { createFileAsync } from '../../core/create-file.ts';
import { SHIP_TABLES, type ShipTable } from './counters.ts';
import { LINE_END, type Lines } from './lines.ts';

/** Bytes of a segment before compression, and so of one line. @cap with SHIP_WAITING_BYTES */
export const SHIP_SEGMENT_BYTES = 4 * 1024 * 1024;

export type SegmentName = {
  readonly boot: string;
  readonly n: number;
  readonly table: ShipTable;
  readonly rows: number;
};
export type Kind = 'seg' | 'tmp' | 'refused';

const { O_DIRECTORY, O_RDONLY } = constants;
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

/** Writes it under its temporary name, whole or not at all; publish() comes next. Throws the error of the system. */
export async function writeTemporary(folder: string, name: SegmentName, bytes: Buffer): Promise<FileHandle> {
  const path = join(folder, fileName(name, 'tmp'));
  const file = await createFileAsync(path);
  try {
    await file.writeFile(bytes);
    return file;
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

/** Waits until the disk has it, closes it, and gives it its name; where that fails it is removed. Throws likewise. */
export async function publish(folder: string, name: SegmentName, file: FileHandle): Promise<void> {
  const path = join(folder, fileName(name, 'tmp'));
  try {
    await using(file, () => file.sync());
    await rename(path, join(folder, fileName(name, 'seg')));
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  }
  // The segment has its name; that it keeps it when the host crashes is no reason to lose the rows.
  await syncFolder(folder).catch(() => undefined);
}

/** Gives a file that a crash left its name, where all of it is there; else removes it. True for the first. */
export function salvage(folder: string, name: SegmentName): boolean {
  const path = join(folder, fileName(name, 'tmp'));
  const isWhole = hasRows(path, name.rows);
  if (isWhole) renameSync(path, join(folder, fileName(name, 'seg')));
  else unlinkSync(path);
  return isWhole;
}

/** gzip has a checksum at its end. */
function hasRows(path: string, rows: number): boolean {
  try {
    const lines = gunzipSync(readFileSync(path), { maxOutputLength: SHIP_SEGMENT_BYTES });
    let found = 0;
    for (let at = lines.indexOf(LINE_END); at >= 0; at = lines.indexOf(LINE_END, at + 1)) found++;
    return found === rows && lines.at(-1) === LINE_END;
  } catch {
    return false;
  }
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
