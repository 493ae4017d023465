/** The program under an API benchmark: fed through a pipe, its turns measured from within, asked over HTTP. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { packageRoot } from '../src/core/package.ts';
import { Feed } from './api-feed.ts';
import type { TurnFigures } from './turn-meter.ts';

export type Program = {
  readonly port: number;
  readonly feed: Feed;
  json(path: string): Promise<Record<string, unknown>>;
  /** Turns are measured from now on. */
  reset(): Promise<void>;
  figures(): Promise<TurnFigures>;
  /** Waits until `read` gives something else than null. */
  until<T>(read: () => Promise<T | null> | T | null): Promise<T>;
  stop(): Promise<void>;
};

function isFigures(value: unknown): value is TurnFigures {
  return typeof value === 'object' && value !== null && 'longestMs' in value;
}

/** What is measured from within: the longer, the more it costs. `stacks`: turns, and the stacks of long ones. */
export type Watched = 'nothing' | 'turns' | 'stacks';

/** Starts the program on what the feed will write. */
export async function startProgram(args: readonly string[], watched: Watched): Promise<Program> {
  const env = watched === 'stacks' ? { ...process.env, CALLTAP_TURN_PROFILE: '1' } : process.env;
  const dist = join(packageRoot(), 'dist');
  const child: ChildProcess = spawn(
    process.execPath,
    [
      ...process.execArgv,
      ...(watched === 'nothing' ? [] : ['--import', join(dist, 'bench/turn-meter.js')]),
      ...[join(dist, 'program/calltap.js'), '-I', '-', '--api', '127.0.0.1:0', ...args],
    ],
    { stdio: ['pipe', 'ignore', 'pipe', 'ipc'], env },
  );
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.on('error', () => undefined);
  const until: Program['until'] = async (read) => {
    for (;;) {
      const value = await read();
      if (value !== null) return value;
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the program ended: ${errors}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const told = (what: string): Promise<unknown> =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(what);
    });
  const port = Number(await until(() => /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(errors)?.[1] ?? null));
  return {
    port,
    // Made with a pipe at its standard input.
    feed: new Feed(child.stdin as Writable),
    async json(path) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return Object(await answer.json());
    },
    async reset() {
      await told('reset');
    },
    async figures() {
      const figures = await told('read');
      if (!isFigures(figures)) throw new Error('the meter gave no figures');
      return figures;
    },
    until,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
