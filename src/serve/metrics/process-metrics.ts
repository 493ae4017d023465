/** Metrics of the process itself, in the names Prometheus client libraries agreed on. */

import { readdirSync } from 'node:fs';
import { faults } from '../../core/faults.ts';
import { features } from '../../core/features.ts';
import type { LoopTurn, LoopTurns } from '../../core/loop-turns.ts';
import { loopTurns } from '../../core/loop-turns.ts';
import type { MetricFamily } from '../../view/metrics/family.ts';
import { countsOf, familyOf, numberOf } from '../../view/metrics/family.ts';

export class ProcessMetrics {
  readonly #version: string;
  readonly #startSeconds = Date.now() / 1000 - process.uptime();

  constructor(version: string) {
    this.#version = version;
  }

  /** Of this moment; to be asked once a scrape. */
  families(): MetricFamily[] {
    const { user, system } = process.cpuUsage();
    return [
      familyOf('calltap_build_info', [{ labels: [this.#version, features().built.join(' ')], value: 1 }]),
      numberOf('process_cpu_seconds_total', (user + system) / 1e6),
      numberOf('process_start_time_seconds', this.#startSeconds),
      numberOf('process_resident_memory_bytes', process.memoryUsage.rss()),
      numberOf('process_open_fds', openDescriptors()),
      numberOf('nodejs_heap_used_bytes', process.memoryUsage().heapUsed),
      numberOf('nodejs_external_memory_bytes', process.memoryUsage().external),
      ...loopFamilies(loopTurns),
      countsOf('calltap_faults_total', [...faults.counts]),
    ];
  }
}

function loopFamilies(turns: LoopTurns): MetricFamily[] {
  const longest = [...turns.longest()];
  const secondsBy = (
    name: 'calltap_loop_held_seconds' | 'calltap_loop_held_cpu_seconds',
    secondsOf: (turn: LoopTurn) => number,
  ): MetricFamily =>
    countsOf(
      name,
      longest.map(([work, turn]) => [work, secondsOf(turn)]),
    );
  return [
    secondsBy('calltap_loop_held_seconds', ({ heldMs }) => heldMs / 1000),
    secondsBy('calltap_loop_held_cpu_seconds', ({ cpuMs }) => cpuMs / 1000),
    numberOf('calltap_loop_overlong_turns_total', turns.overlong),
  ];
}

function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
