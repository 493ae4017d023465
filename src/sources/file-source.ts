/**
 * Reads capture files, one after the other, through one native capture.
 *
 * A file that cannot be opened or holds nothing readable is one clear line; a file that ends in the
 * middle of a record gives what was whole and says so.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { ServiceError } from '../core/error.ts';
import { FILE_SLABS } from '../core/limits.ts';
import { CaptureCounters } from './capture-counters.ts';
import { CaptureFiles } from './capture-files.ts';
import type { CaptureMemory, CaptureOptions } from './capture-memory.ts';
import { allocateCaptureMemory, nativeOptions } from './capture-memory.ts';
import type { NativeCapture, NativeInfo } from './native.ts';
import { loadNative, PCAP_STATUS } from './native.ts';
import { RecordBatch } from './record-batch.ts';
import { END, KIND, RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from './records.ts';

/** How a file ended; `stopped` when close() ended it. */
export type FileEnd = {
  end: 'ok' | 'truncated' | 'corrupt' | 'io' | 'stopped';
  frames: number;
  lastUs: number;
};

/** The file was there, and its headers are no capture's. */
type NotOpened = { end: 'not-opened'; status: number; errno: number };

export class FileSource {
  readonly info: NativeInfo;
  readonly sipOutPorts: Uint32Array;
  readonly wsOutPorts: Uint32Array;
  /** What was read and can be read again. */
  readonly files: CaptureFiles;
  readonly #memory: CaptureMemory;
  readonly #native: NativeCapture;
  readonly #counters: CaptureCounters;
  #onRecords: (batch: RecordBatch, count: number) => void = () => {};
  #ended: ((end: FileEnd | NotOpened) => void) | null = null;
  #opened: (() => void) | null = null;
  #isClosed = false;

  constructor(options: CaptureOptions) {
    const binding = loadNative();
    this.info = binding.info();
    this.files = new CaptureFiles(binding.readAgain);
    this.#memory = allocateCaptureMemory(FILE_SLABS, this.info.counterCount);
    this.sipOutPorts = this.#memory.sipOutPorts;
    this.wsOutPorts = this.#memory.wsOutPorts;
    this.#counters = new CaptureCounters(this.info, this.#memory.counters);
    this.#native = new binding.Capture(nativeOptions(this.#memory, options, true), (slab, records) =>
      this.#onSlab(slab, records),
    );
  }

  /** Called with each slab of records, which are valid until it returns. */
  onRecords(handler: (batch: RecordBatch, count: number) => void): void {
    this.#onRecords = handler;
  }

  /** Before read(): the frames of the files are written there. */
  setOutput(id: number): void {
    this.#native.setOutput(id);
  }

  /**
   * Reads one file to its end, as number `file` of the files kept. Rejects with ServiceError when it cannot be read at all.
   * `meanwhile` is called once the file thread reads, before the first slab is taken; `opened` once its headers are known
   * to be a capture's, and at once for a pipe, which may be silent for long.
   */
  async read(path: string, file = 0, meanwhile?: () => void, opened?: () => void): Promise<FileEnd> {
    const { fd, status, errno } = this.#native.openFile(path, this.files.hasRoom);
    if (fd >= 0) this.files.add(file, fd);
    if (status !== PCAP_STATUS.RECORD) throw captureOpenError(path, status, errno);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) this.#opened = opened ?? null;
    else opened?.();
    const ended = new Promise<FileEnd | NotOpened>((resolve) => {
      this.#ended = resolve;
    });
    meanwhile?.();
    const end = await ended;
    if (!this.#isClosed) this.#native.endFile();
    if (end.end === 'not-opened') throw captureOpenError(path, end.status, end.errno);
    return end;
  }

  /** A native counter by its name. */
  counter(name: string): number {
    return this.#counters.get(name);
  }

  /** Frames that could not be decoded, by reason. */
  losses(): Generator<readonly [string, number]> {
    return this.#counters.losses();
  }

  /** 0..1 of the file that is being read. */
  progress(): number {
    return this.#native.progress();
  }

  /** Times the file thread waited for JavaScript. */
  waits(): number {
    return this.#native.waits();
  }

  rtpChunk(i: number): ArrayBuffer | undefined {
    return this.#native.rtpChunk(i);
  }

  /** Decodes a reassembled IP payload; the records made lie in `scratch`. */
  datagram(scratch: RecordBatch, payload: Uint8Array, descriptor: Uint8Array): number {
    return this.#native.datagram(scratch.data, scratch.bytes, payload, descriptor);
  }

  /** A slab of its own for datagram(). */
  static scratch(): RecordBatch {
    return new RecordBatch(Buffer.allocUnsafeSlow(SLAB_BYTES), new Uint8Array(SLAB_RECORDS * RECORD_BYTES));
  }

  /** Stops reading and frees the native side. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#native.close();
    this.files.close();
    this.#ended?.({ end: 'stopped', frames: 0, lastUs: Number.NaN });
    this.#ended = null;
  }

  #onSlab(slab: number, records: number): void {
    const batch = this.#memory.batches[slab];
    if (batch === undefined || records === 0) return;
    const last = records - 1;
    const isOpen = batch.kind(last) !== KIND.SOURCE_END || batch.aux0(last) !== END.NOT_OPENED;
    if (isOpen) this.#opened?.();
    this.#opened = null;
    this.#onRecords(batch, records);
    if (batch.kind(last) !== KIND.SOURCE_END) return;
    const how = batch.aux0(last);
    const ended = this.#ended;
    this.#ended = null;
    if (how === END.NOT_OPENED) ended?.({ end: 'not-opened', errno: batch.aux1(last), status: batch.aux2(last) });
    else
      ended?.({
        end: how === END.OK ? 'ok' : how === END.TRUNCATED ? 'truncated' : how === END.IO ? 'io' : 'corrupt',
        frames: batch.frame(last),
        lastUs: batch.tsUs(last),
      });
  }
}

/** Throws the error of the first that cannot be opened, for those that will be opened later. */
export function requireReadable(paths: readonly string[]): void {
  for (const path of paths) {
    if (path === '-') continue;
    try {
      accessSync(path, constants.R_OK);
    } catch (error) {
      const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
      throw captureOpenError(path, PCAP_STATUS.IO, -errno);
    }
  }
}

/** Why a capture could not be opened, as one line. `status` is enum ct_pcap_status. */
export function captureOpenError(path: string, status: number, errno: number): ServiceError {
  if (status === PCAP_STATUS.EMPTY)
    return new ServiceError('CAPTURE_FORMAT_UNKNOWN', `${path}: the file is empty; give a pcap or pcapng capture`);
  if (status !== PCAP_STATUS.IO)
    return new ServiceError('CAPTURE_FORMAT_UNKNOWN', `${path}: not a pcap or pcapng capture this program can read`);
  const name = errno === 0 ? 'EIO' : getSystemErrorName(-errno);
  const why: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied; check who may read it',
    EISDIR: 'is a directory; give a capture file',
  };
  return new ServiceError('CAPTURE_OPEN_FAILED', `${path}: ${why[name] ?? `cannot be opened (${name})`}`);
}
