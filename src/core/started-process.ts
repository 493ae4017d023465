/**
 * The programs that this one starts. They get no priority of its own: a probe's threads come before others, what they make
 * does not. Each leads a process group, so that nothing it started stays behind.
 */
import { accessSync, constants as modes, statSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';

/** What of this program's environment they see: no key and no token. */
const SEEN = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'USER', 'LOGNAME', 'TMPDIR'];

export function seenEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of SEEN) {
    const value = env[name];
    if (value !== undefined) seen[name] = value;
  }
  return seen;
}

/** The absolute path of a program; null when no absolute folder of PATH has it: the working directory is none of them. */
export function findProgram(name: string, searchPath: string): string | null {
  const folders = searchPath.split(':').filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, modes.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Takes a nice value below 0 from a process or thread that inherited it; 0 is the calling thread. */
export function giveUpPriority(id: number): void {
  try {
    if (getPriority(id) < 0) setPriority(id, 0);
  } catch {
    // It has ended.
  }
}

/** Everything else on the machine goes before it. */
export function comeLast(id: number): void {
  try {
    setPriority(id, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or a filter of system calls forbids it.
  }
}

/** Kills everything in the group of a leader. A process that is left in it keeps its number from being given to another. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}
