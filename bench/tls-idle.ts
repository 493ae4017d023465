/**
 * What calltap with `--uprobe` costs while nobody talks over TLS: on a host where nothing happens, and on one that starts
 * fifty programs a second. The figures are all threads' processor time; what else the host starts is in them.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Lab } from '../test/live/lab.ts';
import { cpuByThread, cpuSince } from './process-cpu.ts';

/** V8 has compiled what runs now and then. */
const WARM_UP_MS = 20_000;
/** Fifty a second: `read` waits inside the shell and starts nothing. */
const STARTS = 'exec 3<> <(:); while :; do /bin/true; read -t 0.0185 -u 3; done';

/** Processes and threads that the host has started since it came up. */
function forks(): number {
  return Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? 0);
}

type Share = { readonly all: number; readonly main: number; readonly forksPerSecond: number };

/** Percent of a core. */
async function measure(pid: number, seconds: number): Promise<Share> {
  const [before, started, from] = [cpuByThread(pid), forks(), performance.now()];
  await sleep(seconds * 1000);
  const took = (performance.now() - from) / 1000;
  const cpu = cpuSince(pid, before);
  const all = [...cpu.values()].reduce((a, b) => a + b, 0);
  const percent = (sec: number): number => (100 * sec) / took;
  return { all: percent(all), main: percent(cpu.get('main') ?? 0), forksPerSecond: (forks() - started) / took };
}

async function withStarts<T>(work: () => Promise<T>): Promise<T> {
  const shell = spawn('bash', ['-c', STARTS], { stdio: 'ignore' });
  try {
    return await work();
  } finally {
    shell.kill();
  }
}

/** The table, a line for each measurement; the two states take turns. */
export async function* idleTable(seconds: number, rounds: number): AsyncGenerator<string> {
  const closers: (() => Promise<void>)[] = [];
  const lab = new Lab({ after: (close) => closers.push(close) });
  try {
    const agent = await Agent.start(lab, ['--uprobe', '-N'], /uprobe ready/);
    const pid = agent.running.child.pid ?? 0;
    await sleep(WARM_UP_MS);
    yield `| ${seconds} s each | forks/s of the host | all threads, % of a core | main thread |`;
    yield '|---|---:|---:|---:|';
    for (let i = 0; i < 2 * rounds; i++) {
      const isIdle = i % 2 === 0;
      const share = isIdle ? await measure(pid, seconds) : await withStarts(() => measure(pid, seconds));
      const row = [share.forksPerSecond.toFixed(0), share.all.toFixed(2), share.main.toFixed(2)];
      yield `| ${[isIdle ? 'idle' : '50 programs started a second', ...row].join(' | ')} |`;
    }
  } finally {
    for (const close of closers) await close();
  }
}
