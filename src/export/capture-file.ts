/**
 * The file that captured frames are written to (-O): opened once, gated, rotated and re-opened, and what it lost.
 *
 * Frames are written by the thread that captures them (native/output/pcap_write.h); this only commands it.
 */

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { counted, countedWere } from '../core/counted.ts';
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import type { MessagePacket, NativeBinding, NativeOutputFile } from '../sources/native.ts';
import { loadNative } from '../sources/native.ts';
import type { Packet } from '../sources/packet.ts';
import type { Anonymizing } from './anonymize/anonymizing.ts';
import { reportLines } from './anonymize/report.ts';
import { AnonymizingTap } from './anonymize/tap.ts';

/** When the next file is begun: before it holds `bytes`, or after `seconds`; 0 is never. */
export type Split = { readonly bytes: number; readonly seconds: number };

/** What `--keep` says where it is not given: no file is ever removed. */
const KEEP_ALL = 0;

/** The names of a split: native/output/pcap_keep.h. */
const NUMBERED = /\.([0-9]{5}|[1-9][0-9]{5,8})$/;

/** How much earlier or later than its packets a file may have been written. */
const FILE_MARGIN_MS = 5_000;

/** Chunks that are taken at once, five numbers each. */
const CHUNKS = 256;
const CHUNK_NUMBERS = 5;

/** One write to a file: where, and the first and last time of its frames, in microseconds. */
export type WrittenChunk = {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
  readonly firstUs: number;
  readonly lastUs: number;
};

/** Counters that are losses: frames and messages that were captured and are in no file. */
const LOSSES = ['lost', 'link_refused', 'messages_refused', 'cut'] as const;

export class OutputFile {
  readonly path: string;
  readonly #isSplit: boolean;
  readonly #native: NativeOutputFile;
  /** Stands before the file with --anonymize. */
  #tap: AnonymizingTap | null = null;
  #anonymizing: Anonymizing | null = null;
  readonly #names: readonly string[];
  readonly #counters: BigUint64Array;
  #saidErrno = 0;
  #saidLost = 0;
  #saidRefused = false;
  #saidMessages = false;
  #saidRemoveErrors = 0;
  #saidStopped = false;
  /** Of a file that is closed. */
  #lastName: string | null = null;
  #isClosed = false;

  private constructor(path: string, isSplit: boolean, binding: NativeBinding) {
    this.path = path;
    this.#isSplit = isSplit;
    this.#native = new binding.OutputFile();
    this.#names = binding.info().outputCounterNames;
    this.#counters = new BigUint64Array(this.#names.length);
  }

  /**
   * Opens the first file. Throws ServiceError; `inputs` are capture files that must not be overwritten. Of a split the
   * newest `keep` files stay; what is older is removed, that of earlier runs too.
   */
  static open(
    path: string,
    split: Split,
    inputs: readonly string[] = [],
    keep = KEEP_ALL,
    anonymizing: Anonymizing | null = null,
  ): OutputFile {
    const same = inputs.find((input) => isSameFile(input, path) || (keep > 0 && isNumberedFileOf(path, input)));
    if (same !== undefined) throw failure('OUTPUT_IS_INPUT', { path });
    const { bytes: splitBytes, seconds: splitSeconds } = split;
    const output = new OutputFile(path, splitBytes + splitSeconds > 0, loadNative());
    const errno = output.#native.open({ path, splitBytes, splitSeconds, keepFiles: keep });
    if (errno !== 0) throw openError(path, errno);
    if (anonymizing !== null) {
      output.#tap = new AnonymizingTap(path, output.#native.id(), anonymizing);
      output.#anonymizing = anonymizing;
    }
    return output;
  }

  /** For setOutput() of a native capture. */
  get id(): number {
    return this.#first.id();
  }

  /** Its frames are others than those that were captured. */
  get isAnonymized(): boolean {
    return this.#tap !== null;
  }

  get #first(): NativeOutputFile {
    return this.#tap?.native ?? this.#native;
  }

  /** The file that is written now: the newest one of a split. */
  get name(): string {
    return this.#lastName ?? this.#native.name();
  }

  /** What was taken is in the files, while the gate is open. */
  flush(): void {
    if (!this.#isClosed) this.#native.flush();
  }

  /** What was written is in the files; those that may hold frames of this time (microseconds since the epoch). */
  filesOver(fromUs: number, toUs: number): readonly string[] {
    this.#native.flush();
    if (!this.#isSplit) return [this.path];
    const folder = dirname(this.path);
    const numbered = readdirSync(folder)
      .filter((name) => isNumberOf(this.path, name))
      .map((name) => join(folder, name))
      .sort((a, b) => numberOf(a) - numberOf(b));
    // A file was last written to when the next one began.
    const endsMs = numbered.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    const margin = FILE_MARGIN_MS;
    return numbered.filter(
      (_, i) => (endsMs[i] ?? 0) >= fromUs / 1000 - margin && (endsMs[i - 1] ?? 0) <= toUs / 1000 + margin,
    );
  }

  /** What was written since the last call, the oldest first. A disk that is slow makes nobody wait. */
  *newChunks(): Generator<WrittenChunk> {
    const numbers = new Float64Array(CHUNKS * CHUNK_NUMBERS);
    for (let taken = CHUNKS; taken === CHUNKS; ) {
      taken = this.#native.chunks(numbers);
      for (let i = 0; i < taken * CHUNK_NUMBERS; i += CHUNK_NUMBERS) {
        const [number = 0, offset = 0, bytes = 0, firstUs = 0, lastUs = 0] = numbers.subarray(i, i + CHUNK_NUMBERS);
        yield { path: this.#pathOf(number), offset, bytes, firstUs, lastUs };
      }
    }
  }

  #pathOf(number: number): string {
    return this.#isSplit ? `${this.path}.${String(number).padStart(5, '0')}` : this.path;
  }

  /** The persistence gate: when this returns for false, nothing more is written. */
  setEnabled(isEnabled: boolean): void {
    if (this.#isClosed) return;
    this.#native.setEnabled(isEnabled);
    this.#tap?.native.setEnabled(isEnabled);
  }

  /** SIGHUP: the file is reopened under its name, once a tick has come. */
  reopen(): void {
    this.#native.reopen();
  }

  /** Once a second. Says in lines for the operator what became worse, or well again, since the last time: each trouble once. */
  tick(): readonly string[] {
    if (this.#isClosed) return [];
    const stopped = this.#tap?.tick() ?? null;
    this.#native.tick();
    const news: string[] = [];
    if (stopped !== null && !this.#saidStopped) news.push(`-O ${this.path}: ${stopped}`);
    this.#saidStopped ||= stopped !== null;
    const errno = this.counter('last_errno');
    const lost = this.counter('lost');
    if (errno !== 0 && this.#saidErrno !== errno) {
      news.push(`-O ${this.name}: cannot write (${errnoName(errno)}); capture continues without these frames`);
    } else if (errno === 0 && this.#saidErrno !== 0) {
      news.push(`-O ${this.name}: written again; ${countedWere(lost - this.#saidLost, 'frame')} lost meanwhile`);
      this.#saidLost = lost;
    }
    this.#saidErrno = errno;
    if (!this.#saidRefused && this.counter('link_refused') > 0) {
      this.#saidRefused = true;
      news.push(`-O ${this.path}: a pcap file has one link type, calltap skips frames of others; name it .pcapng`);
    }
    if (!this.#saidMessages && this.counter('messages_refused') > 0) {
      this.#saidMessages = true;
      news.push(
        `-O ${this.path}: messages of TLS probes have no frame, and a pcap file no place for them; name it .pcapng`,
      );
    }
    const unremoved = this.counter('remove_errors');
    if (unremoved > this.#saidRemoveErrors) {
      this.#saidRemoveErrors = unremoved;
      news.push(
        `-O ${this.path}: cannot remove ${counted(unremoved, 'old file')} of --keep; let this user write the folder`,
      );
    }
    return news;
  }

  /** Why the newest write failed, as the name of its errno; null when it did not. */
  get trouble(): string | null {
    const errno = this.counter('last_errno');
    return errno === 0 ? null : errnoName(errno);
  }

  /** A counter of native/output/pcap_write.h by its name. */
  counter(name: string): number {
    const i = this.#names.indexOf(name);
    if (i < 0) throw new RangeError(`unknown output counter ${name}`);
    this.#native.counters(this.#counters);
    return Number(this.#counters[i] ?? 0n);
  }

  /** All counters but the newest errno, which is no count. */
  counts(): [string, number][] {
    this.#native.counters(this.#counters);
    return this.#names
      .map((name, i): [string, number] => [name, Number(this.#counters[i] ?? 0n)])
      .filter(([name]) => name !== 'last_errno');
  }

  /** Frames that were captured while writing was wanted and are in no file, by reason. */
  losses(): [string, number][] {
    return LOSSES.map((name) => [name, this.counter(name)]);
  }

  /** A HEP packet that came by a connection, written as a datagram. */
  writeDatagram(b: Uint8Array, start: number, end: number, arrival: Packet): void {
    if (!this.#isClosed) this.#first.writeDatagram(b, start, end, arrival);
  }

  /** A message that has no frame, on an interface of its own; `comment` is a packet comment. */
  writeMessage(b: Uint8Array, start: number, end: number, packet: MessagePacket, comment: string): void {
    if (!this.#isClosed) this.#first.writeMessage(b, start, end, packet, comment);
  }

  /**
   * Flushes and closes; the captures that write to it are closed before. The first time it gives lines for the operator: what
   * --anonymize did.
   */
  close(): readonly string[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const tap = this.#tap;
    tap?.close();
    this.#lastName = this.#native.name();
    this.#native.close();
    return tap === null || this.#anonymizing === null ? [] : reportLines(tap.state, this.#anonymizing.options);
  }
}

function isSameFile(a: string, b: string): boolean {
  try {
    const [x, y] = [statSync(a, { bigint: true }), statSync(b, { bigint: true })];
    return x.dev === y.dev && x.ino === y.ino && x.isFile();
  } catch {
    return false;
  }
}

function isNumberOf(path: string, name: string): boolean {
  const found = NUMBERED.exec(name);
  return found !== null && name.slice(0, found.index) === basename(path);
}

function numberOf(path: string): number {
  return Number(NUMBERED.exec(path)?.[1] ?? 0);
}

/** True for an input that a split of `path` may come to remove. */
function isNumberedFileOf(path: string, input: string): boolean {
  const name = NUMBERED.exec(input);
  if (name === null || basename(input.slice(0, name.index)) !== basename(path)) return false;
  try {
    const [x, y] = [statSync(dirname(input), { bigint: true }), statSync(dirname(path), { bigint: true })];
    return x.dev === y.dev && x.ino === y.ino;
  } catch {
    return false;
  }
}

function errnoName(errno: number): string {
  return errno === 0 ? 'EIO' : getSystemErrorName(-errno);
}

function openError(path: string, errno: number): ServiceError {
  return failure('OUTPUT_OPEN_FAILED', { path, cause: errnoName(errno) });
}
