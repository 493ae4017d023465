/**
 * The order in which files are looked into: one of each user's processes in turn. Who maps thousands of files that take long
 * to read delays the files of others by one.
 */
import { statSync } from 'node:fs';

type OfProcess = { readonly pid: number };

/** The user whose process it is, whatever the process forbids others to see of it; 0 when it has gone. */
export function userOf(procRoot: string, pid: number): number {
  try {
    return statSync(`${procRoot}/${pid}`).uid;
  } catch {
    return 0;
  }
}

export function fairly<T extends OfProcess>(rows: readonly T[], userOfProcess: (pid: number) => number): T[] {
  const users = new Map<number, number>();
  const queues = new Map<number, T[]>();
  for (const row of rows) {
    const user = users.get(row.pid) ?? userOfProcess(row.pid);
    users.set(row.pid, user);
    const queue = queues.get(user);
    if (queue === undefined) queues.set(user, [row]);
    else queue.push(row);
  }
  const ordered: T[] = [];
  for (let i = 0; ordered.length < rows.length; i++)
    for (const queue of queues.values()) {
      const row = queue[i];
      if (row !== undefined) ordered.push(row);
    }
  return ordered;
}
