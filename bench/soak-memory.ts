/**
 * What a soaked agent holds once its garbage is collected, and how much more it may hold later when its caps are full.
 *
 * Resident memory alone says little: the young generation and what waits for the collector come and go by 24 MiB, while 36
 * bytes that are kept of each message are 3 in the time of the test.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { MAX_TRUNK_ROWS, TRUNK_FIGURE_BYTES } from '../src/watch/trunks/trunk-store.ts';
import { until } from '../test/helpers/patience.ts';

/** The agent answers SIGUSR2 with a line. */
const ANSWER = `
import { appendFileSync } from 'node:fs';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
const path = process.env.CALLTAP_HELD;
if (isMainThread && path) {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    gc();
    const { used_heap_size: heap, total_physical_size: pages } = getHeapStatistics();
    appendFileSync(path, Date.now() + ' ' + heap + ' ' + (process.memoryUsage.rss() - pages) + '\\n');
  });
}`;

/** `heap`: bytes of live objects; `beside`: resident bytes that are not the heap's. */
export type Held = { readonly atMs: number; readonly heap: number; readonly beside: number };

/** What starts a program that answers to look(). */
export function answeringBy(path: string): string[] {
  return ['env', `CALLTAP_HELD=${path}`, `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(ANSWER)}`];
}

/** Waits for what the program holds now. */
export async function look(pid: number, path: string): Promise<Held> {
  const lines = (): string[] => (existsSync(path) ? readFileSync(path, 'latin1').split('\n').slice(0, -1) : []);
  const before = lines().length;
  process.kill(pid, 'SIGUSR2');
  const line = await until(
    () => lines()[before],
    () => 'the agent does not say what it holds',
  );
  const [atMs = 0, heap = 0, beside = 0] = line.split(' ').map(Number);
  return { atMs, heap, beside };
}

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
/**
 * With all caps full the heap of the test grows by 1 to 2 MiB from the first look to the second: sketches of trunks whose
 * first calls end, code that is compiled, calls that take the place of registrations.
 */
const HEAP_SLACK = 3.5 * MIB;
/**
 * Blunt, for what native code may lose: 10 to 13 MiB were seen without a leak. An agent that is late touches more of its
 * slabs, attempts of calls fill their rows in three minutes, and the allocator keeps what was given back.
 */
const BESIDE_SLACK = 32 * MIB;
/** A minute of a trunk: its figures and two sketches. Minutes are kept apart for a day, up to their cap. */
const MINUTE_BYTES = 6 * 1024;

/** Minutes that began in between. */
function minutesIn(fromMs: number, toMs: number): number {
  return Math.floor(toMs / MINUTE_MS) - Math.floor(fromMs / MINUTE_MS);
}

/** Fails when what is held has grown by more than full caps let it grow. */
export function assertFlat(early: Held, late: Held): void {
  const figures = Math.min(TRUNK_FIGURE_BYTES, minutesIn(early.atMs, late.atMs) * MAX_TRUNK_ROWS * MINUTE_BYTES);
  const said = JSON.stringify({ early, late });
  assert.ok(late.heap - early.heap <= HEAP_SLACK + figures, `the heap grew: ${said}`);
  assert.ok(late.beside - early.beside <= BESIDE_SLACK, `memory beside the heap grew: ${said}`);
}

/**
 * How long to wait so that no minute begins from `fromMs` to `toMs` from now, where a minute is long enough: trunks get new
 * figures with each, which a short run would have to allow a leak too.
 */
export function msToQuiet(fromMs: number, toMs: number, nowMs: number): number {
  if (toMs - fromMs >= MINUTE_MS) return 0;
  return minutesIn(nowMs + fromMs, nowMs + toMs) === 0 ? 0 : MINUTE_MS - ((nowMs + fromMs) % MINUTE_MS);
}
