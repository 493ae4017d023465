/**
 * Which files the processes of this host run code of, as /proc/PID/maps tells it: for whom the kernel's own iterator
 * (task_vma, Linux 5.12) is not there, or not yet needed. Behind an overlay newer kernels name the overlay's inode here.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import type { TlsMapping } from './native-tls.ts';
import { readHead } from './regular-file.ts';

/** Bytes of /proc/PID/maps. Of a process that has more, calltap looks into no file. @cap */
const MAX_MAPS_BYTES = 2 * 1024 * 1024;

/** Bytes of /proc/PID/maps of a program that was just started: with more, calltap looks at the whole host. @cap */
export const MAX_STARTED_MAPS_BYTES = 1024 * 1024;

/** Processes are read for so long before other work gets a turn. */
const TURN_MS = 10;
const LINE = /^([0-9a-f]+)-([0-9a-f]+) ..x. [0-9a-f]+ ([0-9a-f]+):([0-9a-f]+) (\d+) +(\/.*)$/;
const DELETED = ' (deleted)';

export function processIds(procRoot: string): number[] {
  return readdirSync(procRoot)
    .map(Number)
    .filter((pid) => Number.isInteger(pid));
}

/** Path of the file that a process runs, '' when it cannot be read; an upgrade leaves " (deleted)" after it. */
export function programOf(procRoot: string, pid: number): string {
  try {
    return readlinkSync(`${procRoot}/${pid}/exe`).replace(/ \(deleted\)$/, '');
  } catch {
    return '';
  }
}

/** Executable file mappings of a process, each file once; null when the process is gone, unreadable also beyond so many bytes. */
export function mappingsOf(
  procRoot: string,
  pid: number,
  mostBytes = MAX_MAPS_BYTES,
): TlsMapping[] | 'unreadable' | null {
  let text: string;
  let comm: string;
  try {
    text = readHead(`${procRoot}/${pid}/maps`, mostBytes + 1);
    comm = readFileSync(`${procRoot}/${pid}/comm`, 'utf8').trimEnd();
  } catch (error) {
    return errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM' ? 'unreadable' : null;
  }
  if (Buffer.byteLength(text) > mostBytes) return 'unreadable';
  const found = new Map<string, TlsMapping>();
  for (const line of text.split('\n')) {
    const m = LINE.exec(line);
    if (m === null) continue;
    const [, start = '', end = '', major = '', minor = '', ino = '', path = ''] = m;
    const key = `${major}:${minor}:${ino}`;
    if (found.has(key)) continue;
    const deleted = path.endsWith(DELETED);
    found.set(key, {
      pid,
      comm,
      dev: Number.parseInt(major, 16) * 0x10_0000 + Number.parseInt(minor, 16),
      ino: Number(ino),
      path: deleted ? path.slice(0, -DELETED.length) : path,
      deleted,
      start: BigInt(`0x${start}`),
      end: BigInt(`0x${end}`),
      mntns: 0,
    });
  }
  return [...found.values()];
}

/** The same of all processes that may be looked into. */
export async function mappingsOfAll(procRoot: string): Promise<TlsMapping[]> {
  const rows: TlsMapping[] = [];
  let turnMs = performance.now();
  for (const pid of processIds(procRoot)) {
    const mapped = mappingsOf(procRoot, pid);
    if (mapped !== null && mapped !== 'unreadable') rows.push(...mapped);
    if (performance.now() - turnMs < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnMs = performance.now();
  }
  return rows;
}
