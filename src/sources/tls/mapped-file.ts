/** A file that a process maps: how it is opened by a way that is sure to lead to it, and what it is called. */
import { closeSync } from 'node:fs';
import type { TlsMapping } from './native-tls.ts';
import type { NoFile, RegularFile } from './regular-file.ts';
import { openRegular } from './regular-file.ts';
import { baseName } from './targets.ts';

/** Kernel device numbers are major << 20 | minor. */
export const DEVICE_MAJOR = 1 << 20;

export function describe(f: { readonly path: string; readonly isDeleted: boolean }): string {
  // A path is what some process chose: control bytes would reach the terminal.
  const name = baseName(f.path).replace(/[^\x21-\x7e]/g, '?') || 'a file with a long path';
  return f.isDeleted ? `${name} (deleted)` : name;
}

/** A device number as stat(2) gives it, in the kernel's own layout. */
export function kernelDevice(dev: number): number {
  const big = BigInt(dev);
  const major = Number((big >> 8n) & 0xfffn) | Number((big >> 32n) & 0xfffff000n);
  const minor = Number(big & 0xffn) | Number((big >> 12n) & 0xfff00n);
  return major * DEVICE_MAJOR + minor;
}

/** By path in the process's own root when that still is the inode, else by the mapping itself. */
export function openMapped(row: TlsMapping, procRoot = '/proc'): RegularFile | NoFile {
  const ways: [path: string, follow: boolean][] = [];
  // The path of a mapping ends in no link; the mapping itself is one.
  if (!row.deleted && row.path.startsWith('/')) ways.push([`${procRoot}/${row.pid}/root${row.path}`, false]);
  ways.push([`${procRoot}/${row.pid}/map_files/${row.start.toString(16)}-${row.end.toString(16)}`, true]);
  let reason = '';
  for (const [path, follow] of ways) {
    const opened = openRegular(path, { follow });
    if ('reason' in opened) {
      reason = opened.reason;
      continue;
    }
    if (opened.stat.ino === row.ino) return opened;
    closeSync(opened.fd);
    reason = 'the path leads to another file now';
  }
  return { reason };
}
