/**
 * Gives up what the start needed and the rest of the life does not: the user, and the capabilities (native/system/caps.h).
 */

import { readFileSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { counted } from '../../core/counted.ts';
import { failure } from '../../core/errors.ts';
import { loadNative } from '../native.ts';

/** Numbers of <linux/capability.h>. */
const CAPABILITY = {
  dac_read_search: 2,
  net_raw: 13,
  sys_ptrace: 19,
  sys_admin: 21,
  perfmon: 38,
  bpf: 39,
} as const;
export type CapabilityName = keyof typeof CAPABILITY;

/**
 * Goes on as `user` (null: who we are) with the capabilities of `keep` and no others; what a start without them does
 * not have is not kept. Says who we are now, or that root was asked to stay. Throws PRIVILEGES_FAILED.
 */
export function givePrivilegesUp(user: string | null, keep: readonly CapabilityName[]): string {
  const numbers = keep.map((name) => CAPABILITY[name]);
  const r = loadNative().dropPrivileges(user, numbers);
  if (r.errno !== 0) {
    const name = getSystemErrorName(-r.errno);
    throw failure('PRIVILEGES_FAILED', { user: user ?? '', cause: name, step: r.step });
  }
  if (r.uid === 0) return 'running as root; --user NAME gives privileges up once everything is open';
  const kept = keep.filter((_, i) => r.kept.includes(numbers[i] ?? -1));
  const left = r.threadsLeft === 0 ? '' : `; ${counted(r.threadsLeft, 'thread')} kept what they had`;
  return `running as ${user ?? `uid ${r.uid}`}, capabilities: ${kept.join(', ') || 'none'}${left}`;
}

/** The effective capabilities of this process, of those that calltap uses. */
export function effectiveCapabilities(): ReadonlySet<CapabilityName> {
  const line = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
  const bits = BigInt(`0x${line}`);
  const names = Object.keys(CAPABILITY) as CapabilityName[];
  return new Set(names.filter((name) => ((bits >> BigInt(CAPABILITY[name])) & 1n) === 1n));
}
