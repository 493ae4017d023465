/**
 * The files of calls (-O DIR --split call): who gets one, which are open, what waits for the disk, and what was lost.
 *
 * Frames wait in a small buffer of their call, for a second at most. So a descriptor is needed once in many frames, and a
 * few serve many calls: the one used least recently is closed, and its file is opened again when a frame comes. What a disk
 * refuses is lost and counted; the file stays cut at its last whole frame, and goes on when the disk takes more.
 */
import { closeSync, ftruncateSync, writeSync } from 'node:fs';
import { countedWere } from '../core/counted.ts';
import { Counters } from '../core/counters.ts';
import { errnoOf } from '../core/errors.ts';
import type { CapturedFrame } from '../ingest/frame-intake.ts';
import type { CallFile } from './call-file.ts';
import type { NamedCall } from './call-file-name.ts';
import { callFileName } from './call-file-name.ts';
import { CallFolder } from './call-folder.ts';
import { wholeBlocks } from './pcapng-blocks.ts';

/**
 * `--split call`: descriptors that are open at a time, and buffers of frames that wait for the disk. A file that is closed
 * is opened again where a frame comes.
 *
 * @cap
 */
const MAX_OPEN_CALL_FILES = 512;
const MAX_CALL_BUFFERS = 4_096;
const CALL_BUFFER_BYTES = 16 * 1024;

/** Buffers of `--split call` kept for the next frames when none wait. @cap */
const CALL_BUFFERS_KEPT = 256;

/** Files of calls made in a second of capture time, and in a run. @cap */
const MAX_CALL_FILES_A_SECOND = 500;
const MAX_CALL_FILES = 10_000_000;

/** What is counted, the losses among it first. */
export const CALL_FILE_LOSSES = ['lost', 'beyond_cap', 'early_media', 'parts_missing', 'without_frame'] as const;
const COUNTED = [
  ...CALL_FILE_LOSSES,
  ...(['frames', 'bytes', 'files', 'files_refused', 'skipped_by_gate', 'write_errors', 'open_errors'] as const),
] as const;

/** Caps that tests lower. */
export type CallFileCaps = { readonly open: number; readonly buffers: number; readonly perSecond: number };
const CAPS: CallFileCaps = {
  open: MAX_OPEN_CALL_FILES,
  buffers: MAX_CALL_BUFFERS,
  perSecond: MAX_CALL_FILES_A_SECOND,
};

export class CallFiles {
  readonly counters = new Counters<(typeof COUNTED)[number]>(COUNTED);
  readonly path: string;
  readonly #folder: CallFolder;
  readonly #caps: CallFileCaps;
  /** The one used least recently is the first. */
  readonly #open = new Set<CallFile>();
  /** Files with frames that wait, in the order of their first. */
  readonly #dirty = new Set<CallFile>();
  readonly #free: Buffer[] = [];
  #isEnabled = true;
  #isClosed = false;
  #second = Number.NEGATIVE_INFINITY;
  #inSecond = 0;
  #admitted = 0;
  /** Why a write failed, the last time that one did. */
  #cause: string | null = null;
  /** What became of writes since the last tick. */
  #hasFailed = false;
  #hasWritten = false;
  /** The trouble that was told of; null when there is none. */
  #saidCause: string | null = null;
  #saidLost = 0;
  #saidRefused = false;

  /** Throws ServiceError. */
  constructor(path: string, caps: CallFileCaps = CAPS) {
    this.path = path;
    this.#folder = new CallFolder(path);
    // A limit on file size is then an error of write(2), which is counted.
    if (process.listenerCount('SIGXFSZ') === 0) process.on('SIGXFSZ', () => undefined);
    this.#caps = caps;
  }

  /** Why frames were lost, as the name of an errno; null when none were. */
  get trouble(): string | null {
    return this.#cause;
  }

  /** Descriptors that are open now. */
  get openCount(): number {
    return this.#open.size;
  }

  nameOf(call: NamedCall): string {
    return callFileName(call);
  }

  counts(): [string, number][] {
    return this.counters.names.map((name) => [name, this.counters.get(name)]);
  }

  /** The persistence gate: when this returns for false, nothing more is written. */
  setEnabled(isEnabled: boolean): void {
    if (!isEnabled) this.flush();
    this.#isEnabled = isEnabled;
  }

  /** A frame of the call, which gets its file with the first. */
  write(file: CallFile, frame: CapturedFrame): void {
    if (this.#isClosed) return;
    if (!this.#isEnabled) {
      this.counters.add('skipped_by_gate');
      return;
    }
    if (file.admission === 'open') this.#admit(file, frame.tsUs);
    if (file.admission === 'refused') {
      this.counters.add('beyond_cap');
      return;
    }
    const room = (file.buffer?.length ?? CALL_BUFFER_BYTES) - file.used;
    if (file.need(frame) > room) this.#flush(file);
    file.buffer ??= this.#takeBuffer(file.need(frame));
    file.put(file.buffer, frame);
    this.#dirty.add(file);
    if (file.buffer.length > CALL_BUFFER_BYTES) this.#flush(file);
  }

  /** The call is over: its frames go to the disk, and the file is closed. */
  finish(file: CallFile): void {
    this.#flush(file);
    this.#closeFile(file);
  }

  /** Once a second: what waits goes to the disk. Says in lines for the operator what became worse, or well again. */
  tick(): readonly string[] {
    if (this.#isClosed) return [];
    this.flush();
    const news: string[] = [];
    if (this.#hasFailed && this.#saidCause !== this.#cause) {
      news.push(`-O ${this.path}: cannot write (${this.#cause}); capture continues without these frames`);
      this.#saidCause = this.#cause;
    } else if (this.#hasWritten && !this.#hasFailed && this.#saidCause !== null) {
      const lost = this.counters.get('lost');
      news.push(`-O ${this.path}: written again; ${countedWere(lost - this.#saidLost, 'frame')} lost meanwhile`);
      this.#saidLost = lost;
      this.#saidCause = null;
    }
    // A file that was removed to make room takes its room while it is open.
    if (this.#hasFailed) this.reopen();
    this.#hasFailed = false;
    this.#hasWritten = false;
    if (!this.#saidRefused && this.counters.get('files_refused') > 0) {
      this.#saidRefused = true;
      news.push(
        `-O ${this.path}: more than ${this.#caps.perSecond} calls begin in a second; the others get no file: choose with --filter`,
      );
    }
    return news;
  }

  /** SIGHUP: files that were taken away are not written any more. */
  reopen(): void {
    for (const file of this.#open) this.#closeFile(file);
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.flush();
    this.#isClosed = true;
    for (const file of this.#open) this.#closeFile(file);
    this.#folder.close();
  }

  #admit(file: CallFile, tsUs: number): void {
    const second = Math.floor(tsUs / 1e6);
    // Frames of several interfaces are a little out of order: an older second is none of its own.
    if (second > this.#second || second < this.#second - 1) {
      this.#second = second;
      this.#inSecond = 0;
    }
    const hasRoom = this.#inSecond < this.#caps.perSecond && this.#admitted < MAX_CALL_FILES;
    file.admission = hasRoom ? 'granted' : 'refused';
    if (!hasRoom) this.counters.add('files_refused');
    else {
      this.#inSecond++;
      this.#admitted++;
    }
  }

  /** Where all buffers are in use, the frames that wait longest go to the disk. */
  #takeBuffer(need: number): Buffer {
    if (need > CALL_BUFFER_BYTES) return Buffer.allocUnsafeSlow(need);
    const [oldest] = this.#dirty.size < this.#caps.buffers ? [] : this.#dirty;
    if (oldest !== undefined) this.#flush(oldest);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(CALL_BUFFER_BYTES);
  }

  /** What waits goes to the disk. */
  flush(): void {
    for (const file of this.#dirty) this.#flush(file);
  }

  #flush(file: CallFile): void {
    const { buffer } = file;
    this.#dirty.delete(file);
    if (buffer === null) return;
    const done = this.#put(file, buffer);
    this.counters.add('frames', done);
    this.counters.add('lost', file.waiting - done);
    if (done > 0 && !file.isCounted) {
      file.isCounted = true;
      this.counters.add('files');
    }
    file.emptied(done === file.waiting);
    if (buffer.length === CALL_BUFFER_BYTES && this.#free.length < CALL_BUFFERS_KEPT) this.#free.push(buffer);
  }

  /** Writes what waits, or the whole blocks of it that the disk takes; how many frames that were. */
  #put(file: CallFile, buffer: Buffer): number {
    try {
      this.#openFile(file);
    } catch (error) {
      this.counters.add('open_errors');
      this.#fail(error);
      return 0;
    }
    const head = file.size === 0 ? file.head() : null;
    const own = buffer.subarray(0, file.used);
    const bytes = head === null ? own : Buffer.concat([head, own]);
    let done = 0;
    try {
      while (done < bytes.length) {
        const n = writeSync(file.fd, bytes, done);
        if (n === 0) throw new Error('nothing was written');
        done += n;
      }
      this.#hasWritten = true;
    } catch (error) {
      this.counters.add('write_errors');
      this.#fail(error);
      done = this.#cutBack(file, bytes, done);
    }
    this.counters.add('bytes', done);
    file.size += done;
    if (file.size === 0) this.#discard(file);
    return done === bytes.length ? file.waiting : wholeBlocks(bytes, done).frames;
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#cause = errnoOf(error) ?? 'EIO';
  }

  /** Of the `done` bytes those of whole blocks stay; where the file cannot be cut, nothing may follow. */
  #cutBack(file: CallFile, bytes: Buffer, done: number): number {
    const { length } = wholeBlocks(bytes, done);
    try {
      if (length < done) ftruncateSync(file.fd, file.size + length);
    } catch {
      file.admission = 'refused';
    }
    return length;
  }

  /** Makes the file, or opens it again; one that was taken away is followed by a new one. */
  #openFile(file: CallFile): void {
    this.#open.delete(file);
    if (file.fd < 0 && file.made !== null) file.fd = this.#folder.append(file.made) ?? -1;
    if (file.fd < 0) {
      const { fd, ...made } = this.#folder.create(file.base);
      file.fd = fd;
      file.made = made;
      file.size = 0;
    }
    this.#open.add(file);
    for (const oldest of this.#open) {
      if (this.#open.size <= this.#caps.open) break;
      this.#closeFile(oldest);
    }
  }

  /** A file without a byte is no capture: nothing of it stays. */
  #discard(file: CallFile): void {
    this.#closeFile(file);
    if (file.made !== null) this.#folder.remove(file.made);
    file.made = null;
  }

  #closeFile(file: CallFile): void {
    this.#open.delete(file);
    if (file.fd >= 0) closeSync(file.fd);
    file.fd = -1;
  }
}
