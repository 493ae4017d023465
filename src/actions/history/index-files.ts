/**
 * Follows the files of -O with an index beside each: what came is gathered for some seconds, and written as blocks. It runs in a
 * thread of its own (history-worker.ts) and waits for the disk there.
 *
 * The share of the captured bytes that an index may take goes on to the next file where it was not used: calls that ended
 * in one file often get their row in the next one.
 */
import { lstatSync, unlinkSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import type { Chunk } from '../../history/chunks.ts';
import type { Head } from '../../history/footer.ts';
import { indexPathOf } from '../../history/index-file.ts';
import type { Written } from '../../history/index-writer.ts';
import { HISTORY_SHARE, IndexWriter, nothingWritten } from '../../history/index-writer.ts';
import type { NewCall } from '../../history/rows.ts';
import type { HistoryCounts } from './counters.ts';
import { noCounts } from './counters.ts';
import type { SharedGate } from './gate.ts';

/** Calls of one block of rows. */
export const BLOCK_CALLS = 64;
/** Milliseconds after which what was gathered is written, and the disk has it. */
const GATHER_MS = 5_000;
/** Minutes of the host that wait while the gate is closed. @cap */
const HISTORY_MINUTES = 1_440;

/** What came of one file; `captureBytes`: so many it has now. */
export type HistoryBatch = {
  readonly path: string;
  readonly captureBytes: number;
  readonly chunks: readonly Chunk[];
  readonly calls: PackedCalls;
  readonly minutes: readonly string[];
};

/**
 * Calls as text, three lines each: what is beside the row, the row, and the document. Its bytes are handed over without a copy;
 * to hand over an object a call takes the main thread as long as to make the row.
 */
export type PackedCalls = Uint8Array<ArrayBuffer>;

const NOTHING = new Uint8Array();
const ENCODER = new TextEncoder();

export function packCalls(calls: readonly NewCall[]): PackedCalls {
  if (calls.length === 0) return NOTHING;
  const lines: string[] = [];
  for (const { row, document, startUs, endUs, callId, state, names } of calls)
    lines.push(JSON.stringify([startUs, endUs, callId, state, ...names]), row, document ?? '');
  return ENCODER.encode(lines.join('\n'));
}

function* unpacked(packed: PackedCalls): Generator<NewCall> {
  if (packed.length === 0) return;
  const lines = Buffer.from(packed.buffer).toString('utf8').split('\n');
  for (let i = 0; i + 2 < lines.length; i += 3) {
    const [about = '[]', row = '', document = ''] = lines.slice(i, i + 3);
    // As packCalls() wrote it.
    const [startUs, endUs, callId, state, ...names] = JSON.parse(about) as [
      number,
      number,
      string,
      string,
      ...string[],
    ];
    yield { row, document: document === '' ? null : document, startUs, endUs, callId, state, names };
  }
}

export type IndexFilesOptions = {
  readonly about: Omit<Head, 'capture'>;
  /** Names of the values of rows. */
  readonly columns: readonly string[] | null;
  readonly gate: SharedGate;
  /** Files are read: nothing is removed while they are, and most rows come at the end. */
  readonly carriesAll: boolean;
};

export class IndexFiles {
  readonly counts: HistoryCounts = noCounts();
  /** The errno of the newest failure; null once it works again. */
  trouble: string | null = null;
  readonly #options: IndexFilesOptions;
  #path: string | null = null;
  #writer: IndexWriter | null = null;
  /** What was counted of it. */
  #counted = nothingWritten();
  #captureBytes = 0;
  /** Captured bytes of earlier files whose share was not used. */
  #spareBytes = 0;
  #calls: NewCall[] = [];
  #chunks: Chunk[] = [];
  #minutes: string[] = [];
  #sinceMs = Number.NaN;

  constructor(options: IndexFilesOptions) {
    this.#options = options;
  }

  /** Takes what came; the file before is closed when another one begins. */
  take(batch: HistoryBatch, nowMs: number): void {
    if (batch.path !== this.#path) {
      this.#endFile();
      this.#path = batch.path;
      this.#captureBytes = 0;
    }
    this.#captureBytes = Math.max(this.#captureBytes, batch.captureBytes);
    for (const chunk of batch.chunks) this.#chunks.push(chunk);
    for (const call of unpacked(batch.calls)) this.#calls.push(call);
    for (const line of batch.minutes) this.#minutes.push(line);
    this.#minutes.splice(0, this.#minutes.length - HISTORY_MINUTES);
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = nowMs;
    if (this.#calls.length >= BLOCK_CALLS) this.#write();
  }

  /** What has waited long enough goes to the disk. */
  tick(nowMs: number): void {
    if (nowMs - this.#sinceMs >= GATHER_MS) this.flush();
  }

  /** All that came is on the disk, or counted. */
  flush(): void {
    if (this.#path === null) return;
    this.#sinceMs = Number.NaN;
    this.#write(() => {
      // What the disk refuses waits on.
      this.#writer?.addChunks(this.#chunks);
      this.#chunks = [];
      this.#writer?.addMinutes(this.#minutes, this.#room());
      this.#minutes = [];
      this.#writer?.sync();
    });
  }

  /** Ends the index of the file that is written now. */
  end(): void {
    this.#endFile();
    this.counts.disk_errors += this.#calls.length;
    this.#calls = [];
    this.#path = null;
  }

  #endFile(): void {
    if (this.#path === null) return;
    this.flush();
    const writer = this.#writer;
    this.#writer = null;
    this.#chunks = [];
    if (writer === null) return;
    const mayWrite = this.#attempt(() => writer.close(this.#captureBytes));
    if (!mayWrite) writer.abandon();
    this.#count(writer);
    const unused = this.#captureBytes - writer.bytes / HISTORY_SHARE + this.#spareBytes;
    const most = this.#options.carriesAll ? Number.POSITIVE_INFINITY : this.#captureBytes;
    this.#spareBytes = Math.max(0, Math.min(unused, most));
  }

  /**
   * Writes the calls that wait, and what `more` does. Where the gate is closed they are counted, and the rest waits. What --keep
   * has removed before it had an index gets none: its calls go to the next file.
   */
  #write(more: () => void = () => undefined): void {
    if (this.#writer === null && this.#isGone()) return;
    const calls = this.#calls;
    this.#calls = [];
    let [isTried, isDone] = [false, false];
    const mayWrite = this.#attempt(() => {
      isTried = true;
      this.#writer ??= this.#begin();
      isDone = true;
      if (calls.length > 0) this.#writer.addCalls(calls, this.#room());
      more();
    });
    if (!mayWrite) this.counts.gate_closed += calls.length;
    else if (isTried && !isDone) this.counts.disk_errors += calls.length;
    if (this.#writer !== null) this.#count(this.#writer);
  }

  /** Captured bytes that the index of this file may take its share of. */
  #room(): number {
    return this.#captureBytes + this.#spareBytes;
  }

  /** False where the gate is closed. An error of the disk ends the work. */
  #attempt(work: () => void): boolean {
    return this.#options.gate.write(() => {
      try {
        work();
        this.trouble = null;
      } catch (error) {
        const errno = errnoOf(error);
        if (errno === undefined) throw error;
        this.trouble = errno;
      }
    });
  }

  #isGone(): boolean {
    return this.#path !== null && lstatSync(this.#path, { throwIfNoEntry: false }) === undefined;
  }

  /** An index that is left of a file of this name, which is gone, is replaced. */
  #begin(): IndexWriter {
    const path = this.#path ?? '';
    const index = indexPathOf(path);
    if (lstatSync(index, { throwIfNoEntry: false })?.isFile() === true) unlinkSync(index);
    const writer = IndexWriter.create(path, this.#options.about, this.#options.columns);
    // It was removed meanwhile, and would leave this behind.
    if (this.#isGone()) unlinkSync(index);
    this.#counted = nothingWritten();
    this.counts.files++;
    return writer;
  }

  /** Adds what the writer counted since the last time. */
  #count({ written }: IndexWriter): void {
    const { counts } = this;
    const since = (name: keyof Written): number => written[name] - this.#counted[name];
    counts.rows += since('rows');
    counts.documents += since('documents');
    counts.bytes += since('bytes');
    counts.over_share += since('rowsLeftOut');
    counts.documents_over_share += since('documentsLeftOut');
    counts.disk_errors += since('rowsLost');
    this.#counted = { ...written };
  }
}
