/**
 * Unpacks compressed captures into temporary files, which are read in their place.
 *
 * A pipe would need no room on disk. But a merge opens each file twice, a pipe of each of a hundred files would have a
 * program that waits, a message could not be read again from its file, and nobody would know how far the reading is. A
 * temporary file keeps all of this as it is for a plain capture. It is private and has no name: it goes with the process,
 * however that ends.
 *
 * The program gets the file as its standard input, so that no name can be an option, and no shell. Its output goes through
 * this process, which counts it: what unpacks to more than its share is stopped and is a truncated file.
 */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statfsSync,
  statSync,
  unlinkSync,
  write,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createFile } from '../../core/create-file.ts';
import { errnoOf, failure } from '../../core/errors.ts';
import { giveUpPriority, killGroup } from '../../core/started-process.ts';
import { isCaptureHead } from './capture-head.ts';
import type { Compression } from './compression.ts';
import { findUnpacker, unpackerEnvironment } from './compression.ts';

/** Bytes that one compressed capture may unpack to. @cap */
const MAX_UNPACKED_FILE_BYTES = 16 * 1024 ** 3;

/** Bytes on disk that the compressed captures of a run unpack to, at most half of what is free; programs at a time. @cap */
const UNPACKED_BYTES = 64 * 1024 ** 3;
const UNPACKING_AT_A_TIME = 2;

export type PackedFile = { readonly path: string; readonly compression: Compression };

/** `fd` belongs to the caller. `lack` says why it does not hold all of the capture. */
export type UnpackedFile = { readonly fd: number; readonly lack: string | null };

export type UnpackLimits = { readonly fileBytes: number; readonly allBytes: number };

const LIMITS: UnpackLimits = { fileBytes: MAX_UNPACKED_FILE_BYTES, allBytes: UNPACKED_BYTES };
/** Characters of what a program says on standard error. */
const REASON_CHARS = 200;
const writeTo = promisify(write);

export class Unpacker {
  readonly #folder = tmpdir();
  readonly #limits: UnpackLimits;
  readonly #groups = new Set<number>();
  /** Compressed files by descriptor, while they are read. */
  readonly #inputs = new Set<number>();
  #room: number;
  #size = 0;
  #done = 0;
  #isStopped = false;

  constructor(limits = LIMITS) {
    this.#limits = limits;
    this.#room = Math.min(limits.allBytes, halfOfFree(this.#folder));
  }

  /** Files by their number; null when stop() came first. Throws ServiceError for one that gives nothing. */
  async unpack(packed: ReadonlyMap<number, PackedFile>): Promise<Map<number, UnpackedFile> | null> {
    const unpacked = new Map<number, UnpackedFile>();
    const waiting = [...packed];
    this.#size = waiting.reduce((sum, [, { path }]) => sum + statSync(path).size, 0);
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !this.#isStopped; next = waiting.shift())
        unpacked.set(next[0], await this.#one(next[1]));
    };
    const kill = (): void => this.stop();
    process.once('exit', kill);
    try {
      const ends = await Promise.allSettled(Array.from({ length: UNPACKING_AT_A_TIME }, worker));
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed === undefined && !this.#isStopped) return unpacked;
      for (const { fd } of unpacked.values()) closeSync(fd);
      if (this.#isStopped && failed?.reason === undefined) return null;
      throw failed?.reason;
    } finally {
      process.off('exit', kill);
    }
  }

  /** 0..1 of the compressed bytes. */
  progress(): number {
    let read = this.#done;
    for (const fd of this.#inputs) read += positionOf(fd);
    return this.#size === 0 ? 0 : Math.min(1, read / this.#size);
  }

  /** Ends the programs. */
  stop(): void {
    this.#isStopped = true;
    for (const pid of this.#groups) killGroup(pid);
  }

  async #one({ path, compression }: PackedFile): Promise<UnpackedFile> {
    const { program, debianPackage } = compression;
    const file = findUnpacker(compression);
    if (file === null) throw failure('UNPACK_MISSING', { path, program, debianPackage });
    const input = openSync(path, 'r');
    let fd = -1;
    try {
      this.#inputs.add(input);
      fd = this.#temporary(path);
      return { fd, lack: await this.#run(file, input, fd, { path, compression }) };
    } catch (error) {
      if (fd >= 0) closeSync(fd);
      throw error;
    } finally {
      this.#inputs.delete(input);
      this.#done += fstatSync(input).size;
      closeSync(input);
    }
  }

  /** An empty file without a name. */
  #temporary(path: string): number {
    const name = join(this.#folder, `calltap-${randomUUID()}`);
    try {
      const fd = createFile(name, constants.O_RDWR);
      unlinkSync(name);
      return fd;
    } catch (error) {
      if (errnoOf(error) === 'EMFILE') throw error;
      throw failure('UNPACK_NO_ROOM', { path, folder: this.#folder, cause: errnoOf(error) ?? 'EIO' });
    }
  }

  async #run(file: string, input: number, fd: number, packed: PackedFile): Promise<string | null> {
    const { program } = packed.compression;
    const child = spawn(file, ['-dc'], {
      stdio: [input, 'pipe', 'pipe'],
      env: unpackerEnvironment(),
      detached: true,
    });
    const { pid, stdout, stderr } = child;
    const ended = once(child, 'close').then(
      ([code]: unknown[]) => (code === 0 ? null : `exit code ${String(code)}`),
      (error: unknown) => errnoOf(error) ?? String(error),
    );
    if (pid === undefined || stdout === null || stderr === null) {
      const reason = (await ended) ?? 'no pipe';
      if (reason === 'EMFILE') throw failure('TOO_MANY_FILES', {});
      throw failure('UNPACK_FAILED', { path: packed.path, program, reason });
    }
    this.#groups.add(pid);
    giveUpPriority(pid);
    let said = '';
    stderr.on('data', (bytes: Buffer) => {
      if (said.length < REASON_CHARS) said += bytes.toString('latin1');
    });
    const stored = { bytes: 0, lack: null as string | null };
    try {
      await this.#store(stdout, fd, stored, packed.path);
      if (stored.lack !== null) return stored.lack;
      const how = await ended;
      if (how === null || this.#isStopped) return null;
      const reason = said.split('\n', 1)[0]?.slice(0, REASON_CHARS).trim() || how;
      if (stored.bytes === 0) throw failure('UNPACK_FAILED', { path: packed.path, program, reason });
      return `${program} cannot unpack all of it (${reason})`;
    } finally {
      if (child.exitCode === null && child.signalCode === null) killGroup(pid);
      await ended;
      this.#groups.delete(pid);
    }
  }

  /** Copies what comes out, as far as there is room. */
  async #store(
    from: Readable,
    fd: number,
    stored: { bytes: number; lack: string | null },
    path: string,
  ): Promise<void> {
    const { fileBytes } = this.#limits;
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (stored.bytes === 0 && chunk.length >= 4 && !isCaptureHead(chunk))
        throw failure('CAPTURE_FORMAT_UNKNOWN', { path, cause: 'other' });
      const take = Math.min(chunk.length, fileBytes - stored.bytes, this.#room);
      this.#room -= take;
      stored.bytes += take;
      const isWritten = await isWrittenTo(fd, chunk, take);
      if (isWritten && take === chunk.length) continue;
      stored.lack =
        isWritten && stored.bytes === fileBytes
          ? `unpacks to more than ${fileBytes} bytes`
          : `there is no more room for it in ${this.#folder} (TMPDIR)`;
      return;
    }
  }
}

/** False when the disk is full. */
async function isWrittenTo(fd: number, bytes: Buffer, length: number): Promise<boolean> {
  try {
    for (let at = 0; at < length; ) at += (await writeTo(fd, bytes, at, length - at)).bytesWritten;
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT') return false;
    throw error;
  }
}

/** So much may be taken of a disk that others need too. */
function halfOfFree(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.floor((bavail * bsize) / 2);
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}

/** The program reads through the same open file, so this is how far it is. */
function positionOf(fd: number): number {
  try {
    return Number(/^pos:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
