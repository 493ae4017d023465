/**
 * SIP over TLS in plaintext: owns the probes, looks for new processes, and names every loss between a TLS call and a
 * record.
 */

import { existsSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { failure } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import { allocateSlabs } from '../capture-memory.ts';
import type { RecordBatch } from '../record-batch.ts';
import { TlsDiscovery } from './discovery.ts';
import { HeldRecords } from './held.ts';
import type { FileStatus } from './known-files.ts';
import { MAX_FIRST_LOOK_MS } from './look.ts';
import type { NativeTlsCapture, NativeTlsOptions, TlsMovers, TlsStatus } from './native-tls.ts';
import type { TlsOffsets } from './offsets.ts';
import { StartedPrograms } from './started.ts';
import type { TlsTargets } from './targets.ts';
import { UnseenProcesses } from './unseen.ts';

/**
 * 8 MiB between the reader and JavaScript, after the kernel's ring.
 *
 * @cap option 47 MiB, uprobe_lost_events: with `--uprobe`; windows of WebSocket once more
 */
const TLS_SLABS = 32;

const SCAN_EVERY_MS = 2_000;
/** The kernel puts forked processes on its list itself where it can; who changes its name is found by looking. */
const SCAN_LISTED_EVERY_MS = 250;
/** Whether a program was started is asked this often: a read of shared memory, but it wakes the process each time. */
const LOOK_EVERY_MS = 50;
/** Counters are summed over the processors; what is read more often is remembered for this long. */
const COUNTERS_MS = 100;

export type NativeTls = {
  readonly counterNames: readonly string[];
  create(options: NativeTlsOptions, onSlab: (slab: number, records: number) => void): NativeTlsCapture;
  /** Who moves TLS records within so many milliseconds. */
  watchMovers(ms: number): Promise<TlsMovers>;
};

export type TlsSourceOptions = {
  readonly native: NativeTls;
  readonly targets: TlsTargets;
  /** Where functions begin that have no names. */
  readonly offsets?: TlsOffsets;
  readonly sourceId: number;
  /** One line for the operator: a library attached, refused or let go. */
  readonly say: (line: string) => void;
  /** The kernel's ring: a power of two (open.ts); 0: 16 MiB. */
  readonly ringBytes: number;
  /** Take a lesser mechanism on purpose; tests do. */
  readonly force?: NativeTlsOptions['force'];
};

export class TlsSource {
  readonly discovery: TlsDiscovery;
  readonly unseen: UnseenProcesses;
  readonly counterNames: readonly string[];
  readonly #native: NativeTlsCapture;
  readonly #held: HeldRecords;
  readonly #values: BigUint64Array;
  readonly #at: ReadonlyMap<string, number>;
  #valuesAtMs = Number.NEGATIVE_INFINITY;
  #onRecords: (batch: RecordBatch, count: number) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #started: StartedPrograms | undefined;
  readonly #say: (line: string) => void;
  #nextScanMs = 0;
  #failure = '';
  #isClosed = false;
  /** Looks at the host that failed by an error of calltap's own. */
  lookFailures = 0;

  /** Loads the programs: all that needs privileges but attaching. Throws CAPTURE_OPEN_FAILED with the remedy. */
  constructor(options: TlsSourceOptions) {
    const { native, force } = options;
    this.#say = options.say;
    this.counterNames = native.counterNames;
    this.#values = new BigUint64Array(native.counterNames.length);
    this.#at = new Map(native.counterNames.map((name, i) => [name, i]));
    const memory = allocateSlabs(TLS_SLABS);
    this.#native = native.create(
      {
        slabs: memory.slabs,
        descriptors: memory.descriptors,
        sourceId: options.sourceId,
        ringBytes: options.ringBytes,
        maxCallBytes: 0,
        maxConnections: 0,
        sipOnly: true,
        ...(force === undefined ? {} : { force }),
      },
      (slab, records) => {
        const batch = memory.batches[slab];
        if (batch !== undefined && records > 0 && !this.#isClosed) this.#held.take(batch, records, this.#onRecords);
      },
    );
    const refusal = this.#native.open();
    if (refusal !== '') {
      this.#native.close();
      throw failure('PROBES_FAILED', { reason: refusal });
    }
    this.discovery = new TlsDiscovery(this.#native, options.targets, options.say, '/proc', options.offsets);
    this.#held = new HeldRecords(this.discovery.proofs);
    this.unseen = new UnseenProcesses({
      watch: (ms) => native.watchMovers(ms),
      observes: (pid) => !this.#isClosed && this.#native.observes(pid),
      isMeant: (pid) => this.discovery.isMeant(pid),
      isAlive: (pid) => existsSync(`/proc/${pid}`),
      say: options.say,
    });
  }

  /** Called with each slab of records, which are valid until it returns. */
  onRecords(handler: (batch: RecordBatch, count: number) => void): void {
    this.#onRecords = handler;
  }

  /** Starts the reader and attaches to what runs now; what comes later is found by looking again. */
  async start(): Promise<void> {
    const errno = this.#native.start();
    if (errno !== 0)
      throw failure('PROBES_FAILED', {
        reason: `cannot start the reader (${getSystemErrorName(-Math.abs(errno))})`,
      });
    const native = this.#native;
    this.#started = new StartedPrograms({
      execs: () => native.execs(),
      started: (from) => native.started(from),
      hasNews: (pid) => this.discovery.hasNews(pid, performance.now()),
    });
    const endMs = performance.now() + MAX_FIRST_LOOK_MS;
    do await this.discovery.rescan(performance.now());
    while (this.discovery.isBehind && performance.now() < endMs);
    if (this.#isClosed) return;
    this.#nextScanMs = performance.now() + this.#scanEveryMs;
    this.#timer = faults.every(LOOK_EVERY_MS, 'tick', () => this.#look());
    this.#timer.unref();
  }

  status(): TlsStatus {
    return this.#native.status();
  }

  files(): FileStatus[] {
    return this.discovery.files.statuses();
  }

  /** A counter of the probes by its name. */
  counter(name: string): number {
    const i = this.#at.get(name);
    if (i === undefined) throw new RangeError(`unknown TLS counter ${name}`);
    const nowMs = performance.now();
    if (!this.#isClosed && nowMs - this.#valuesAtMs >= COUNTERS_MS) {
      this.#valuesAtMs = nowMs;
      this.#native.counters(this.#values);
    }
    return Number(this.#values[i] ?? 0n);
  }

  /** Records of functions under proof that were never shown. */
  get unproven(): number {
    return this.#held.dropped;
  }

  /** Whether an undecided connection turned out to carry SIP over WebSocket. */
  verdict(idLow: number, idHigh: number, isSip: boolean): void {
    if (!this.#isClosed) this.#native.verdict(idLow, idHigh, isSip);
  }

  /** Detaches everything; records not yet handed over are gone. */
  close(): void {
    if (this.#isClosed) return;
    clearInterval(this.#timer);
    this.discovery.close();
    this.#native.counters(this.#values);
    this.#settleProofs();
    this.#held.finish();
    this.#isClosed = true;
    this.#native.close();
  }

  get #scanEveryMs(): number {
    return this.discovery.isListed ? SCAN_LISTED_EVERY_MS : SCAN_EVERY_MS;
  }

  #settleProofs(): void {
    this.discovery.settleProofs();
    this.#held.settle(this.#onRecords);
  }

  /** What fails here ends no capture: it is said and counted. */
  #look(): void {
    const nowMs = performance.now();
    try {
      this.#settleProofs();
      this.unseen.look(nowMs).catch((error: unknown) => this.#failed(error));
      if (this.#isScanDue(nowMs)) this.discovery.rescan(nowMs).catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  /** When it is time, or when a program that was started maps what is not known. */
  #isScanDue(nowMs: number): boolean {
    const isNeeded = this.#started?.needScan(nowMs) ?? false;
    if (!isNeeded && nowMs < this.#nextScanMs) return false;
    this.#nextScanMs = nowMs + this.#scanEveryMs;
    return true;
  }

  /** Each reason is said once, however often it comes. */
  #failed(error: unknown): void {
    this.lookFailures++;
    const failure = String(error);
    if (failure !== this.#failure) this.#say(`uprobe: looking for processes failed: ${failure}`);
    this.#failure = failure;
  }
}
