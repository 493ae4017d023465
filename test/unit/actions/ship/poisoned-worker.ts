/** The thread that makes rows of messages, with a fault: what has this word in it ends the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import type { MessageJob, MessageMemory } from '../../../../src/actions/ship/message-lines.ts';
import { makeLines } from '../../../../src/actions/ship/message-lines.ts';

export const POISON = 'poison-of-the-test';

if (parentPort !== null) {
  const port = parentPort;
  const memory = workerData as MessageMemory;
  port.on('message', (job: MessageJob) => {
    const records = Buffer.from(memory.records[job.records] ?? new SharedArrayBuffer(0));
    if (records.subarray(job.from, job.upTo).includes(POISON)) throw new Error('the test asked for this');
    port.postMessage(makeLines(memory, job));
  });
}
