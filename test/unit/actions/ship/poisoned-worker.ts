/** The thread that makes rows, with a fault: what has this word in it ends the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import type { LineMaker } from '../../../../src/actions/ship/message-lines.ts';
import type { RowJob } from '../../../../src/actions/ship/row-lines.ts';
import { makeLines } from '../../../../src/actions/ship/row-lines.ts';

export const POISON = 'poison-of-the-test';

if (parentPort !== null) {
  const port = parentPort;
  const maker = workerData as LineMaker;
  port.on('message', (job: RowJob) => {
    if (Buffer.from(job.records, job.from, job.upTo - job.from).includes(POISON))
      throw new Error('the test asked for this');
    const made = makeLines(maker, job);
    port.postMessage(made, [made.records, made.lines]);
  });
}
