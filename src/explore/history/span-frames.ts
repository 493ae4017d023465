/**
 * Copies the frames that may belong to some calls out of spans of capture files, each file into one of its own, which the ordinary
 * reader of files then reads. Nothing but the spans is read, the head of each file, and what describes the interfaces of the frames.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CaptureFormat, RecordPlace } from './capture-records.ts';
import { HEAD_BYTES, readFormat, recordAt } from './capture-records.ts';
import { FrameMatch } from './frame-match.ts';
import type { ByteSpan, FileSpans } from './spans.ts';
import type { Wanted } from './wanted.ts';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** So much is read at a time. */
const WINDOW_BYTES = 1024 * 1024;

/** Bytes of frames that are copied for one question. @cap */
const HISTORY_COPIED_BYTES = 256 * 1024 * 1024;

export type Copied = {
  /** Files with frames, in the order of those that were read. */
  readonly paths: readonly string[];
  readonly bytesRead: number;
  readonly frames: number;
  /** What could not be read, in sentences. */
  readonly lacks: readonly string[];
};

/** `folder`: a private one, which whoever asked removes. */
export async function copyFrames(
  files: readonly FileSpans[],
  wanted: readonly Wanted[],
  folder: string,
  isGone: () => boolean,
): Promise<Copied> {
  const match = new FrameMatch(wanted);
  const needles = wanted.map(({ callId }) => Buffer.from(callId, 'utf8')).filter((one) => one.length > 0);
  const made = { paths: [] as string[], bytesRead: 0, frames: 0, lacks: [] as string[] };
  let left = HISTORY_COPIED_BYTES;
  for (const [i, { path, spans }] of files.entries()) {
    if (isGone()) break;
    const to = join(folder, `${String(i).padStart(5, '0')}.cap`);
    const reader = new SpanReader(path, match, needles);
    const why = await reader.copy(spans, to, left, isGone);
    made.bytesRead += reader.bytesRead;
    left -= reader.bytesCopied;
    if (why !== null) made.lacks.push(`${basename(path)}: ${why}.`);
    if (reader.frames === 0) continue;
    made.frames += reader.frames;
    made.paths.push(to);
  }
  return made;
}

class SpanReader {
  readonly #path: string;
  readonly #match: FrameMatch;
  readonly #needles: readonly Buffer[];
  bytesRead = 0;
  bytesCopied = 0;
  frames = 0;
  /** Interfaces of the file that are known: all of them that stand before this place. */
  #interfaces = 0;
  #knownTo = 0;
  #left = 0;

  constructor(path: string, match: FrameMatch, needles: readonly Buffer[]) {
    this.#path = path;
    this.#match = match;
    this.#needles = needles;
  }

  /** Why not all was read; null where it was. */
  async copy(spans: readonly ByteSpan[], to: string, most: number, isGone: () => boolean): Promise<string | null> {
    this.#left = most;
    let file: FileHandle;
    try {
      file = await open(this.#path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    } catch {
      return 'it is gone, or cannot be opened';
    }
    try {
      if (!(await file.stat()).isFile()) return 'another file has its name';
      return await this.#copyFrom(file, spans, to, isGone);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      return `it cannot be read, or its frames cannot be copied (${String(error.code)})`;
    } finally {
      await file.close();
    }
  }

  async #copyFrom(
    file: FileHandle,
    spans: readonly ByteSpan[],
    to: string,
    isGone: () => boolean,
  ): Promise<string | null> {
    const head = await this.#read(file, 0, HEAD_BYTES);
    const format = readFormat(head);
    if (format === null) return 'it is not a capture now: compressed, or another file';
    const out = await open(to, 'wx', 0o600);
    try {
      await out.appendFile(await this.#read(file, 0, format.headBytes));
      this.#knownTo = format.headBytes;
      for (const span of spans) {
        if (isGone()) return null;
        const why = await this.#copySpan(file, span, format, out);
        if (why !== null) return why;
      }
      return null;
    } finally {
      await out.close();
    }
  }

  async #copySpan(
    file: FileHandle,
    { from, to }: ByteSpan,
    format: CaptureFormat,
    out: FileHandle,
  ): Promise<string | null> {
    for (let at = Math.max(from, format.headBytes); at < to; ) {
      const window = await this.#read(file, at, Math.min(WINDOW_BYTES, to - at));
      const taken = await this.#take(file, window, at, format, out);
      if (typeof taken === 'string') return taken;
      // A record may be longer than a window: then all of it is read.
      if (taken === 0) {
        if (window.length < Math.min(WINDOW_BYTES, to - at)) return 'it is shorter than its index says';
        const rest = window.length < to - at ? await this.#read(file, at, to - at) : window;
        const all = rest === window ? 0 : await this.#take(file, rest, at, format, out);
        if (typeof all === 'string') return all;
        if (all === 0) return null;
        at += all;
      } else at += taken;
    }
    return null;
  }

  /** How many bytes of whole records there were; or why not. */
  async #take(
    file: FileHandle,
    b: Buffer,
    offset: number,
    format: CaptureFormat,
    out: FileHandle,
  ): Promise<number | string> {
    const named = this.#named(b);
    const kept: Buffer[] = [];
    let [at, next] = [0, 0];
    for (;;) {
      const record = recordAt(b, at, b.length, format);
      if (typeof record === 'string') return 'what stands there is not a record: its index is that of another file';
      if (record === null) break;
      while ((named[next] ?? b.length) < record.frameStart) next++;
      if (record.kind === 'section' && offset + record.start >= format.headBytes)
        return 'it has several sections: the first one is read';
      if (record.kind === 'interface') {
        const before = await this.#findInterfaces(file, Number.POSITIVE_INFINITY, offset + record.start, format);
        kept.push(...before);
        this.#keepInterface(record, offset, b, kept);
      }
      const isNamed = record.kind === 'frame' && (named[next] ?? b.length) < record.frameEnd;
      if (record.kind === 'frame' && (isNamed || this.#match.matches(b, record.frameStart, record.frameEnd))) {
        if (format.isNg && record.interfaceId >= this.#interfaces)
          kept.push(...(await this.#findInterfaces(file, record.interfaceId, offset + at, format)));
        const bytes = record.end - record.start;
        if (bytes > this.#left) return 'its frames are more than an answer takes in';
        this.#left -= bytes;
        this.bytesCopied += bytes;
        this.frames++;
        kept.push(b.subarray(record.start, record.end));
      }
      at = record.end;
    }
    if (offset <= this.#knownTo) this.#knownTo = Math.max(this.#knownTo, offset + at);
    if (kept.length > 0) await out.appendFile(Buffer.concat(kept));
    return at;
  }

  #keepInterface(record: RecordPlace, offset: number, b: Buffer, kept: Buffer[]): void {
    if (offset + record.start < this.#knownTo) return;
    this.#interfaces++;
    this.#knownTo = offset + record.end;
    kept.push(Buffer.from(b.subarray(record.start, record.end)));
  }

  /** Descriptions of interfaces up to this number that stand before `to` and are not known: usually at the begin of the file. */
  async #findInterfaces(file: FileHandle, id: number, to: number, format: CaptureFormat): Promise<Buffer[]> {
    const found: Buffer[] = [];
    for (let at = this.#knownTo; at < to && this.#interfaces <= id; ) {
      // The first one stands behind the head, and little is read for it.
      const b = await this.#read(file, at, Math.min(this.#interfaces === 0 ? 4_096 : WINDOW_BYTES, to - at));
      let end = 0;
      for (let record = recordAt(b, 0, b.length, format); record !== null && typeof record !== 'string'; ) {
        if (record.kind === 'interface') this.#keepInterface(record, at, b, found);
        end = record.end;
        this.#knownTo = Math.max(this.#knownTo, at + end);
        if (this.#interfaces > id) return found;
        record = recordAt(b, end, b.length, format);
      }
      if (end === 0) return found;
      at += end;
    }
    return found;
  }

  /** Where a Call-ID stands, in order. */
  #named(b: Buffer): number[] {
    const places: number[] = [];
    for (const needle of this.#needles)
      for (let at = b.indexOf(needle); at >= 0; at = b.indexOf(needle, at + needle.length)) places.push(at);
    return this.#needles.length > 1 ? places.sort((a, c) => a - c) : places;
  }

  async #read(file: FileHandle, offset: number, length: number): Promise<Buffer> {
    const b = Buffer.allocUnsafe(length);
    let at = 0;
    while (at < length) {
      const { bytesRead } = await file.read(b, at, length - at, offset + at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    this.bytesRead += at;
    return b.subarray(0, at);
  }
}
