/**
 * Decides whether the process has the address space that WebAssembly takes for granted, and begins anew without where it
 * has not (`ulimit -v`, RLIMIT_AS).
 *
 * V8 reserves 10 GiB of addresses a memory, none of it used, so that the processor finds a read outside. Told so when it
 * starts, it checks each access instead, and reserves nothing.
 */
import { readFileSync } from 'node:fs';
import { loadNative } from '../sources/native.ts';

const CHECKS = '--disable-wasm-trap-handler';

/** Room for the memories of the scanner, of packages, and the program itself. */
const ENOUGH_BYTES = 64 * 2 ** 30;

/** Bytes of addresses the process may have, by its /proc/self/limits; infinite when nothing says otherwise. */
export function addressLimit(limits: string): number {
  const soft = /^Max address space +(\d+) /m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Comes back when there is room, or nothing more can be done. Nothing may have been opened before. */
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
