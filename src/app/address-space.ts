/**
 * Restarts the program with another flag of Node where the operating system limits its addresses (`ulimit -v`, RLIMIT_AS).
 *
 * V8 reserves 10 GiB of addresses for each WebAssembly memory, whatever maximum the memory has: an access outside meets a
 * page that faults. A run has two SIP scanners, each with such a memory, so even a small file needs 22.5 GB. With less, a
 * scanner cannot be made. Node takes the flag only at its start, hence the restart. With the flag V8 checks each access
 * (a scan takes 5 % longer) and reserves the maximum of a scanner's memory, 384 KiB: 1.2 GB are enough. Measured with
 * Node 20.20 and 22.23, docs/adr/0019.
 */
import { readFileSync } from 'node:fs';
import { loadNative } from '../sources/native.ts';

/** Node's flag: V8 checks each access to a WebAssembly memory and reserves no addresses around it. */
const CHECKS = '--disable-wasm-trap-handler';

/** Room for the program and for six memories: two scanners', and those of Node and of packages. */
const ENOUGH_BYTES = 64 * 2 ** 30;

/** Bytes of addresses that the process may have, as /proc/self/limits says; infinite without a limit. */
export function addressLimit(limits: string): number {
  const soft = /^Max address space +(\d+) /m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Returns when there is room, or when the restart failed. Call it before anything is opened. */
export function ensureAddressSpace(): void {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return;
  }
  if (addressLimit(limits) >= ENOUGH_BYTES) return;
  if (process.execArgv.includes(CHECKS) || (process.env['NODE_OPTIONS'] ?? '').includes(CHECKS)) return;
  loadNative().restart([process.argv0, CHECKS, ...process.execArgv, ...process.argv.slice(1)]);
}
