/**
 * What waits on the disk for a collector that is away (--hep-spool): files of HEP packets in a folder of its own.
 *
 *     DIR/<collector>/<16 hex digits>.hep     0600; packets one after another, at most 1 MiB; the smallest number is the oldest
 *
 * A packet has its length in it, so a file needs no index, and a file is there as long as nothing of it was sent. A file that
 * is read is removed first: what a crash then loses is at most one file, and no collector gets a message twice. An incomplete
 * end, of a crash, is cut and counted. Only files with such a name are touched.
 *
 * The content is on the disk as long as the page cache keeps it: a crash of calltap loses none of it, one of the host may.
 */
import type { Stats } from 'node:fs';
import { closeSync, constants, ftruncateSync, lstatSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from '../../core/create-file.ts';
import { HEP_SPOOL_FILE_BYTES } from '../../core/item-limits.ts';
import { openSpoolFolder } from '../spool-folder.ts';
import { type Block, wholePackets } from './block.ts';
import type { HepOutCounters } from './link.ts';

const NAME = /^[0-9a-f]{16}\.hep$/;
/** There is room below it for what is put back. */
const FIRST_NUMBER = 2 ** 40;
const { O_NOFOLLOW, O_RDONLY } = constants;
/** A disk that refused is tried again after this. */
const RETRY_MS = 10_000;

/** `messages` -1: of an earlier run, not counted yet. */
type SpoolFile = { readonly number: number; bytes: number; messages: number };

export class Spool {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #counters: HepOutCounters;
  readonly #mayWrite: () => boolean;
  /** Oldest first. */
  readonly #files: SpoolFile[] = [];
  #bytes = 0;
  /** The newest file, while it is written. */
  #fd = -1;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** `mayWrite` is the persistence gate. */
  constructor(folder: string, mostBytes: number, counters: HepOutCounters, mayWrite: () => boolean) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
    this.#counters = counters;
    this.#mayWrite = mayWrite;
  }

  /** Makes the folder, or finds what an earlier run left in it. Throws ServiceError when it cannot be used. */
  open(): void {
    const folder = this.#folder;
    openSpoolFolder('--hep-spool', folder, (names) => {
      for (const name of names) {
        const stats = NAME.test(name) ? lstatSync(join(folder, name)) : null;
        if (stats?.isFile() === true) this.#found(Number.parseInt(name, 16), stats);
      }
    });
    this.#files.sort((a, b) => a.number - b.number);
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  /** Whether append() may write. */
  get isOpen(): boolean {
    return !this.#isClosed && this.#mayWrite();
  }

  /** Writes it as the newest, or counts why not. */
  append(block: Block): void {
    if (!this.isOpen) {
      this.#counters.add('gateClosed', block.messages);
      return;
    }
    const last = this.#files.at(-1);
    if (last !== undefined && last.bytes + block.bytes.length > HEP_SPOOL_FILE_BYTES) this.#endFile();
    while (this.#bytes + block.bytes.length > this.#mostBytes && this.#files.length > 0) this.#dropOldest();
    if (!this.#write(block)) this.#counters.add('spoolErrors', block.messages);
    else this.#counters.add('spooled', block.messages);
  }

  /** Writes it as the oldest: it was taken, or never written, and what is there is newer. */
  putBack(block: Block): void {
    const newest = this.#files.pop();
    const rest = newest === undefined ? [] : [...this.#files, newest];
    this.#endFile();
    this.#files.length = 0;
    const number = (rest[0]?.number ?? FIRST_NUMBER) - 1;
    const isWritten = this.isOpen && this.#write(block, number);
    this.#endFile();
    this.#files.push(...rest);
    this.#counters.add(isWritten ? 'spooled' : 'spoolErrors', block.messages);
  }

  /** The oldest file's packets, which are no longer on the disk; null when there are none. */
  async takeOldest(): Promise<Block | null> {
    const file = this.#files[0];
    if (file === undefined) return null;
    if (this.#files.length === 1) this.#endFile();
    this.#forget(file);
    try {
      const handle = await open(this.#path(file.number), O_RDONLY | O_NOFOLLOW);
      try {
        unlinkSync(this.#path(file.number));
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(file.bytes), 0, file.bytes, 0);
        const block = wholePackets(buffer.subarray(0, bytesRead));
        if (block.bytes.length < file.bytes)
          this.#counters.add('spoolErrors', Math.max(1, file.messages - block.messages));
        this.#counters.add('unspooled', block.messages);
        return block;
      } finally {
        await handle.close();
      }
    } catch {
      // Somebody else took it, or the disk cannot read it.
      this.#counters.add('spoolErrors', Math.max(1, file.messages));
      return null;
    }
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#endFile();
  }

  #found(number: number, { size }: Stats): void {
    if (!Number.isSafeInteger(number)) return;
    this.#files.push({ number, bytes: size, messages: -1 });
    this.#bytes += size;
  }

  #path(number: number): string {
    return join(this.#folder, `${number.toString(16).padStart(16, '0')}.hep`);
  }

  #write({ bytes, messages }: Block, number?: number): boolean {
    if (performance.now() - this.#refusedAtMs < RETRY_MS) return false;
    try {
      if (this.#fd < 0) {
        const next = number ?? (this.#files.at(-1)?.number ?? FIRST_NUMBER) + 1;
        this.#fd = createFile(this.#path(next));
        this.#files.push({ number: next, bytes: 0, messages: 0 });
      }
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch {
      this.#refuse();
      return false;
    }
    const file = this.#files.at(-1);
    if (file === undefined) return false;
    file.bytes += bytes.length;
    file.messages += messages;
    this.#bytes += bytes.length;
    return true;
  }

  /** The file ends with its last whole block. */
  #refuse(): void {
    this.#refusedAtMs = performance.now();
    const file = this.#files.at(-1);
    if (this.#fd < 0 || file === undefined) return;
    try {
      ftruncateSync(this.#fd, file.bytes);
      if (file.bytes === 0) unlinkSync(this.#path(file.number));
    } catch {
      // What is torn is cut when it is read.
    }
    if (file.bytes === 0) this.#files.pop();
    this.#endFile();
  }

  #endFile(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }

  #dropOldest(): void {
    const file = this.#files[0];
    if (file === undefined) return;
    if (this.#files.length === 1) this.#endFile();
    this.#forget(file);
    try {
      const messages =
        file.messages >= 0 ? file.messages : wholePackets(readFileSync(this.#path(file.number))).messages;
      unlinkSync(this.#path(file.number));
      this.#counters.add('spoolFull', messages);
    } catch {
      this.#counters.add('spoolErrors', Math.max(1, file.messages));
    }
  }

  #forget(file: SpoolFile): void {
    this.#files.shift();
    this.#bytes -= file.bytes;
  }
}
