/**
 * `npm run fill-up -- [--scale N] [ARGS]`: fills every cap of the program at once and says what memory it takes.
 *
 * Prints the peak of resident memory, as the kernel counted it, and the losses that the program counted. Ends with 1 above
 * a GiB.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillUp } from './fill-up-feed.ts';

const MOST_MIB = 1024;

/** Peak resident memory of a process, in MiB, from /proc. */
export function peakMiB(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? Number.NaN) / 1024;
}

export type Filled = { readonly mib: number; readonly stats: unknown; readonly seconds: number };

/** Starts the program at `root`, feeds it, and asks it what it counted. */
export async function fill(root: string, scale: number, args: readonly string[]): Promise<Filled> {
  const started = performance.now();
  const program = join(root, 'dist/program/calltap.js');
  const all = ['-I', '-', '--api', '127.0.0.1:0', '--kill-scanner', '--fraud', '--stats-json', ...args];
  const child = spawn(process.execPath, [program, ...all], { stdio: ['pipe', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-65_536);
    port ||= Number(/api listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(errors)?.[1] ?? 0);
  });
  let port = 0;
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) =>
      reject(new Error(`the program ended with ${code ?? signal}: ${errors.slice(-2_000)}`)),
    );
  });
  ended.catch(() => undefined);
  child.stdin.on('error', () => undefined);
  try {
    for (const piece of fillUp(scale)) {
      if (!child.stdin.write(piece))
        await Promise.race([ended, new Promise((done) => child.stdin.once('drain', done))]);
    }
    child.stdin.end();
    for (;;) {
      await Promise.race([ended, new Promise((done) => setTimeout(done, 200))]);
      const answer = await fetch(`http://127.0.0.1:${port}/v1/stats`).catch(() => null);
      const stats = (await answer?.json()) as {
        source_exhausted?: boolean;
        capture_quality?: { source_exhausted?: boolean };
      };
      if (!JSON.stringify(stats ?? {}).includes('"source_exhausted":true')) continue;
      const { pid = 0 } = child;
      return { mib: peakMiB(pid), stats, seconds: (performance.now() - started) / 1000 };
    }
  } finally {
    child.removeAllListeners('exit');
    child.kill();
  }
}

export async function main(argv: readonly string[], root: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { scale: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const { mib, stats, seconds } = await fill(root, Number(values.scale), positionals);
  const { losses = {}, caveats } = stats as { losses?: Record<string, number>; caveats?: unknown };
  const counted = Object.fromEntries(Object.entries(losses).filter(([, count]) => count > 0));
  process.stdout.write(`${JSON.stringify({ counted, caveats }, null, 2)}\n`);
  process.stdout.write(`peak of resident memory: ${Math.round(mib)} MiB in ${Math.round(seconds)} s\n`);
  return mib < MOST_MIB ? 0 : 1;
}
