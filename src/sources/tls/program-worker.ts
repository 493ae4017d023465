/**
 * The thread that reads the files of processes: a program of its own, as `new Worker` needs one. program-reader.ts starts it,
 * sends a file at a time, and starts another when this one fails.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpPriority } from '../../core/started-process.ts';
import type { LookJob } from './look.ts';
import { lookIntoFile } from './look.ts';
import type { GivenFunctions } from './sites.ts';

if (parentPort !== null) {
  giveUpPriority(0);
  const port = parentPort;
  // Only this program starts the thread, and sends it jobs.
  const byBuildId = workerData as ReadonlyMap<string, GivenFunctions>;
  port.on('message', (job: LookJob) => port.postMessage(lookIntoFile(job, byBuildId)));
}
