/**
 * What the indexes beside the files of -O cost: a capture is read and written again with --split, with them and without in turns.
 *
 *   npm run bench -- history CAPTURE [PAIRS] [--split=100M]
 *
 * Costs are processor time, of the main thread and of the process, less that of the run without: so other programs on the machine
 * count little. A capture that is read comes as fast as it can, and its code runs warm: live, a call costs no less.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/core/package.ts';
import { INDEX_SUFFIX, openIndex } from '../src/history/index-file.ts';
import { until } from '../test/helpers/patience.ts';
import { median } from './measure.ts';
import { cpuByThread } from './process-cpu.ts';

/** Processor time of a second in which the main thread did nothing. */
const IDLE_SEC = 0.02;
/** Ticks of a second in /proc. */
const TICKS = 100;

type Run = {
  /** Processor time in seconds: of the main thread, and of all threads, those that have ended too. */
  readonly main: number;
  readonly all: number;
  readonly rows: number;
  readonly documents: number;
  readonly leftOut: number;
  readonly indexBytes: number;
  readonly captureBytes: number;
};

/** Returns the exit code. */
export async function historyBench(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { split: { type: 'string', default: '100M' } },
    allowPositionals: true,
  });
  const [capture, pairs = '3'] = positionals;
  if (capture === undefined) {
    process.stderr.write('bench: history needs a capture: npm run bench -- history FILE [PAIRS]\n');
    return 2;
  }
  const [withIndexes, without]: [Run[], Run[]] = [[], []];
  for (let i = 0; i < Number(pairs); i++) {
    withIndexes.push(await runOnce(capture, ['--split', values.split]));
    without.push(await runOnce(capture, ['--split', values.split, '--no-history']));
  }
  process.stdout.write(`${report(withIndexes, without)}\n`);
  return 0;
}

function report(withIndexes: readonly Run[], without: readonly Run[]): string {
  const of = (runs: readonly Run[], read: (run: Run) => number): number => median(runs.map(read));
  const own = (read: (run: Run) => number): number => of(withIndexes, read);
  const more = (read: (run: Run) => number): number => own(read) - of(without, read);
  const calls = own(({ rows, leftOut }) => rows + leftOut);
  const us = (seconds: number): string => `${((seconds / calls) * 1e6).toFixed(0)} µs`;
  const [main, all] = [more((run) => run.main), more((run) => run.all)];
  const bytes = own((run) => run.indexBytes);
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
  return [
    `${calls} calls: ${own((run) => run.rows)} rows, ${own((run) => run.documents)} documents, ${own((run) => run.leftOut)} left out`,
    `processor a call: main thread ${us(main)}, worker and others ${us(all - main)}`,
    `of -O alone: ${percent(
      all,
      of(without, (run) => run.all),
    )} (${of(without, (run) => run.all).toFixed(2)} s, with indexes ${own((run) => run.all).toFixed(2)} s)`,
    `index: ${(bytes / own((run) => run.rows)).toFixed(0)} bytes a row, ${percent(
      bytes,
      own((run) => run.captureBytes),
    )} of the capture`,
  ].join('\n');
}

async function runOnce(capture: string, options: readonly string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-bench-'));
  const program = join(packageRoot(), 'dist/program/calltap.js');
  const limits = ['--max-dialogs', '1000000', '--max-streams', '1000000', '--message-log-bytes', '2G'];
  const args = ['-I', capture, '-O', join(folder, 'c.pcapng'), ...options, ...limits, '--api', '127.0.0.1:0'];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  try {
    const url = await until(
      () => /api listening on (\S+)/.exec(said)?.[1] ?? null,
      () => said,
    );
    const pid = child.pid ?? 0;
    await ended(url, pid);
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    const all = (Number(fields[11]) + Number(fields[12])) / TICKS;
    return { main: cpuByThread(pid).get('main') ?? 0, all, ...written(folder) };
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The capture was read, its calls were judged, and the indexes are closed: the main thread has nothing to do. */
async function ended(url: string, pid: number): Promise<void> {
  const isExhausted = async (): Promise<boolean> => {
    const stats: unknown = await (await fetch(`${url}/v1/stats`)).json();
    return (
      typeof stats === 'object' && stats !== null && 'source_exhausted' in stats && stats.source_exhausted === true
    );
  };
  while (!(await isExhausted())) await sleep(500);
  for (let before = -1, now = 0, quiet = 0; quiet < 3; before = now) {
    await sleep(1_000);
    now = cpuByThread(pid).get('main') ?? 0;
    quiet = now - before < IDLE_SEC ? quiet + 1 : 0;
  }
}

function written(folder: string): Omit<Run, 'main' | 'all'> {
  let [rows, documents, leftOut, indexBytes, captureBytes] = [0, 0, 0, 0, 0];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.endsWith(INDEX_SUFFIX)) {
      captureBytes += statSync(path).size;
      continue;
    }
    indexBytes += statSync(path).size;
    const index = openIndex(path);
    const footer = index.ok ? index.value.footer : null;
    if (footer === null) throw new Error(`${name} was not closed`);
    rows += footer.rows;
    leftOut += footer.rowsLeftOut;
    documents += footer.rows - footer.documentsLeftOut;
  }
  return { rows, documents, leftOut, indexBytes, captureBytes };
}
