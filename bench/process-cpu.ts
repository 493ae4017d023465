/** Processor time of another process's threads in seconds, to the nanosecond, by name (proc(5): schedstat). */
import { readdirSync, readFileSync } from 'node:fs';

/** By the thread's name; the first thread is `main`. Threads of one name add up, and one that has ended is not there. */
export function cpuByThread(pid: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const at = `/proc/${pid}/task/${tid}`;
    try {
      const name = tid === `${pid}` ? 'main' : readFileSync(`${at}/comm`, 'latin1').trim();
      const ran = Number(readFileSync(`${at}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e9;
      seconds.set(name, (seconds.get(name) ?? 0) + ran);
    } catch {
      // It ended while it was looked at.
    }
  }
  return seconds;
}

/** What was used since then. */
export function cpuSince(pid: number, before: ReadonlyMap<string, number>): Map<string, number> {
  const now = cpuByThread(pid);
  for (const [name, seconds] of now) now.set(name, Math.max(0, seconds - (before.get(name) ?? 0)));
  return now;
}

/** Milliseconds that the first thread could run and had no processor. */
export function waitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
}
