/**
 * Opens the TLS probes of a run: which processes are meant, how large the ring is, and that the threads that follow it
 * come first.
 */
import { loadNative } from '../native.ts';
import { memoryBytes, tlsRingBytes } from './ring-size.ts';
import type { NativeTls } from './source.ts';
import { TlsSource } from './source.ts';
import { TlsTargets } from './targets.ts';

/** Of every thread, as of the reader. The shipped unit lets it (LimitNICE=); `nice -n 1 calltap` comes after all the same. */
const NICE = -10;
/** Number of the source in its records: after the files or interfaces (0) and HEP (1). */
const SOURCE_ID = 2;

export type TlsOptions = {
  /** --uprobe: `all`, process ids, and paths. */
  readonly uprobe: readonly string[];
  readonly uprobeComm: string | null;
  /** Null: by the memory of the host. */
  readonly uprobeRingBytes: number | null;
};

/** The addon's probes; one built without libbpf says so when they are opened. */
export function nativeTls(): NativeTls {
  const binding = loadNative();
  return {
    counterNames: binding.info().tlsCounterNames,
    create: (options, onSlab) => new binding.TlsCapture(options, onSlab),
  };
}

/** Loads the probes; `say` is given lines for people. Throws ServiceError with the remedy. */
export function openTlsSource(options: TlsOptions, say: (line: string) => void): TlsSource {
  const targets = new TlsTargets({ uprobe: options.uprobe, comm: options.uprobeComm });
  const asked = options.uprobeRingBytes;
  const ringBytes = tlsRingBytes(asked, memoryBytes());
  if (asked !== null && ringBytes !== asked)
    say(`--uprobe-ring-bytes: rounded up to ${ringBytes}, because the kernel takes only powers of two`);
  const source = new TlsSource({ native: nativeTls(), targets, sourceId: SOURCE_ID, ringBytes, say });
  // While this thread, or one of the engine's that it waits for, waits for a processor, the ring fills.
  loadNative().hasten(NICE);
  return source;
}
