/** Open-loop load: requests leave when their time has come, however late the answers are, and lateness counts. */

import { Agent, get } from 'node:http';

export type Load = {
  readonly path: string;
  readonly perSec: number;
  readonly seconds: number;
  /** First loopback source address; there are as many as the rate limit of one needs. */
  readonly firstSource: number;
};

export type Figures = {
  readonly sent: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

/** Requests a second from one source: below the limit of 100. */
const A_SOURCE = 80;

/** Runs the load against 127.0.0.1:`port`. The time of an answer begins when its request was due. */
export async function runLoad(port: number, { path, perSec, seconds, firstSource }: Load): Promise<Figures> {
  const sources = Math.ceil(perSec / A_SOURCE);
  const agents = Array.from(
    { length: sources },
    (_, i) => new Agent({ keepAlive: true, maxSockets: 50, localAddress: `127.0.1.${firstSource + i}` }),
  );
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const count = Math.round(perSec * seconds);
  const begin = performance.now() + 50;
  let left = count;
  await new Promise<void>((resolve) => {
    const finish = (status: string, dueMs: number): void => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      times.push(performance.now() - dueMs);
      if (--left === 0) resolve();
    };
    let next = 0;
    const tick = (): void => {
      for (; next < count; next++) {
        const dueMs = begin + (next * 1000) / perSec;
        if (dueMs > performance.now()) break;
        const agent = agents[next % sources];
        const request = get({ port, host: '127.0.0.1', path, ...(agent === undefined ? {} : { agent }) }, (answer) => {
          answer.resume();
          answer.on('end', () => finish(String(answer.statusCode), dueMs));
        });
        request.on('error', (error) => finish(error.message, dueMs));
      }
      if (next < count) setTimeout(tick, 1);
    };
    tick();
  });
  for (const agent of agents) agent.destroy();
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.min(times.length - 1, Math.ceil(part * times.length) - 1)] ?? 0;
  return { sent: count, statuses, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: times.at(-1) ?? 0 };
}
