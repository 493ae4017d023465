/** How large the kernel's ring of TLS events is: what was asked for, or a part of the memory there is. */
import { totalmem } from 'node:os';
import { TLS_RING_LEAST_BYTES, TLS_RING_MOST_BYTES, TLS_RING_PARTS } from '../../core/limits.ts';

/** The smallest power of two that is not below `bytes`. */
function roundedUp(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(bytes));
}

/** Bytes of the ring, a power of two as the kernel asks for; `asked` is rounded up, `memoryBytes` down. */
export function tlsRingBytes(asked: number | null, memoryBytes: number): number {
  if (asked !== null) return roundedUp(asked);
  const part = 2 ** Math.floor(Math.log2(Math.max(1, memoryBytes / TLS_RING_PARTS)));
  return Math.min(TLS_RING_MOST_BYTES, Math.max(TLS_RING_LEAST_BYTES, part));
}

/** Bytes of memory that this process may have: the machine's, or less by the limit of its control group. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
