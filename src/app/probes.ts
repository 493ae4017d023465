/**
 * Runs the TLS probes beside the other sources: into the same dialogs, with their news on standard error.
 */
import { counted } from '../core/counted.ts';
import { faults } from '../core/faults.ts';
import { hostClock } from '../sources/host-clock.ts';
import { PROBE_WAYS } from '../sources/tls/native-tls.ts';
import type { Probes } from '../view/figures.ts';

/** Messages that wait for their address are looked at this often, while there are any. */
const SETTLE_MS = 50;
const EXPIRE_MS = 1_000;

export type RunningProbes = {
  /** Attaches to what runs now. Throws ServiceError when nothing can be read. */
  start(): Promise<void>;
  /** Detaches everything; what waited for an address or a rest is passed on or counted. Idempotent. */
  close(): void;
};

function mebibytes(bytes: number): string {
  return `${Math.round((bytes / 1024 ** 2) * 100) / 100} MiB`;
}

/** `tick` moves the clock of the capture; `say` is given lines for people. */
export function runProbes(
  { source, ingest }: Probes,
  tick: (nowUs: number) => void,
  say: (line: string) => void,
): RunningProbes {
  const { streams } = ingest;
  let expiring: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  let isClosed = false;
  const settleLater = (): void => {
    if (isClosed || !streams.isHolding) return;
    settling ??= setTimeout(() => {
      settling = undefined;
      faults.run('tick', () => streams.settle(hostClock.nowUs()));
      settleLater();
    }, SETTLE_MS).unref();
  };
  source.onRecords((batch, count) => {
    ingest.onRecords(batch, count);
    tick(ingest.lastUs);
    settleLater();
  });
  return {
    async start() {
      expiring = faults.every(EXPIRE_MS, 'tick', () => ingest.tick(hostClock.nowUs())).unref();
      const { probes, probesWhy, sockets, socketsWhy, caveats, ringBytes } = source.status();
      const why = [probesWhy, socketsWhy, ...caveats].filter((text) => text !== '').join('; ');
      say(`uprobe: ${PROBE_WAYS[probes]}, addresses by ${sockets}${why === '' ? '' : ` (${why})`}`);
      say(`uprobe ring: ${mebibytes(ringBytes)}`);
      await source.start();
      const { attached, processes } = source.discovery.files;
      say(`uprobe ready: ${counted(attached, 'library', 'libraries')}, ${counted(processes, 'process', 'processes')}`);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(expiring);
      clearTimeout(settling);
      source.close();
      ingest.finish();
      tick(ingest.lastUs);
    },
  };
}
