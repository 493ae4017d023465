/** Metrics of the process itself, in the names Prometheus client libraries agreed on. */

import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricFamily } from '../../view/metrics-snapshot.ts';
import { counterFamily, numberFamily } from '../../view/metrics-snapshot.ts';

/** Each look wakes the process, idle or not: 50 a second were a third of what an idle server cost. */
const LOOP_LOOK_MS = 100;

export class ProcessMetrics {
  readonly #version: string;
  readonly #startSeconds = Date.now() / 1000 - process.uptime();
  readonly #loopDelay = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });

  constructor(version: string) {
    this.#version = version;
    this.#loopDelay.enable();
  }

  /** Of this moment; to be asked once a scrape. */
  families(): MetricFamily[] {
    const { user, system } = process.cpuUsage();
    const loopDelayMax = loopDelaySec(this.#loopDelay.max);
    this.#loopDelay.reset();
    const gauge = (name: string, help: string, value: number): MetricFamily => numberFamily('gauge', name, help, value);
    return [
      {
        ...counterFamily('calltap_build_info', 'Version of this program; the value is always 1.', 'version', [
          [this.#version, 1],
        ]),
        type: 'gauge',
      },
      numberFamily(
        'counter',
        'process_cpu_seconds_total',
        'User and system CPU time of the process in seconds.',
        (user + system) / 1e6,
      ),
      gauge(
        'process_start_time_seconds',
        'Start time of the process in seconds since the Unix epoch.',
        this.#startSeconds,
      ),
      gauge('process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
      gauge('process_open_fds', 'Open file descriptors.', openDescriptors()),
      gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', process.memoryUsage().heapUsed),
      gauge('nodejs_external_memory_bytes', 'Buffers outside the JavaScript heap.', process.memoryUsage().external),
      gauge(
        'nodejs_eventloop_delay_max_seconds',
        `Longest delay of the event loop since the last scrape, as met by a timer of ${LOOP_LOOK_MS} ms; 0 is none.`,
        loopDelayMax,
      ),
    ];
  }

  /** Stops what measures. */
  close(): void {
    this.#loopDelay.disable();
  }
}

/** Node counts from one look to the next, so that an idle loop has the time between two looks. */
export function loopDelaySec(maxNs: number): number {
  return Math.max(0, maxNs - LOOP_LOOK_MS * 1e6) / 1e9;
}

function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
