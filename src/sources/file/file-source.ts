/**
 * Reads capture files through one native capture, by the time of their packets.
 *
 * A file that cannot be opened or holds nothing readable is one clear line; a file that ends in the
 * middle of a record gives what was whole and says so.
 */

import { accessSync, closeSync, constants, statSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import type { ServiceError } from '../../core/errors.ts';
import { failure } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import type { CaptureOptions } from '../capture-memory.ts';
import type { NativeBinding } from '../native.ts';
import { loadNative, PCAP_STATUS } from '../native.ts';
import { PacketSource } from '../packet-source.ts';
import type { RecordBatch } from '../record-batch.ts';
import { END, KIND } from '../records.ts';
import { CaptureFiles } from './capture-files.ts';
import { readHead } from './capture-head.ts';
import { compressionOf } from './compression.ts';
import type { FrameSelection } from './frame-selection.ts';
import { type FilesAgain, stampOf, type WrittenFrames, writeFrames } from './second-pass.ts';
import type { PackedFile, UnpackedFile } from './unpack.ts';
import { Unpacker } from './unpack.ts';

/**
 * Slabs between the file thread and JavaScript: 2 MiB. More of them make no run faster, and each takes 0.45 MiB.
 *
 * @cap memory 4 MiB: records between the thread that reads and the main thread; with `-d` it is `LIVE_SLABS`
 */
const FILE_SLABS = 8;

/** What the thread had found when it was stopped is analysed for this long. */
const STOP_LIMIT_MS = 1_200;

/** How one file ended; `stopped` when it was not read to its end. */
export type FileEnd = {
  end: 'ok' | 'truncated' | 'corrupt' | 'io' | 'empty' | 'stopped';
  frames: number;
  /** Of a compressed file that was not unpacked to its end: why. */
  lack?: string;
};

/** How the reading of all files ended. */
export type FilesEnd = {
  /** stop() or close() ended it. */
  isStopped: boolean;
  /** Time of the newest frame, in microseconds; 0 none. */
  lastUs: number;
  /** Files whose packets came between those of another. */
  overlapping: number;
  /** They were not given in the order of their time. */
  isReordered: boolean;
};

/** There was no file: those of a folder were all empty. */
const NO_FILES: FilesEnd = { isStopped: false, lastUs: 0, overlapping: 0, isReordered: false };
const STOPPED: FilesEnd = { isStopped: true, lastUs: Number.NaN, overlapping: 0, isReordered: false };

export type ReadHooks = {
  /** A file, by its number, has ended. */
  onEnd?: (file: number, end: FileEnd) => void;
  /** Once the file thread reads, before the first slab is taken. */
  meanwhile?: () => void;
  /** Once the headers of all files are known to be captures'; at once where one is a pipe, which may be silent for long. */
  opened?: () => void;
};

/** A file was there, and its headers are no capture's; or it can no longer be opened. */
type NotOpened = { file: number; status: number; errno: number };

const FILE_ENDS: Readonly<Record<number, FileEnd['end']>> = {
  [END.OK]: 'ok',
  [END.TRUNCATED]: 'truncated',
  [END.IO]: 'io',
  [END.EMPTY]: 'empty',
  [END.STOPPED]: 'stopped',
};

export class FileSource extends PacketSource {
  /** What was read and can be read again. */
  readonly files: CaptureFiles;
  /** Records that a stop left unread. */
  abandoned = 0;
  #ended: ((end: FilesEnd | NotOpened) => void) | null = null;
  #onEnd: NonNullable<ReadHooks['onEnd']> = () => {};
  #opened: (() => void) | null = null;
  #isClosed = false;
  #isStopped = false;
  #isAbandoned = false;
  #unpacker: Unpacker | null = null;
  #unpacked: ReadonlyMap<number, UnpackedFile> = new Map();
  readonly #binding: NativeBinding;
  readonly #options: CaptureOptions;
  /** What was read last; null before. */
  #read: FilesAgain | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  /** Of the second pass, as NativeSecondPass has it. */
  readonly #control = new Uint32Array(2);

  constructor(options: CaptureOptions) {
    const binding = loadNative();
    super(binding, FILE_SLABS, options, true);
    this.#binding = binding;
    this.#options = options;
    this.files = new CaptureFiles(binding.readAgain);
  }

  /** Reads files to their ends. Rejects with ServiceError when one cannot be read at all. */
  async read(paths: readonly string[], hooks: ReadHooks = {}): Promise<FilesEnd> {
    if (this.#isStopped) return STOPPED;
    if (paths.length === 0) {
      hooks.opened?.();
      return NO_FILES;
    }
    const regular = paths.map((path) => path !== '-' && isReadableFile(path));
    if (!(await this.#unpack(paths, regular)) || this.#isStopped || this.#isClosed) return STOPPED;
    const descriptors = this.#hold(paths, regular);
    const { espNull, bpf } = this.#options;
    this.#read = { paths, descriptors, stamps: paths.map(stampOf), espNull, bpf: bpf ?? '' };
    const errno = this.native.openFiles(paths, descriptors);
    if (errno !== 0) throw captureOpenError(paths[0] ?? '', PCAP_STATUS.IO, errno);
    this.#onEnd = hooks.onEnd ?? (() => {});
    if (regular.every(Boolean)) this.#opened = hooks.opened ?? null;
    else hooks.opened?.();
    const ended = new Promise<FilesEnd | NotOpened>((resolve) => {
      this.#ended = resolve;
    });
    this.#writing = ended.then(ignore);
    hooks.meanwhile?.();
    const end = await ended;
    if (!this.#isClosed && !this.#isAbandoned) this.native.endFiles();
    if ('status' in end) throw captureOpenError(paths[end.file] ?? '', end.status, end.errno);
    return end;
  }

  #endOf(batch: RecordBatch, i: number): FileEnd {
    const end = FILE_ENDS[batch.aux0(i)] ?? 'corrupt';
    const frames = batch.frame(i);
    const lack = this.#unpacked.get(batch.source(i))?.lack ?? null;
    return lack === null || end === 'stopped' ? { end, frames } : { end: 'truncated', frames, lack };
  }

  /** How many files were read. */
  get fileCount(): number {
    return this.#read?.paths.length ?? 0;
  }

  /** Settles when neither the files are read nor a second pass is under way. */
  whenRead(): Promise<unknown> {
    return this.#writing;
  }

  /**
   * Reads the files once more when they were read, and writes the selected frames to the output of this number. Rejects with
   * ServiceError where a file cannot be read twice or has changed.
   */
  async writeSelected(selection: FrameSelection, output: number): Promise<WrittenFrames> {
    // One after the other: a descriptor has one place from which it is read.
    const turn = this.#writing.then(() => this.#write(selection, output));
    this.#writing = turn.then(ignore, ignore);
    return turn;
  }

  async #write(selection: FrameSelection, output: number): Promise<WrittenFrames> {
    if (this.#read === null || this.#isStopped || this.#isClosed)
      return { frames: 0, missedFragments: 0, isStopped: true };
    return writeFrames(this.#binding, this.#read, selection, output, this.#control);
  }

  /** Ends the reading with what was read so far: at once when it has not begun, else in little more than a second. */
  stop(): void {
    if (this.#isStopped || this.#isClosed) return;
    this.#isStopped = true;
    this.#unpacker?.stop();
    Atomics.store(this.#control, 0, 1);
    this.native.askStopFiles();
    setTimeout(() => this.#abandon(), STOP_LIMIT_MS).unref();
  }

  /** What the file thread had found is analysed no longer. */
  #abandon(): void {
    if (this.#isClosed || this.#ended === null) return;
    this.#isAbandoned = true;
    this.abandoned = this.native.abandon();
    this.#end(STOPPED);
  }

  #end(how: FilesEnd | NotOpened): void {
    this.#ended?.(how);
    this.#ended = null;
  }

  /** Unpacks what a program of the system has to unpack; false when stop() came first. */
  async #unpack(paths: readonly string[], regular: readonly boolean[]): Promise<boolean> {
    const packed = new Map<number, PackedFile>();
    for (const [file, path] of paths.entries()) {
      const compression = regular[file] === true ? compressionOf(readHead(path)) : null;
      if (compression !== null) packed.set(file, { path, compression });
    }
    if (packed.size === 0) return true;
    this.#unpacker = new Unpacker();
    const unpacked = await this.#unpacker.unpack(packed);
    if (unpacked === null) return false;
    this.#unpacked = unpacked;
    if (this.#isClosed) for (const { fd } of unpacked.values()) closeSync(fd);
    return true;
  }

  #hold(paths: readonly string[], regular: readonly boolean[]): Int32Array {
    let file = 0;
    try {
      const isRegular = (i: number): boolean => {
        file = i;
        return regular[i] === true;
      };
      return this.files.hold(paths, isRegular, new Map([...this.#unpacked].map(([i, { fd }]) => [i, fd])));
    } catch (error) {
      throw systemOpenError(paths[file] ?? '', error);
    }
  }

  /** 0..1 of what there is to be read. */
  progress(): number {
    const read = this.native.progress();
    return this.#unpacker === null ? read : (this.#unpacker.progress() + read) / 2;
  }

  /** The same of the second pass. */
  secondProgress(): number {
    return Atomics.load(this.#control, 1) / 1000;
  }

  /** Stops reading and frees the native side. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unpacker?.stop();
    Atomics.store(this.#control, 0, 1);
    this.native.close();
    // A second pass reads from the descriptors until it has stopped.
    faults.run('file', () => this.#writing.then(() => this.files.close()));
    this.#end(STOPPED);
  }

  protected override onSlab(batch: RecordBatch, records: number): void {
    const last = records - 1;
    const isEnd = batch.kind(last) === KIND.SOURCE_END;
    const isOpen = !isEnd || batch.aux0(last) !== END.NOT_OPENED;
    if (isOpen) this.#opened?.();
    this.#opened = null;
    super.onSlab(batch, records);
    for (let i = 0; i < records; i++)
      if (batch.kind(i) === KIND.FILE_END) this.#onEnd(batch.source(i), this.#endOf(batch, i));
    if (!isEnd) return;
    if (!isOpen) this.#end({ file: batch.source(last), errno: batch.aux1(last), status: batch.aux2(last) });
    else
      this.#end({
        isStopped: batch.aux0(last) === END.STOPPED,
        lastUs: batch.tsUs(last),
        overlapping: batch.aux1(last),
        isReordered: batch.aux2(last) !== 0,
      });
  }
}

function ignore(): void {}

/** True for a regular file. Throws ServiceError for what may not be read. */
function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch (error) {
    throw systemOpenError(path, error);
  }
}

function systemOpenError(path: string, error: unknown): ServiceError {
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  return captureOpenError(path, PCAP_STATUS.IO, -errno);
}

/** Why a capture could not be opened, as one line. `status` is enum ct_pcap_status. */
export function captureOpenError(path: string, status: number, errno: number): ServiceError {
  if (status === PCAP_STATUS.EMPTY) return failure('CAPTURE_FORMAT_UNKNOWN', { path, cause: 'empty' });
  if (status !== PCAP_STATUS.IO) return failure('CAPTURE_FORMAT_UNKNOWN', { path, cause: 'other' });
  return failure('CAPTURE_OPEN_FAILED', { path, cause: errno === 0 ? 'EIO' : getSystemErrorName(-errno) });
}
