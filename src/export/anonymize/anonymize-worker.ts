/**
 * Makes what -O writes anonymous, in a thread of its own: frames come through a pipe from the thread that captures them, and go to
 * the writer of the file. No original reaches the disk.
 */
import { closeSync, readSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { loadNative } from '../../sources/native.ts';
import type { AnonymizeOptions } from './anonymizer.ts';
import { createAnonymizer } from './anonymizer.ts';
import { CaptureStream } from './capture-stream.ts';
import { WorkerState } from './worker-state.ts';

export type AnonymizeJob = {
  readonly key: Uint8Array;
  readonly options: AnonymizeOptions;
  /** The end of the pipe to read. */
  readonly fd: number;
  /** The OutputFile that is written. */
  readonly output: number;
  readonly state: SharedArrayBuffer;
};

const ROOM = 2 * 1024 * 1024;

// Only this program starts the worker, with a job.
const job = workerData as AnonymizeJob | null;
if (job !== null) run(job);

function run({ key, options, fd, output, state: shared }: AnonymizeJob): void {
  const state = new WorkerState(shared);
  const native = loadNative();
  let linkTypes = new Uint32Array(0);
  const anonymizer = createAnonymizer(key, options);
  const stream = new CaptureStream(anonymizer, {
    section() {
      linkTypes = new Uint32Array(0);
    },
    interface(linkType) {
      linkTypes = Uint32Array.of(...linkTypes, linkType);
    },
    packets(blocks, start, end) {
      native.writeBlocks(output, blocks, start, end, linkTypes);
    },
  });
  // Memory of its own: blocks lie at multiples of four.
  const room = Buffer.from(new ArrayBuffer(ROOM));
  let length = 0;
  let failed = false;
  for (;;) {
    const read = readSync(fd, room, length, ROOM - length, null);
    if (read === 0) break;
    if (failed) continue;
    length += read;
    try {
      const taken = stream.take(room, length);
      room.copyWithin(0, taken, length);
      length -= taken;
      state.count(anonymizer.counts, stream.counts);
    } catch (error) {
      // The pipe is read on: who captures must not wait. Nothing more is written.
      failed = true;
      state.fail(error);
    }
  }
  if (!failed) {
    try {
      stream.end();
    } catch (error) {
      state.fail(error);
    }
  }
  closeSync(fd);
  state.count(anonymizer.counts, stream.counts);
  state.end();
}
