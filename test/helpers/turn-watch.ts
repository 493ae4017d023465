/**
 * How much of the processor one turn of a program's event loop takes: its main thread alone, whatever else the machine does.
 * The program writes turns that took long into a file, each with the time when it ended.
 */
import { existsSync, readFileSync } from 'node:fs';

/** What `docs/limits.md` promises. */
export const MOST_TURN_MS = 250;

/** Linux counts what each thread ran. A turn ends when the next timer comes. */
const WATCH = `
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const path = process.env.CALLTAP_TURNS;
const ranMs = () => Number(readFileSync('/proc/' + process.pid + '/task/' + process.pid + '/schedstat', 'latin1').split(' ')[0]) / 1e6;
if (isMainThread && path) {
  let before = ranMs();
  setInterval(() => {
    const now = ranMs();
    if (now - before > 20) appendFileSync(path, Date.now() + ' ' + (now - before).toFixed(0) + '\\n');
    before = now;
  }, 5).unref();
}`;

/** Milliseconds that the main thread of this process has run. */
export function mainThreadMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6;
}

/** What starts a program with that watch. */
export function watchingTurns(path: string): string[] {
  return ['env', `CALLTAP_TURNS=${path}`, `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(WATCH)}`];
}

/** The longest turn since a time, in milliseconds of its processor; those below 20 count as 0. */
export function longestTurn(path: string, sinceMs: number): number {
  const lines = existsSync(path) ? readFileSync(path, 'latin1').trim().split('\n') : [];
  const turns = lines.map((line) => line.split(' ').map(Number));
  return Math.max(0, ...turns.filter(([atMs = 0]) => atMs >= sinceMs).map(([, ms = 0]) => ms));
}
