/**
 * How far V8's heap may grow between two collections.
 *
 * V8 marks all that lives before it frees what has died, so a small heap that grows by a quarter is marked many times a second
 * under load. A large one that doubles takes the memory that docs/limits.md promises to leave. A busy heap therefore grows by
 * as many bytes whatever its size, and an idle one by a quarter.
 */

import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { faults } from './faults.ts';

const LOOK_EVERY_MS = 250;
const LEAST_PERCENT = 25;
/** With all caps full (`npm run fill-up`) a quarter of the heap is about as much. */
const BUSY_BYTES = 96 * 1024 * 1024;
const MOST_PERCENT = 400;
/** Of the time, spent on the main thread. */
const BUSY_SHARE = 0.4;

/** Percent of its size by which a heap of `usedBytes` may grow. */
export function growthPercent(usedBytes: number, isBusy: boolean): number {
  const percent = isBusy ? Math.round((100 * BUSY_BYTES) / Math.max(usedBytes, 1)) : 0;
  return Math.min(Math.max(percent, LEAST_PERCENT), MOST_PERCENT);
}

/** Steers it for as long as the program runs. */
export function steerHeapGrowth(): void {
  let percent = 0;
  let before = performance.eventLoopUtilization();
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const isBusy = performance.eventLoopUtilization(now, before).utilization > BUSY_SHARE;
    before = now;
    const next = growthPercent(getHeapStatistics().used_heap_size, isBusy);
    if (next === percent) return;
    percent = next;
    setFlagsFromString(`--heap-growing-percent=${percent}`);
  };
  look();
  faults.every(LOOK_EVERY_MS, 'tick', look).unref();
}
