/**
 * Which processors the program runs on: x86-64 of the second level (x86-64-v2), for which the addon is compiled and
 * without which the engine has no SIMD for the SIP scanner, and arm64. Virtual machines may show less than theirs has.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** What the x86-64 psABI asks of level 2, as the kernel names it in /proc/cpuinfo; `pni` is SSE3. */
const LEVEL_2 = ['cx16', 'lahf_lm', 'pni', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3'] as const;

/** The first processor's entry is shorter; a machine of 256 processors writes half a megabyte. */
const FIRST_ENTRY_BYTES = 8192;

/** What the first processor of an x86-64 /proc/cpuinfo lacks of level 2; nothing when the text has no line of flags. */
export function missingOfLevel2(cpuinfo: string): string[] {
  const line = /^flags[ \t]*:(.*)$/m.exec(cpuinfo)?.[1];
  if (line === undefined) return [];
  const flags = new Set(line.trim().split(/\s+/));
  return LEVEL_2.filter((flag) => !flags.has(flag));
}

/** Why the program cannot run on a processor of this kind (`process.arch`), in one line with the remedy; or null. */
export function processorRefusal(arch: string, cpuinfo: string): string | null {
  if (arch === 'arm64') return null;
  if (arch !== 'x64') return `this Node.js is built for ${arch}; use a machine with x86-64 or arm64`;
  const missing = missingOfLevel2(cpuinfo);
  if (missing.length === 0) return null;
  return (
    `this processor is older than x86-64-v2, it lacks ${missing.join(', ')}; ` +
    'give the virtual machine the CPU model "host", "x86-64-v2" or "Nehalem" (not qemu64 or kvm64), or use a newer machine'
  );
}

/** The beginning of /proc/cpuinfo; '' where it is missing: then the processor is taken to be new enough. */
export function readCpuinfo(): string {
  let fd: number;
  try {
    fd = openSync('/proc/cpuinfo', 'r');
  } catch {
    return '';
  }
  try {
    const buffer = Buffer.alloc(FIRST_ENTRY_BYTES);
    let used = 0;
    for (let n = -1; n !== 0 && used < buffer.length; used += n)
      n = readSync(fd, buffer, used, buffer.length - used, null);
    return buffer.toString('latin1', 0, used);
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}
