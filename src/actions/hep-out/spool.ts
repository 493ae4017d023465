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
import { closeSync, ftruncateSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { HEP_SPOOL_FILE_BYTES } from '../../config/source-options.ts';
import { createFile } from '../../core/create-file.ts';
import { SpoolFiles } from '../spool-files.ts';
import { type Block, wholePackets } from './block.ts';
import type { HepOutCounters } from './link.ts';

const NAME = /^[0-9a-f]{16}\.hep$/;
/** There is room below it for what is put back. */
const FIRST_NUMBER = 2 ** 40;
/** A disk that refused is tried again after this. */
const RETRY_MS = 10_000;

/** `turn` is the number of its name. `rows`: messages, 0 of an earlier run, which nobody counted yet. */
type HepFile = { readonly table: 'hep'; bytes: number; rows: number; readonly turn: number };

export class PacketSpool {
  readonly #files: SpoolFiles<'hep', HepFile>;
  readonly #counters: HepOutCounters;
  readonly #mayWrite: () => boolean;
  /** The newest file, while it is written. */
  #writing: { readonly fd: number; readonly file: HepFile } | null = null;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** `mayWrite` is the persistence gate. */
  constructor(folder: string, mostBytes: number, counters: HepOutCounters, mayWrite: () => boolean) {
    this.#files = new SpoolFiles({
      option: '--hep-spool',
      folder,
      tables: ['hep'],
      mostBytes,
      nameOf: ({ turn }) => `${turn.toString(16).padStart(16, '0')}.hep`,
    });
    this.#counters = counters;
    this.#mayWrite = mayWrite;
  }

  /** Makes the folder, or finds what an earlier run left in it. Throws ServiceError when it cannot be used. */
  open(): void {
    this.#files.open((name, look) => {
      const turn = NAME.test(name) ? Number.parseInt(name, 16) : Number.NaN;
      const stats = Number.isSafeInteger(turn) ? look() : null;
      return stats === null ? null : { table: 'hep', bytes: stats.size, rows: 0, turn };
    });
  }

  get isEmpty(): boolean {
    return this.#files.heads.length === 0;
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
    const { length } = block.bytes;
    if (this.#writing !== null && this.#writing.file.bytes + length > HEP_SPOOL_FILE_BYTES) this.#endFile();
    this.#files.makeRoom('hep', length, (file) => this.#dropped(file));
    if (!this.#write(block)) this.#counters.add('spoolErrors', block.messages);
    else this.#counters.add('spooled', block.messages);
  }

  /** Writes it as the oldest: it was taken, or never written, and what is there is newer. */
  putBack(block: Block): void {
    this.#endFile();
    const isWritten = this.isOpen && this.#write(block, (this.#files.heads[0]?.turn ?? FIRST_NUMBER) - 1);
    this.#endFile();
    this.#counters.add(isWritten ? 'spooled' : 'spoolErrors', block.messages);
  }

  /** The oldest file's packets, which are no longer on the disk; null when there are none. */
  async takeOldest(): Promise<Block | null> {
    const file = this.#files.take();
    if (file === null) return null;
    if (file === this.#writing?.file) this.#endFile();
    this.#files.forget(file);
    try {
      const handle = await this.#files.read(file);
      try {
        unlinkSync(this.#files.pathOf(file));
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(file.bytes), 0, file.bytes, 0);
        const block = wholePackets(buffer.subarray(0, bytesRead));
        if (block.bytes.length < file.bytes) this.#counters.add('spoolErrors', Math.max(1, file.rows - block.messages));
        this.#counters.add('unspooled', block.messages);
        return block;
      } finally {
        await handle.close();
      }
    } catch {
      // Somebody else took it, or the disk cannot read it.
      this.#counters.add('spoolErrors', Math.max(1, file.rows));
      return null;
    }
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#endFile();
  }

  #write({ bytes, messages }: Block, number?: number): boolean {
    if (performance.now() - this.#refusedAtMs < RETRY_MS) return false;
    let file: HepFile;
    try {
      this.#writing ??= this.#begin(number ?? (this.#files.tails[0]?.turn ?? FIRST_NUMBER) + 1);
      file = this.#writing.file;
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#writing.fd, bytes, at);
    } catch {
      this.#refuse();
      return false;
    }
    if (file.bytes > 0) this.#files.forget(file);
    else this.#files.add(file);
    file.bytes += bytes.length;
    file.rows += messages;
    this.#files.count(file);
    return true;
  }

  #begin(turn: number): { readonly fd: number; readonly file: HepFile } {
    const file: HepFile = { table: 'hep', bytes: 0, rows: 0, turn };
    return { fd: createFile(this.#files.pathOf(file)), file };
  }

  /** The file ends with its last whole block. */
  #refuse(): void {
    this.#refusedAtMs = performance.now();
    if (this.#writing === null) return;
    const { fd, file } = this.#writing;
    try {
      ftruncateSync(fd, file.bytes);
      if (file.bytes === 0) unlinkSync(this.#files.pathOf(file));
    } catch {
      // What is torn is cut when it is read.
    }
    this.#endFile();
  }

  #endFile(): void {
    if (this.#writing !== null) closeSync(this.#writing.fd);
    this.#writing = null;
  }

  /** It gave room to newer ones. */
  #dropped(file: HepFile): void {
    if (file === this.#writing?.file) this.#endFile();
    try {
      const path = this.#files.pathOf(file);
      const messages = file.rows > 0 ? file.rows : wholePackets(readFileSync(path)).messages;
      unlinkSync(path);
      this.#counters.add('spoolFull', messages);
    } catch {
      this.#counters.add('spoolErrors', Math.max(1, file.rows));
    }
  }
}
