/** Runs the program on a host that differs in some files: others are bound in their place, for the program alone. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import type { Run } from './run-program.ts';
import { finished, PROGRAM } from './run-program.ts';

/** What is to be seen in the place of what. */
export type Bound = readonly [from: string, to: string];

const INSIDE =
  'ip link set lo up; while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 99; shift 2; done; shift; exec "$@"';

/** Why that cannot be done here, or false. */
export function boundSkip(): string | false {
  const r = spawnSync('unshare', ['-mn', 'sh', '-c', 'ip link set lo up && mount --bind /proc/version /proc/cpuinfo']);
  return r.status === 0 ? false : 'needs root, unshare and ip: a mount namespace and a network namespace';
}

/** Started in a network of its own, of which only `lo` is there; the caller ends it. */
export function startBound(files: readonly Bound[], args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(
    'unshare',
    ['-mn', 'sh', '-c', INSIDE, 'sh', ...files.flat(), '--', process.execPath, PROGRAM, ...args],
    {
      env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
    },
  );
}

/** Runs to the end. */
export async function runBound(files: readonly Bound[], args: readonly string[]): Promise<Run> {
  const child = startBound(files, args);
  const done = finished(child);
  child.stdin.end();
  return done;
}
