/** Metrics of the process itself, in the names Prometheus client libraries agreed on. */

import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

/** Each look wakes the process, idle or not: 50 a second were a third of what an idle server cost. */
const LOOP_LOOK_MS = 100;

/** Declares the process metrics; the returned function stops what measures them. */
export function addProcessMetrics(registry: Registry, version: string): () => void {
  const registers = [registry];
  const startSeconds = Date.now() / 1000 - process.uptime();
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });
  loopDelay.enable();
  let cpuSeconds = 0;

  new Gauge({
    name: 'calltap_build_info',
    help: 'Version of this program; the value is always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time of the process in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const total = (user + system) / 1e6;
      this.inc(total - cpuSeconds);
      cpuSeconds = total;
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process in seconds since the Unix epoch.',
    registers,
  }).set(startSeconds);
  gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss());
  gauge('process_open_fds', 'Open file descriptors.', openDescriptors);
  gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  gauge('nodejs_external_memory_bytes', 'Buffers outside the JavaScript heap.', () => process.memoryUsage().external);
  gauge(
    'nodejs_eventloop_delay_max_seconds',
    `Longest delay of the event loop since the last scrape, as met by a timer of ${LOOP_LOOK_MS} ms.`,
    () => {
      const seconds = loopDelay.max / 1e9;
      loopDelay.reset();
      return seconds;
    },
  );

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  return () => {
    loopDelay.disable();
  };
}

function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
