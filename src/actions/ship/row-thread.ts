/**
 * Makes the rows of messages and calls in a thread of its own. This is half of what shipping does, and it needs no store.
 *
 * Records go there in pieces of memory, and lines come back in others. A piece belongs to one thread at a time: in memory
 * that both share each access takes five times as long. The number of pieces is fixed. If the thread cannot keep up there is
 * no room, and the capture continues. A thread that fails loses the pieces that it has; the next one continues after them.
 */
import { Worker } from 'node:worker_threads';
import { asBuffer } from '../../core/byte-text.ts';
import type { RecordMemory } from '../../core/record.ts';
import { RecordWriter, recordMemory } from '../../core/record.ts';
import type { Messages } from '../../store/stores.ts';
import type { CallRecord } from './call-record.ts';
import { rowsOf, writeCall } from './call-record.ts';
import { SHIP_SLAB_BYTES } from './lines.ts';
import type { LineMaker } from './message-lines.ts';
import type { MessageKey } from './message-record.ts';
import { writeMessage } from './message-record.ts';
import type { RowJob, RowJobResult, RowTable } from './row-lines.ts';
import { RECORD } from './row-lines.ts';

/**
 * Pieces of this size with messages and calls of which the rows are made in a thread.
 *
 * @cap option 36 MiB, ship_memory_full, ship_too_long: with `--ship`: messages and calls that wait for the thread that makes
 * their rows, in pieces of `SHIP_SLAB_BYTES`, and one call there (the main thread makes the rows of a larger one); rows on
 * their way back; that thread
 */
export const SHIP_RECORD_SLABS = 32;

/** Bytes of one call there: the rows of a larger one are made where it is captured. @cap with SHIP_RECORD_SLABS */
export const SHIP_CALL_BYTES = 128 * 1024;

/**
 * Pieces of memory that this thread writes lines into, and bytes of each: no line of a message is longer.
 *
 * @cap with SHIP_RECORD_SLABS
 */
export const SHIP_LINE_SLABS = 2;
export const SHIP_LINE_BYTES = 1024 * 1024;

export type RowThreadOptions = {
  readonly maker: LineMaker;
  /** Gets lines, each with its line end; the bytes are another's when it returns. */
  readonly take: (table: RowTable, lines: Buffer, rows: number) => void;
  readonly onLoss: (reason: 'too_long' | 'thread_failed', rows: number) => void;
  /** The thread's program, where a test has another. */
  readonly program?: URL;
};

/** Its garbage is young. */
const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

/** Records that are not lines yet: where they begin and end in their piece. */
type Records = { readonly from: number; upTo: number; rows: number };
type Waiting = Records & { readonly piece: RecordMemory };

export class RowThread {
  readonly #options: RowThreadOptions;
  /** Pieces that are free. */
  readonly #freeRecords: RecordMemory[] = Array.from({ length: SHIP_RECORD_SLABS }, newRecords);
  readonly #freeLines: ArrayBuffer[] = Array.from({ length: SHIP_LINE_SLABS }, newLines);
  /** Is being filled. */
  #filling: Waiting | null = null;
  /** Filled, oldest first; and what the thread has, in its order. */
  readonly #filled: Waiting[] = [];
  readonly #jobs: Records[] = [];
  #worker: Worker | null = null;
  #rows = 0;
  #bytes = 0;
  readonly #isIdle: (() => void)[] = [];
  readonly #hasRoom: (() => void)[] = [];

  constructor(options: RowThreadOptions) {
    this.#options = options;
  }

  /** Rows that are not lines yet. */
  get rows(): number {
    return this.#rows;
  }

  /** What their records take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the message of a row that is kept, which has these bytes; false where there is no room. */
  addMessage(key: MessageKey, log: Messages, row: number, bytes: Buffer): boolean {
    return this.#add(RECORD.message, SHIP_SLAB_BYTES, 1, (to) => writeMessage(to, key, log, row, bytes));
  }

  /** Takes a call for all of its rows; false where there is no room, or where they take more than SHIP_CALL_BYTES. */
  addCall(call: CallRecord): boolean {
    return this.#add(RECORD.call, SHIP_CALL_BYTES, rowsOf(call), (to) => writeCall(to, call));
  }

  /** Takes a record that makes so many rows, behind others or, where it does not fit there, at the beginning of a piece. */
  #add(kind: number, mostBytes: number, rows: number, write: (to: RecordWriter) => void): boolean {
    for (let to = this.#filling ?? this.#nextPiece(); to !== null; to = this.#nextPiece()) {
      const { piece, upTo } = to;
      const writer = new RecordWriter(piece, upTo, Math.min(upTo + mostBytes, SHIP_SLAB_BYTES));
      writer.byte(kind);
      write(writer);
      if (!writer.isFull) {
        to.upTo = writer.at;
        to.rows += rows;
        this.#rows += rows;
        this.#bytes += writer.at - upTo;
        return true;
      }
      if (upTo + mostBytes <= SHIP_SLAB_BYTES) return false;
    }
    return false;
  }

  #nextPiece(): Waiting | null {
    this.flush();
    if (this.#filling !== null) return this.#filling;
    const piece = this.#freeRecords.pop();
    this.#filling = piece === undefined ? null : { piece, from: 0, upTo: 0, rows: 0 };
    return this.#filling;
  }

  /** What was added goes to the thread now. */
  flush(): void {
    const filling = this.#filling;
    if (filling !== null && filling.rows > 0) {
      this.#filled.push(filling);
      this.#filling = null;
    }
    this.#send();
  }

  /** Resolves when all that was added are lines, or lost. */
  async idle(): Promise<void> {
    this.flush();
    if (this.#rows > 0) await new Promise<void>((resolve) => this.#isIdle.push(resolve));
  }

  /** Resolves when half of the pieces are free: for who can wait. */
  async room(): Promise<void> {
    if (!this.#isRoomy) await new Promise<void>((resolve) => this.#hasRoom.push(resolve));
  }

  get #isRoomy(): boolean {
    return this.#freeRecords.length >= SHIP_RECORD_SLABS / 2;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.idle();
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #send(): void {
    while (this.#filled.length > 0) {
      const lines = this.#freeLines.pop();
      if (lines === undefined) return;
      const { piece, from, upTo, rows } = this.#filled.shift() ?? nothing();
      this.#jobs.push({ from, upTo, rows });
      this.#worker ??= this.#start();
      // The program waits for the rows that are being made, and for nothing else.
      this.#worker.ref();
      const job: RowJob = { records: piece.view.buffer, lines, from, upTo };
      this.#worker.postMessage(job, [job.records, job.lines]);
    }
  }

  #start(): Worker {
    const program = this.#options.program ?? new URL('./row-worker.js', import.meta.url);
    const worker = new Worker(program, { workerData: this.#options.maker, execArgv: [], resourceLimits: HEAP });
    worker.on('message', (result: RowJobResult) => this.#take(result));
    // It ends then, and that is counted.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#fail();
    });
    return worker;
  }

  #take({ records, lines, from, parts, tooLong }: RowJobResult): void {
    const job = this.#jobs.shift() ?? nothing();
    const { onLoss, take } = this.#options;
    let [at, rows] = [0, 0];
    for (const part of parts) {
      if (part.rows > 0) take(part.table, asBuffer(new Uint8Array(lines, at, part.bytes)), part.rows);
      at += part.bytes;
      rows += part.rows;
    }
    if (tooLong > 0) onLoss('too_long', tooLong);
    this.#freeLines.push(lines);
    this.#rows -= rows + tooLong;
    this.#bytes -= from - job.from;
    const piece = recordMemory(records);
    if (from < job.upTo) this.#filled.unshift({ piece, from, upTo: job.upTo, rows: job.rows - rows - tooLong });
    else this.#freeRecords.push(piece);
    this.#goOn();
  }

  #fail(): void {
    this.#worker = null;
    for (const { from, upTo, rows } of this.#jobs.splice(0)) {
      this.#freeLines.push(newLines());
      this.#freeRecords.push(newRecords());
      this.#rows -= rows;
      this.#bytes -= upTo - from;
      this.#options.onLoss('thread_failed', rows);
    }
    this.#goOn();
  }

  #goOn(): void {
    if (this.#isIdle.length > 0) this.flush();
    else this.#send();
    if (this.#jobs.length === 0) this.#worker?.unref();
    if (this.#isRoomy) for (const resolve of this.#hasRoom.splice(0)) resolve();
    if (this.#rows === 0) for (const resolve of this.#isIdle.splice(0)) resolve();
  }
}

function newRecords(): RecordMemory {
  return recordMemory(new ArrayBuffer(SHIP_SLAB_BYTES));
}

function newLines(): ArrayBuffer {
  return new ArrayBuffer(SHIP_LINE_BYTES);
}

function nothing(): never {
  throw new Error('the thread of rows answered what it was not asked');
}
