/**
 * Where /proc is not mounted, or goes away, Node cannot tell its resident memory and throws; whoever asks for a gauge
 * would end the capture. It is 0 there.
 */
import { getHeapStatistics } from 'node:v8';

/** What Node itself knows without the system. */
function withoutSystem(): NodeJS.MemoryUsage {
  const { total_heap_size: heapTotal, used_heap_size: heapUsed, external_memory: external } = getHeapStatistics();
  return { rss: 0, heapTotal, heapUsed, external, arrayBuffers: 0 };
}

/** From now on process.memoryUsage(), of this program and of its packages, throws no more. */
export function guardMemoryUsage(): void {
  const { memoryUsage } = process;
  const guarded = (): NodeJS.MemoryUsage => {
    try {
      return memoryUsage();
    } catch {
      return withoutSystem();
    }
  };
  const rss = (): number => {
    try {
      return memoryUsage.rss();
    } catch {
      return 0;
    }
  };
  process.memoryUsage = Object.assign(guarded, { rss });
}
