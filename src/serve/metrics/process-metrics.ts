/** Metrics of the process itself, in the names Prometheus client libraries agreed on. */

import { readdirSync } from 'node:fs';
import { faults } from '../../core/faults.ts';
import type { LoopTurn, LoopTurns } from '../../core/loop-turns.ts';
import { LOOP_TURN_CPU_MS, LOOP_TURN_HELD_MS, LOOP_TURN_TOLD_MS, loopTurns } from '../../core/loop-turns.ts';
import type { MetricFamily } from '../../view/metrics-snapshot.ts';
import { counterFamily, numberFamily } from '../../view/metrics-snapshot.ts';

export class ProcessMetrics {
  readonly #version: string;
  readonly #startSeconds = Date.now() / 1000 - process.uptime();

  constructor(version: string) {
    this.#version = version;
  }

  /** Of this moment; to be asked once a scrape. */
  families(): MetricFamily[] {
    const { user, system } = process.cpuUsage();
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
      ...loopFamilies(loopTurns),
      counterFamily('calltap_faults_total', 'Unexpected errors by the place that caught them.', 'place', [
        ...faults.counts,
      ]),
    ];
  }
}

function loopFamilies(turns: LoopTurns): MetricFamily[] {
  const longest = [...turns.longest()];
  const gauge = (name: string, help: string, secondsOf: (turn: LoopTurn) => number): MetricFamily => ({
    ...counterFamily(
      name,
      help,
      'work',
      longest.map(([work, turn]) => [work, secondsOf(turn)]),
    ),
    type: 'gauge',
  });
  return [
    gauge(
      'calltap_loop_held_seconds',
      `Longest turn of the main thread in the last one to two minutes by what ran longest in it; turns under ${LOOP_TURN_TOLD_MS} ms are 0.`,
      ({ heldMs }) => heldMs / 1000,
    ),
    gauge(
      'calltap_loop_held_cpu_seconds',
      'Most processor time that the main thread took in one of these turns.',
      ({ cpuMs }) => cpuMs / 1000,
    ),
    numberFamily(
      'counter',
      'calltap_loop_overlong_turns_total',
      `Turns of the main thread that took over ${LOOP_TURN_CPU_MS} ms of processor time or held it over ${LOOP_TURN_HELD_MS} ms.`,
      turns.overlong,
    ),
  ];
}

function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
