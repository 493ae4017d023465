/** The thread that compresses rows and documents, and writes the indexes beside the files of -O. */
import { parentPort, workerData } from 'node:worker_threads';
import { faults } from '../../core/faults.ts';
import { giveUpPriority } from '../../core/started-process.ts';
import type { Head } from '../../history/footer.ts';
import { recoverIndexes } from '../../history/recover.ts';
import type { HistoryCounts } from './counters.ts';
import { SharedGate } from './gate.ts';
import type { HistoryBatch } from './index-files.ts';
import { IndexFiles } from './index-files.ts';

/** What the thread is started with. `output`: the path of -O, without a number. */
export type HistoryJob = {
  readonly output: string;
  readonly about: Omit<Head, 'capture'>;
  readonly columns: readonly string[];
  readonly gate: SharedArrayBuffer;
  readonly carriesAll: boolean;
};

export type HistoryOrder =
  | { readonly kind: 'batch'; readonly batch: HistoryBatch; readonly weight: number }
  /** What came is to be on the disk; with `isEnd` the index is closed too. */
  | { readonly kind: 'flush'; readonly id: number; readonly isEnd: boolean };

/** Told after each order, and when something changed: `weight` and `id` are those of the order. */
export type HistoryAnswer = {
  readonly counts: HistoryCounts;
  readonly trouble: string | null;
  readonly weight: number;
  readonly id: number;
};

const TICK_MS = 1_000;

if (parentPort !== null) {
  const port = parentPort;
  giveUpPriority(0);
  // Only this program starts the worker, with a job.
  const job = workerData as HistoryJob;
  const gate = new SharedGate(job.gate);
  const { about, columns, carriesAll } = job;
  const files = new IndexFiles({ about, columns, gate, carriesAll });
  const answer = (weight = 0, id = 0): void =>
    port.postMessage({ counts: { ...files.counts }, trouble: files.trouble, weight, id } satisfies HistoryAnswer);
  gate.write(() => {
    try {
      files.counts.recovered = recoverIndexes(job.output).closed.length;
    } catch (error) {
      // Readers take them as they are.
      faults.note('file', error);
    }
  });
  port.on('message', (order: HistoryOrder) => {
    if (order.kind === 'batch') {
      files.take(order.batch, performance.now());
      answer(order.weight);
      return;
    }
    files.flush();
    if (order.isEnd) files.end();
    answer(0, order.id);
    if (order.isEnd) port.close();
  });
  const ticking = faults.every(TICK_MS, 'tick', () => {
    files.tick(performance.now());
    answer();
  });
  port.on('close', () => clearInterval(ticking));
}
