/**
 * Which other processes have probes on this host: what dies beside them may die of theirs. Only node's own modules are
 * imported.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Empty instead of an error: processes end while they are looked at. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim().slice(0, 100);
  } catch {
    return 'ended';
  }
}

function hasProbe(pid: string, fd: string): boolean {
  try {
    const what = readlinkSync(`/proc/${pid}/fd/${fd}`);
    if (what === 'anon_inode:[perf_event]') return true;
    const isLink = what === 'anon_inode:bpf_link';
    return isLink && /^link_type:\s*(uprobe|perf)/m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1'));
  } catch {
    return false;
  }
}

/** Their command lines, without the process `own`. */
export function othersProbing(own: number): string[] {
  return list('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== own)
    .filter((pid) => list(`/proc/${pid}/fd`).some((fd) => hasProbe(pid, fd)))
    .map((pid) => `${pid} (${commandLine(pid)})`);
}
