/**
 * Reads capture files through one native capture, by the time of their packets.
 *
 * A file that cannot be opened or holds nothing readable is one clear line; a file that ends in the
 * middle of a record gives what was whole and says so.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import type { ServiceError } from '../../core/errors.ts';
import { failure } from '../../core/errors.ts';
import { FILE_SLABS } from '../../core/limits.ts';
import type { CaptureOptions } from '../capture-memory.ts';
import { loadNative, PCAP_STATUS } from '../native.ts';
import { PacketSource } from '../packet-source.ts';
import type { RecordBatch } from '../record-batch.ts';
import { END, KIND } from '../records.ts';
import { CaptureFiles } from './capture-files.ts';

/** What the thread had found when it was stopped is analysed for this long. */
const STOP_LIMIT_MS = 1_200;

/** How one file ended; `stopped` when it was not read to its end. */
export type FileEnd = {
  end: 'ok' | 'truncated' | 'corrupt' | 'io' | 'empty' | 'stopped';
  frames: number;
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

  constructor(options: CaptureOptions) {
    const binding = loadNative();
    super(binding, FILE_SLABS, options, true);
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
    const errno = this.native.openFiles(paths, this.#hold(paths, regular));
    if (errno !== 0) throw captureOpenError(paths[0] ?? '', PCAP_STATUS.IO, errno);
    this.#onEnd = hooks.onEnd ?? (() => {});
    if (regular.every(Boolean)) this.#opened = hooks.opened ?? null;
    else hooks.opened?.();
    const ended = new Promise<FilesEnd | NotOpened>((resolve) => {
      this.#ended = resolve;
    });
    hooks.meanwhile?.();
    const end = await ended;
    if (!this.#isClosed && !this.#isAbandoned) this.native.endFiles();
    if ('status' in end) throw captureOpenError(paths[end.file] ?? '', end.status, end.errno);
    return end;
  }

  /** Ends the reading with what was read so far: at once when it has not begun, else in little more than a second. */
  stop(): void {
    if (this.#isStopped || this.#isClosed) return;
    this.#isStopped = true;
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

  #hold(paths: readonly string[], regular: readonly boolean[]): Int32Array {
    let file = 0;
    try {
      return this.files.hold(paths, (i) => {
        file = i;
        return regular[i] === true;
      });
    } catch (error) {
      throw systemOpenError(paths[file] ?? '', error);
    }
  }

  /** 0..1 of what there is to be read. */
  progress(): number {
    return this.native.progress();
  }

  /** Stops reading and frees the native side. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.native.close();
    this.files.close();
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
      if (batch.kind(i) === KIND.FILE_END)
        this.#onEnd(batch.source(i), { end: FILE_ENDS[batch.aux0(i)] ?? 'corrupt', frames: batch.frame(i) });
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
