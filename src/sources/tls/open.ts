/**
 * Opens the TLS probes of a run: which processes are meant, how large the ring is, and that the threads that follow it
 * come first.
 */

import { totalmem } from 'node:os';
import { loadNative } from '../native.ts';
import { watchMovers } from './movers.ts';
import { TlsOffsets } from './offsets.ts';
import type { NativeTls } from './source.ts';
import { TlsSource } from './source.ts';
import { TlsTargets } from './targets.ts';

/**
 * The kernel's ring of TLS events: one part in so many of the memory there is, between two bounds, unless it is given.
 *
 * @cap option 64 MiB, uprobe_lost_events: with `--uprobe`: the kernel's ring, 1/128 of memory between these unless
 * `--uprobe-ring-bytes` says so; one process takes at most a quarter (`uprobe_over_share`)
 */
const TLS_RING_PARTS = 128;
const TLS_RING_LEAST_BYTES = 8 * 1024 * 1024;
const TLS_RING_MOST_BYTES = 64 * 1024 * 1024;

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

/** Of every thread, as of the reader. The shipped unit lets it (LimitNICE=); `nice -n 1 calltap` comes after all the same. */
const NICE = -10;
/** Number of the source in its records: after the files or interfaces (0) and HEP (1). */
const SOURCE_ID = 2;

export type TlsOptions = {
  /** --uprobe: `all`, process ids, and paths. */
  readonly uprobe: readonly string[];
  readonly uprobeComm: string | null;
  readonly uprobeOffsets: string | null;
  /** Null: by the memory of the host. */
  readonly uprobeRingBytes: number | null;
};

/** The addon's probes; one built without libbpf says so when they are opened. */
export function nativeTls(): NativeTls {
  const binding = loadNative();
  return {
    counterNames: binding.info().tlsCounterNames,
    create: (options, onSlab) => new binding.TlsCapture(options, onSlab),
    watchMovers,
  };
}

/** Loads the probes; `say` is given lines for people. Throws ServiceError with the remedy. */
export function openTlsSource(options: TlsOptions, say: (line: string) => void): TlsSource {
  const targets = new TlsTargets({ uprobe: options.uprobe, comm: options.uprobeComm });
  const offsets = TlsOffsets.read(options.uprobeOffsets);
  const asked = options.uprobeRingBytes;
  const ringBytes = tlsRingBytes(asked, memoryBytes());
  if (asked !== null && ringBytes !== asked)
    say(`--uprobe-ring-bytes: rounded up to ${ringBytes}, because the kernel takes only powers of two`);
  const source = new TlsSource({ native: nativeTls(), targets, offsets, sourceId: SOURCE_ID, ringBytes, say });
  // While this thread, or one of the engine's that it waits for, waits for a processor, the ring fills.
  loadNative().hasten(NICE);
  return source;
}
