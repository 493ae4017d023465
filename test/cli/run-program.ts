/** Runs the program as a user does: a child process, its exit code and both outputs. */
import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from '../helpers/patience.ts';

/** From dist/test/cli. */
const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
export const PROGRAM = join(ROOT, 'dist/program/calltap.js');
export const DEMO = join(ROOT, 'fixtures/demo/demo.pcap');

/** For what hangs. A server of a test lives that long at most, and a machine that does other things is slow. */
const LIMIT_MS = 2 * PATIENCE_MS;

export type Run = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
};

/** Started, with both outputs open; the caller ends it. */
export function start(args: readonly string[], cwd?: string): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [PROGRAM, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    // Nothing of the tester's own settings; colours never.
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
  });
}

/** What a child wrote until it ended. */
export function finished(child: ChildProcessWithoutNullStreams): Promise<Run> {
  const begin = performance.now();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // A program that ends before it has read all of its input closes the pipe.
  child.stdin.on('error', () => undefined);
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      resolve({
        code,
        signal,
        stdout: Buffer.concat(out).toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8'),
        elapsedMs: performance.now() - begin,
      });
    });
  });
}

/** Runs to the end; `input` goes to standard input. */
export async function run(args: readonly string[], input: Uint8Array = new Uint8Array(0)): Promise<Run> {
  const child = start(args);
  const done = finished(child);
  child.stdin.end(input);
  return done;
}

/** Succeeded and said nothing on standard error; what it printed. */
export async function printed(args: readonly string[], input?: Uint8Array): Promise<string> {
  const r = await run(args, input);
  assert.deepEqual([r.code, r.stderr], [0, ''], args.join(' '));
  return r.stdout;
}

/** Refused: nothing on standard output, one line on standard error, this exit code, and no stack. Returns the line. */
export function assertRefused(r: Run, code: 1 | 2): string {
  assert.equal(r.stdout, '');
  assert.match(r.stderr, /^calltap: [^\n]+\n$/);
  assert.doesNotMatch(r.stderr, /\bat .*:\d+:\d+|Error:|undefined|\[object/);
  assert.equal(r.code, code, r.stderr);
  return r.stderr.trimEnd();
}
