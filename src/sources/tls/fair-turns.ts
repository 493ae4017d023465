/**
 * Orders the files that calltap looks into: one of each user's processes in turn. A user who maps thousands of files that
 * take long to read delays the files of others by one.
 */
type OfProcess = { readonly pid: number };

export function fairly<T extends OfProcess>(rows: readonly T[], userOf: (pid: number) => number): T[] {
  const queues = new Map<number, T[]>();
  for (const row of rows) {
    const user = userOf(row.pid);
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
