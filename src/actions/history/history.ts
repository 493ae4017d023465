/**
 * The history of this host: an index beside each file of -O --split, with a row and the document of each call (src/history).
 *
 * The main thread makes a row when a call has ended or leaves the memory, and hands rows over in batches. A worker compresses
 * and writes them: no disk makes the capture wait. What cannot be kept is counted.
 */
import { Worker } from 'node:worker_threads';
import { counted } from '../../core/counted.ts';
import { faults } from '../../core/faults.ts';
import { Turns } from '../../core/turns.ts';
import type { OutputFile, WrittenChunk } from '../../export/capture-file.ts';
import type { Chunk } from '../../history/chunks.ts';
import type { NewCall } from '../../history/rows.ts';
import type { Observer } from '../../ingest/observer.ts';
import type { Figures } from '../../view/figures.ts';
import type { LabelledCount, MetricFamily } from '../../view/metrics/family.ts';
import { countsOf, numberOf } from '../../view/metrics/family.ts';
import type { TakeCall } from '../ship/call-shipper.ts';
import { CallShipper } from '../ship/call-shipper.ts';
import type { Shipper } from '../ship/key.ts';
import { HISTORY_EVENTS, HISTORY_LOSSES, noCounts } from './counters.ts';
import { SharedGate } from './gate.ts';
import { HISTORY_COLUMNS, historyRow } from './history-row.ts';
import type { HistoryAnswer, HistoryJob, HistoryOrder } from './history-worker.ts';
import { BLOCK_CALLS, packCalls } from './index-files.ts';
import { MinutesOfHost } from './minutes.ts';

/** Bytes of rows that wait for the disk; beyond it calls have no row. @cap option 16 MiB: with `-O` and `--split` */
const HISTORY_WAITING_BYTES = 16 * 1024 * 1024;
/** The head of a capture file has no frame, and is a write of its own. */
const HEAD_BYTES = 256;
/** The end waits so long for a disk. */
const END_MS = 5_000;

/** Calls that had no row because there was no time for one, and that no longer have their last state. */
const UNMADE = ['calls_skipped', 'calls_stale'] as const;

export type HistoryOptions = {
  readonly shipper: Shipper;
  /** Somebody else makes the rows: --ship does. */
  readonly isShipped: boolean;
  /** Files are read. */
  readonly isOfFiles: boolean;
  readonly isOpen: boolean;
};

export class History {
  readonly #options: HistoryOptions;
  readonly #say: (line: string) => void;
  readonly #gate = new SharedGate();
  /** Makes the rows; null where somebody else does. */
  readonly #calls: CallShipper | null;
  #figures: Figures | null = null;
  #minutes: MinutesOfHost | null = null;
  #file: OutputFile | null = null;
  #worker: Worker | null = null;
  /** The newest file that has frames, and how many bytes of them. */
  #path = '';
  #captureBytes = 0;
  #pending: NewCall[] = [];
  #pendingBytes = 0;
  #waitingBytes = 0;
  readonly #own = noCounts();
  #counts = noCounts();
  #trouble: string | null = null;
  #flushes = 0;
  readonly #flushed = new Map<number, () => void>();
  /** Told with the next answer. */
  #hasRoom: (() => void)[] = [];

  constructor(options: HistoryOptions, say: (line: string) => void) {
    this.#options = options;
    this.#say = say;
    this.#gate.set(options.isOpen);
    let version = 0;
    this.#calls = options.isShipped
      ? null
      : new CallShipper({
          evidence: () => this.#known.evidence,
          shipper: options.shipper,
          nextVersion: () => ++version,
          turns: new Turns(() => performance.now()),
          room: () => this.#room(),
          store: null,
          history: this.take,
        });
  }

  /** Of this run, as in the heads of its indexes. */
  get boot(): string {
    return this.#options.shipper.boot;
  }

  get observers(): readonly Observer[] {
    return this.#calls === null ? [] : [this.#calls];
  }

  get #known(): Figures {
    if (this.#figures === null) throw new Error('no capture has begun');
    return this.#figures;
  }

  /** Before the first packet. */
  begin(figures: Figures): void {
    this.#figures = figures;
    if (figures.calls !== null) this.#minutes = new MinutesOfHost(figures.calls);
  }

  /** Follows the files of a split. The user that writes them writes the indexes. */
  open(file: OutputFile): void {
    this.#file = file;
    this.#path = file.name;
    const { shipper, isOfFiles } = this.#options;
    const job: HistoryJob = {
      output: file.path,
      about: { host: shipper.host, boot: shipper.boot },
      columns: HISTORY_COLUMNS,
      gate: this.#gate.memory,
      carriesAll: isOfFiles,
    };
    const worker = new Worker(new URL('./history-worker.js', import.meta.url), { workerData: job });
    worker.unref();
    worker.on('message', (answer: HistoryAnswer) => this.#hear(answer));
    worker.on('error', (error) => faults.note('file', error));
    worker.on('exit', () => this.#end());
    this.#worker = worker;
  }

  /** A call that has ended or leaves the memory. */
  readonly take: TakeCall = (key, call, document) => {
    if (!this.#gate.isOpen) this.#own.gate_closed++;
    else if (this.#worker === null) this.#own.disk_errors++;
    else if (this.#waitingBytes + this.#pendingBytes > HISTORY_WAITING_BYTES) this.#own.waiting_full++;
    else {
      const made = historyRow(this.#options.shipper, key, call, document);
      this.#pending.push(made);
      this.#pendingBytes += made.row.length + document.length;
      if (this.#pending.length >= BLOCK_CALLS) this.#post();
    }
  };

  /** When this returns after `false`, nothing is written any more. */
  setEnabled(isEnabled: boolean): void {
    if (!isEnabled) {
      this.#own.gate_closed += this.#pending.length;
      this.#pending = [];
      this.#pendingBytes = 0;
    }
    this.#gate.set(isEnabled);
  }

  /** Once a second. */
  tick(): void {
    this.#post();
  }

  /** Rows that were made are on the disk, or counted: for who reads the index. */
  async flush(): Promise<void> {
    this.#post();
    await this.#order(false);
  }

  /** Makes the rows that are missing, and closes the index; a disk that hangs is not waited for long. */
  async finish(): Promise<void> {
    await this.#calls?.finish();
    this.#file?.flush();
    this.#minutes?.end();
    this.#post();
    await this.#order(true);
  }

  losses(): readonly LabelledCount[] {
    const made = HISTORY_LOSSES.map((reason) => [reason, this.#own[reason] + this.#counts[reason]] as const);
    const unmade = UNMADE.map((reason) => [reason, this.#calls?.counters.get(reason) ?? 0] as const);
    return [...made, ...unmade];
  }

  /** Zero where there is no history: a dashboard needs no exceptions. */
  static families(history: History | null): MetricFamily[] {
    const counts = history === null ? noCounts() : history.#counts;
    const none = [...HISTORY_LOSSES, ...UNMADE].map((reason) => [reason, 0] as const);
    return [
      countsOf(
        'calltap_history_total',
        HISTORY_EVENTS.map((event) => [event, counts[event]] as const),
      ),
      countsOf('calltap_history_lost_total', history?.losses() ?? none),
      numberOf('calltap_history_bytes_total', counts.bytes),
      numberOf('calltap_history_waiting_bytes', history === null ? 0 : history.#waitingBytes + history.#pendingBytes),
    ];
  }

  /** Resolves when little waits for the disk. Of what leaves the memory meanwhile rows are made all the same. */
  async #room(): Promise<void> {
    while (this.#worker !== null && this.#waitingBytes > HISTORY_WAITING_BYTES / 2)
      await new Promise<void>((resolve) => this.#hasRoom.push(resolve));
  }

  /** Hands over what was written and made since the last time, file by file. */
  #post(): void {
    if (this.#file === null || this.#worker === null) return;
    let chunks: Chunk[] = [];
    for (const chunk of this.#file.newChunks()) {
      if (chunk.path !== this.#path) {
        this.#send(chunks, []);
        chunks = [];
        this.#path = chunk.path;
        this.#captureBytes = 0;
      }
      if (this.#captureBytes === 0 && chunk.offset > HEAD_BYTES) chunks.push(before(chunk));
      this.#captureBytes = chunk.offset + chunk.bytes;
      chunks.push({ offset: chunk.offset, firstUs: chunk.firstUs, lastUs: chunk.lastUs });
    }
    const calls = this.#pending;
    this.#pending = [];
    this.#send(chunks, calls);
  }

  #send(chunks: readonly Chunk[], calls: readonly NewCall[]): void {
    const minutes = this.#gate.isOpen ? (this.#minutes?.lines(this.#known.evidence.capture) ?? []) : [];
    if (chunks.length + calls.length + minutes.length === 0) return;
    const weight = calls.length === 0 ? 0 : this.#pendingBytes;
    if (calls.length > 0) this.#pendingBytes = 0;
    this.#waitingBytes += weight;
    const packed = packCalls(calls);
    const batch = { path: this.#path, captureBytes: this.#captureBytes, chunks, calls: packed, minutes };
    const order: HistoryOrder = { kind: 'batch', batch, weight };
    this.#worker?.postMessage(order, calls.length === 0 ? [] : [packed.buffer]);
  }

  async #order(isEnd: boolean): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const id = ++this.#flushes;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#flushed.set(id, resolve);
      timer = setTimeout(resolve, END_MS);
      worker.postMessage({ kind: 'flush', id, isEnd } satisfies HistoryOrder);
    });
    clearTimeout(timer);
    this.#flushed.delete(id);
    if (isEnd) this.#worker = null;
  }

  #hear({ counts, trouble, weight, id }: HistoryAnswer): void {
    this.#counts = counts;
    this.#waitingBytes -= weight;
    this.#flushed.get(id)?.();
    this.#tellRoom();
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const lost = this.losses().reduce((sum, [reason, n]) => sum + (reason === 'disk_errors' ? n : 0), 0);
    this.#say(
      trouble === null
        ? `history: written again; ${counted(lost, 'call')} without a row until now`
        : `history: cannot write the index beside ${this.#path} (${trouble}); capture continues without it`,
    );
  }

  #tellRoom(): void {
    const waiting = this.#hasRoom;
    this.#hasRoom = [];
    for (const resolve of waiting) resolve();
  }

  /** The thread has ended, by itself or not. */
  #end(): void {
    if (this.#worker !== null) {
      this.#worker = null;
      this.#say('history: the thread that writes indexes has ended; capture continues without them');
    }
    for (const resolve of this.#flushed.values()) resolve();
    this.#tellRoom();
  }
}

/** Of what lies before the first chunk that is known nobody knows the times. */
function before({ lastUs }: WrittenChunk): Chunk {
  return { offset: 0, firstUs: 0, lastUs };
}
