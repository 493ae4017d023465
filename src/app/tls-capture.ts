/**
 * The TLS probes of a session: opened while there are privileges, fed into the same dialogs as every other source, and
 * told of on standard error.
 */
import type { Config } from '../config/config.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import { TlsIngest } from '../ingest/tls.ts';
import { loadNative } from '../sources/native.ts';
import { PROBE_WAYS } from '../sources/tls/native-tls.ts';
import { memoryBytes, tlsRingBytes } from '../sources/tls/ring-size.ts';
import type { NativeTls } from '../sources/tls/source.ts';
import { TlsSource } from '../sources/tls/source.ts';
import { TlsTargets } from '../sources/tls/targets.ts';
import type { CaptureSession } from './capture-session.ts';

/** Messages that wait for their address are looked at this often. */
const SETTLE_MS = 50;
const EXPIRE_MS = 1_000;
/** Of every thread, as of the reader. The shipped unit lets it (LimitNICE=); `nice -n 1 calltap` comes behind all the same. */
const NICE = -10;
/** Number of the source in its records: after the files or interfaces (0) and HEP (1). */
const SOURCE_ID = 2;

function say(line: string): void {
  standardError.write(`${line}\n`);
}

function mebibytes(bytes: number): string {
  return `${Math.round((bytes / 1024 ** 2) * 100) / 100} MiB`;
}

function plural(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The addon's probes; one built without libbpf says so when they are opened. */
export function nativeTls(): NativeTls {
  const binding = loadNative();
  return {
    counterNames: binding.info().tlsCounterNames,
    create: (options, onSlab) => new binding.TlsCapture(options, onSlab),
  };
}

export class TlsCapture {
  readonly source: TlsSource;
  readonly ingest: TlsIngest;
  readonly #session: CaptureSession;
  #timers: NodeJS.Timeout[] = [];
  #isClosed = false;

  constructor(session: CaptureSession, source: TlsSource) {
    this.#session = session;
    this.source = source;
    this.ingest = new TlsIngest(session.sip, (low, high, isSip) => source.verdict(low, high, isSip));
    source.onRecords((batch, count) => {
      this.ingest.onRecords(batch, count);
      session.tick(this.ingest.lastUs);
    });
  }

  /** Attaches to what runs now. Throws ServiceError when nothing can be read. */
  async start(): Promise<void> {
    const { streams } = this.ingest;
    this.#timers = [
      setInterval(() => {
        if (streams.isHolding) streams.settle(Date.now() * 1000);
      }, SETTLE_MS).unref(),
      setInterval(() => this.ingest.tick(Date.now() * 1000), EXPIRE_MS).unref(),
    ];
    const { probes, probesWhy, sockets, socketsWhy, caveats, ringBytes } = this.source.status();
    const why = [probesWhy, socketsWhy, ...caveats].filter((text) => text !== '').join('; ');
    say(`uprobe: ${PROBE_WAYS[probes]}, addresses by ${sockets}${why === '' ? '' : ` (${why})`}`);
    say(`uprobe ring: ${mebibytes(ringBytes)}`);
    await this.source.start();
    const { attached, processes } = this.source.discovery;
    say(`uprobe ready: ${plural(attached, 'library', 'libraries')}, ${plural(processes, 'process', 'processes')}`);
  }

  /** Detaches everything; what waited for an address or a rest is passed on or counted. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.source.close();
    this.ingest.finish();
    this.#session.tick(this.ingest.lastUs);
  }
}

/** Loads the probes, and lets the threads that follow them come first. Throws ServiceError with the remedy. */
export function openTlsCapture(session: CaptureSession, config: Config): TlsCapture {
  const targets = new TlsTargets({ uprobe: config.uprobe, comm: config.uprobeComm });
  const asked = config.uprobeRingBytes;
  const ringBytes = tlsRingBytes(asked, memoryBytes());
  if (asked !== null && ringBytes !== asked)
    say(`--uprobe-ring-bytes: rounded up to ${ringBytes}, since the kernel takes powers of two alone`);
  const source = new TlsSource({ native: nativeTls(), targets, sourceId: SOURCE_ID, ringBytes, say });
  // While this thread, or one of the engine's that it waits for, waits for a processor, the ring fills.
  loadNative().hasten(NICE);
  return new TlsCapture(session, source);
}
