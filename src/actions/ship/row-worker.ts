/**
 * The thread that makes rows of messages and calls: a program of its own, as `new Worker` needs one. row-thread.ts starts it, and
 * sends it what to make.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpPriority } from '../../core/started-process.ts';
import type { LineMaker } from './message-lines.ts';
import type { RowJob } from './row-lines.ts';
import { makeLines } from './row-lines.ts';

if (parentPort !== null) {
  const port = parentPort;
  giveUpPriority(0);
  // Nobody else starts it, and nothing else is sent.
  const maker = workerData as LineMaker;
  port.on('message', (job: RowJob) => {
    const made = makeLines(maker, job);
    port.postMessage(made, [made.records, made.lines]);
  });
}
