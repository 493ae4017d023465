/**
 * Reads the files that processes run code of, in a thread of its own. Whatever is in them, however long they take, and even
 * if the file system never answers, the main thread continues. The main thread opens a file; the thread gets the descriptor
 * and answers with places.
 */
import { Worker } from 'node:worker_threads';
import type { FileSites, LookJob } from './look.ts';
import { unreadable } from './look.ts';
import type { GivenFunctions } from './sites.ts';

/** Milliseconds in which the thread that reads a file must answer. @cap */
const MAX_PROGRAM_READ_MS = 30_000;

/** Threads that never answered, because a file system does not; then calltap reads no more files. @cap */
const MAX_STUCK_READERS = 4;

/** The tables of a file are outside of it. */
const HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };

export type ProgramReaderOptions = {
  /** What the user said of files, by their build id. */
  readonly byBuildId: ReadonlyMap<string, GivenFunctions>;
  /** The thread's program and how long it has for a file, where a test has others. */
  readonly program?: URL;
  readonly mostMs?: number;
};

export class ProgramReader {
  readonly #options: ProgramReaderOptions;
  #worker: Worker | null = null;
  /** Of the file that is being read. */
  #settle: ((found: FileSites) => void) | null = null;
  /** Threads that were given up and have not ended: they wait for a file system. */
  #stuck = 0;
  #isClosed = false;

  constructor(options: ProgramReaderOptions) {
    this.#options = options;
  }

  /** One file at a time. The descriptor is the caller's, who closes it when this has resolved. */
  read(job: LookJob): Promise<FileSites> {
    if (this.#settle !== null) throw new Error('two files are read at once');
    if (this.#isClosed) return Promise.resolve(unreadable('calltap ends'));
    if (this.#stuck >= MAX_STUCK_READERS) return Promise.resolve(unreadable('reading other files does not end'));
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    return new Promise((resolve) => {
      // What came while this thread was held up is taken before the time is over.
      const onTime = (): unknown => setImmediate(() => isOpen && this.#giveUp());
      const timer = setTimeout(onTime, this.#options.mostMs ?? MAX_PROGRAM_READ_MS);
      let isOpen = true;
      this.#settle = (found) => {
        isOpen = false;
        this.#settle = null;
        clearTimeout(timer);
        worker.unref();
        resolve(found);
      };
      worker.postMessage(job);
    });
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#letGo();
    this.#settle?.(unreadable('calltap ends'));
  }

  #start(): Worker {
    const program = this.#options.program ?? new URL('./program-worker.js', import.meta.url);
    const worker = new Worker(program, {
      workerData: this.#options.byBuildId,
      execArgv: [],
      resourceLimits: HEAP,
    });
    worker.on('message', (found: FileSites) => {
      if (this.#worker === worker) this.#settle?.(found);
    });
    // It ends then.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker !== worker) {
        this.#stuck--;
        return;
      }
      this.#worker = null;
      this.#settle?.(unreadable('reading it failed'));
    });
    return worker;
  }

  #giveUp(): void {
    this.#letGo();
    this.#settle?.(unreadable('reading it does not end'));
  }

  #letGo(): void {
    const worker = this.#worker;
    if (worker === null) return;
    this.#worker = null;
    this.#stuck++;
    worker.terminate().catch(() => undefined);
  }
}
