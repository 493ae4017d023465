/** The program while it serves: waited for by the line that names its address, ended by a signal. */
import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { listen, SOON_MS } from '../helpers/patience.ts';
import { finished, type Run, start } from './run-program.ts';

export type Server = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly done: Promise<Run>;
  readonly base: string;
};

/** Waits for the line that names the address; fails with what was said instead. */
export async function serving(args: readonly string[], label = 'api'): Promise<Server> {
  const child = start(args);
  const done = finished(child);
  const line = new RegExp(`^${label} listening on (http://127\\.0\\.0\\.1:[1-9]\\d*)\n`, 'm');
  const [, base = ''] = await listen(child).said(line);
  return { child, done, base };
}

export async function stop(server: Server, signal: NodeJS.Signals): Promise<Run> {
  const begin = performance.now();
  server.child.kill(signal);
  const r = await server.done;
  const took = performance.now() - begin;
  assert.equal(r.signal, null, 'it ends by itself');
  assert.equal(r.code, 0, r.stderr);
  assert.ok(took < SOON_MS, `stopped after ${Math.round(took)} ms`);
  return r;
}
