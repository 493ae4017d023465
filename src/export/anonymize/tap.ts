/**
 * What stands between a capture and its file with --anonymize: a writer that fills a pipe, and the worker that reads it. The
 * writer of the file stays what it is, with its splits, its gate and its losses.
 */
import { Worker } from 'node:worker_threads';
import { failure } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import type { NativeOutputFile } from '../../sources/native.ts';
import { loadNative } from '../../sources/native.ts';
import type { AnonymizeJob } from './anonymize-worker.ts';
import type { Anonymizing } from './anonymizing.ts';
import { WorkerState } from './worker-state.ts';

/** Bytes that the pipe to the worker holds. @cap */
const PIPE_BYTES = 1024 * 1024;

export class AnonymizingTap {
  /** What captures write to. */
  readonly native: NativeOutputFile;
  readonly state = new WorkerState();
  #isClosed = false;

  /** `output` is the id of the OutputFile that gets what comes out. Throws ServiceError. */
  constructor(path: string, output: number, { key, options, waits }: Anonymizing) {
    const native = loadNative();
    const ends = native.makePipe(PIPE_BYTES, waits);
    if (typeof ends === 'number') throw failure('TOO_MANY_FILES', {});
    const [fd, pipe] = ends;
    this.native = new native.OutputFile();
    this.native.open({ path, splitBytes: 0, splitSeconds: 0, keepFiles: 0, pipe });
    const { shared: state } = this.state;
    const job: AnonymizeJob = { key, options, fd, output, state };
    const worker = new Worker(new URL('./anonymize-worker.js', import.meta.url), {
      workerData: job,
      // The pipe was opened by the addon.
      trackUnmanagedFds: false,
    });
    worker.on('error', (error) => faults.run('file', () => Promise.reject(error)));
    worker.unref();
  }

  /** Once a second: what waits goes on. What went wrong in the worker, as a line; null when nothing did. */
  tick(): string | null {
    this.native.tick();
    return this.state.hasFailed ? 'the anonymizer stopped; nothing more is written' : null;
  }

  /** All that was captured is in the file afterwards. False where the worker failed. */
  close(): boolean {
    if (!this.#isClosed) this.native.close();
    this.#isClosed = true;
    return this.state.wait();
  }
}
