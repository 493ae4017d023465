/** A file that a process maps: how it is opened by a way that is sure to lead to it, and what it is called. */
import { closeSync, existsSync } from 'node:fs';
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

/**
 * By the mapping itself; by the path in the process's own root only where the kernel gives the mapping to nobody. A path leads
 * wherever its process mounts something: another file there can have the same inode number on purpose.
 */
export function openMapped(row: TlsMapping, procRoot = '/proc'): RegularFile | NoFile {
  const mappings = `${procRoot}/${row.pid}/map_files`;
  const area = `${row.start.toString(16)}-${row.end.toString(16)}`;
  const mapped = openRegular(`${mappings}/${area}`, { follow: true });
  const isForbidden = 'reason' in mapped && (/\((?:EPERM|EACCES)\)$/.test(mapped.reason) || !existsSync(mappings));
  if (!isForbidden || row.deleted || !row.path.startsWith('/')) return sameInode(mapped, row);
  // The path of a mapping ends in no link.
  return sameInode(openRegular(`${procRoot}/${row.pid}/root${row.path}`, { follow: false }), row);
}

function sameInode(opened: RegularFile | NoFile, { ino }: TlsMapping): RegularFile | NoFile {
  if ('reason' in opened || opened.stat.ino === ino) return opened;
  closeSync(opened.fd);
  return { reason: 'the mapping leads to another file now' };
}
