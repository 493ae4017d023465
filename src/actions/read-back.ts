/**
 * The frames of live calls, read back from the files of -O: another calltap reads the files, with the calls as its filter,
 * and writes what it finds. It comes after everything else on the machine, has no secrets, and a limit in bytes and time.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { PortRange } from '../config/option-value.ts';
import { faults } from '../core/faults.ts';
import { packageRoot } from '../core/package.ts';
import { comeLast, seenEnvironment } from '../core/started-process.ts';

/** Bytes of the files of `-O` that are read back for the capture of a live call. @cap */
const READ_BACK_BYTES = 4 * 1024 * 1024 * 1024;

/** What changes which frames belong to a call. */
export type ReadBackOptions = {
  readonly portrange: readonly PortRange[] | null;
  readonly wsPortrange: readonly PortRange[];
  readonly decodeEspNull: boolean;
};

const LIMIT_MS = 60_000;
const LOOK_MS = 200;

/** Frames that it wrote to `to`; a text says why it wrote none, null that nobody waits any more. */
export async function readBack(
  files: readonly string[],
  callIds: readonly string[],
  to: string,
  options: ReadBackOptions,
  isGone: () => boolean,
): Promise<number | string | null> {
  const sizes = files.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  const bytes = sizes.reduce((a, b) => a + b, 0);
  if (bytes === 0) return 'the files of -O are gone';
  if (bytes > READ_BACK_BYTES) return `the files of -O that may hold it are larger than ${READ_BACK_BYTES} bytes`;
  const ended = new AbortController();
  const child = execa(process.execPath, [...process.execArgv, ...argumentsOf(files, callIds, to, options)], {
    env: seenEnvironment(process.env),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: LIMIT_MS,
    forceKillAfterDelay: 1_000,
    // A table of some calls, and lines for people.
    maxBuffer: 256 * 1024,
    cancelSignal: ended.signal,
  });
  if (child.pid !== undefined) comeLast(child.pid);
  const watch = faults.every(LOOK_MS, 'tick', () => {
    if (isGone()) ended.abort();
  });
  watch.unref();
  const { exitCode, stdout, stderr, timedOut } = await child.finally(() => clearInterval(watch));
  if (isGone()) return null;
  if (timedOut) return `reading the files of -O took longer than ${LIMIT_MS / 1000} s`;
  const frames = /^(\d+) frames? written to /m.exec(stdout)?.[1];
  if (exitCode === 0 && frames !== undefined) return Number(frames);
  return `the files of -O could not be read: ${stderr.split('\n')[0] ?? ''}`;
}

function argumentsOf(
  files: readonly string[],
  callIds: readonly string[],
  to: string,
  { portrange, wsPortrange, decodeEspNull }: ReadBackOptions,
): string[] {
  const quoted = callIds.map((id) => `"${id.replace(/["\\]/g, '\\$&')}"`);
  return [
    join(packageRoot(), 'dist/program/calltap.js'),
    ...files.flatMap((path) => ['-I', path]),
    ...['--filter', `callid=${quoted.join(',')}`, '-O', to],
    ...(portrange === null ? [] : ['--portrange', portText(portrange)]),
    ...['--ws-portrange', portText(wsPortrange)],
    ...(decodeEspNull ? ['--decode-esp-null'] : []),
  ];
}

function portText(ranges: readonly PortRange[]): string {
  return ranges.map(({ from, to }) => `${from}-${to}`).join(',');
}
