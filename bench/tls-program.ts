/**
 * Phone calls over TLS through the whole program: what a rate of SSL calls costs the observed program and each thread of
 * calltap, and that every call that was made is analysed or counted as lost.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Lab } from '../test/live/lab.ts';
import { cpuByThread, cpuSince } from './process-cpu.ts';
import { metricsOf, sumOf } from './soak.ts';
import { makeCalls, TlsWorker } from './tls-worker.ts';

const WORKERS = 4;
/** For what lies in the rings when the load has ended. */
const SETTLE_MS = 10_000;

/** Both ends are observed: the second sighting of a message is known as such and is no message of its own. */
type Tally = { readonly analysed: number; readonly seconds: number; readonly lost: number };

function tallyOf(agent: Agent): Tally {
  const m = metricsOf(agent.text('/metrics'));
  return {
    analysed: sumOf(m, 'service_messages_total'),
    seconds: sumOf(m, 'calltap_uprobe_stream_total', ['both_ends']),
    lost: sumOf(m, 'calltap_uprobe_total', ['lost_events']),
  };
}

async function settled(agent: Agent, calls: number): Promise<Tally> {
  for (const end = performance.now() + SETTLE_MS; ; await sleep(100)) {
    const tally = tallyOf(agent);
    if (tally.analysed + tally.seconds + tally.lost >= calls || performance.now() > end) return tally;
  }
}

/** A row of the table. */
async function measure(program: string, folder: string, rate: number, seconds: number): Promise<string[]> {
  const closers: (() => Promise<void>)[] = [];
  const lab = new Lab({ after: (close) => closers.push(close) });
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => TlsWorker.start(program, folder)));
  try {
    // Connections are made, and the code is compiled by V8, before anything is measured.
    const agent = await Agent.start(lab, [`--uprobe=${program}`, '--max-dialogs', '20000'], /uprobe ready/);
    const warm = await makeCalls(workers, 'sip', 20_000, '2');
    await settled(agent, warm.calls);
    const pid = agent.running.child.pid ?? 0;
    const start = tallyOf(agent);
    const before = cpuByThread(pid);
    const made = await makeCalls(workers, 'sip', rate, `${seconds}`);
    const end = await settled(agent, start.analysed + start.seconds + start.lost + made.calls);
    const cpu = cpuSince(pid, before);
    const seen = end.analysed + end.seconds - start.analysed - start.seconds;
    const lost = end.lost - start.lost;
    const us = (sec: number): string => ((sec * 1e6) / Math.max(1, made.calls)).toFixed(2);
    const main = cpu.get('main') ?? 0;
    const reader = cpu.get('calltap-tls') ?? 0;
    const all = [...cpu.values()].reduce((a, b) => a + b, 0);
    return [
      `${rate / 1000}`,
      (made.calls / made.seconds / 1000).toFixed(0),
      `${made.calls}`,
      `${seen}`,
      `${lost}`,
      `${made.calls - seen - lost}`,
      us(made.cpuSeconds),
      us(main),
      us(reader),
      us(all - main - reader),
      `${Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)}`,
    ];
  } finally {
    for (const worker of workers) worker.end();
    for (const close of closers) await close();
  }
}

/** The table of all rates, line by line; `program` is bench/tls_call.c, `folder` has its certificate. */
export async function* programTable(
  program: string,
  folder: string,
  rates: readonly number[],
  seconds: number,
): AsyncGenerator<string> {
  const head = ['SSL calls asked k/s', 'made k/s', 'made', 'analysed', 'lost, counted', 'neither'];
  const cpu = ['CPU us a call: observed program', 'main thread', 'reader', 'V8 threads', 'peak MiB'];
  yield `| ${[...head, ...cpu].join(' | ')} |`;
  yield `|${'---:|'.repeat(head.length + cpu.length)}`;
  for (const rate of rates) yield `| ${(await measure(program, folder, rate, seconds)).join(' | ')} |`;
}
