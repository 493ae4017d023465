/**
 * Captures from network interfaces: opens them while there are privileges, says how each one does, and
 * names every loss between the wire and a record.
 */

import { getSystemErrorName } from 'node:util';
import type { ServiceError } from '../../core/errors.ts';
import { failure } from '../../core/errors.ts';
import { faults } from '../../core/faults.ts';
import type { CaptureOptions } from '../capture-memory.ts';
import type { NativeBinding, OpenLiveResult } from '../native.ts';
import { loadNative } from '../native.ts';
import { PacketSource } from '../packet-source.ts';
import type { RecordBatch } from '../record-batch.ts';
import { KIND } from '../records.ts';
import { InterfaceSilence } from './interface-silence.ts';

/**
 * 64 MiB between the reader and JavaScript, for 120,000 messages a second from the start; half of it lost 0.6 to 3.5 %.
 *
 * @cap option 113 MiB, live_queue: with `-d`, instead of `FILE_SLABS`; the kernel has 64 MiB an interface
 */
const LIVE_SLABS = 256;

/** Interfaces of `-d any`. @cap with LIVE_SLABS */
const MAX_INTERFACES = 16;

/**
 * As many as the reader of an interface keeps for JavaScript (CT_DROP_SPANS): what touches is one, and the newest grows.
 *
 * @cap with MAX_DROP_SPANS
 */
export const LIVE_DROP_SPANS = 32;

const STATUS_EVERY_MS = 1000;
/** The reader ends within 100 ms; what it had found is analysed for this long, and the rest is counted. */
const STOP_LIMIT_MS = 800;

/** In the order of enum ct_filter_mode, each better than the one before it. */
const FILTERS = ['none', 'classic', 'ebpf'] as const;
export type FilterName = (typeof FILTERS)[number];

export type LiveSourceOptions = CaptureOptions & {
  readonly interfaces: readonly string[];
  /** What is for other hosts is captured too. */
  readonly isPromiscuous: boolean;
  /** Frames are written as they come, so the filter must not cut them. */
  readonly writesFrames: boolean;
  /** No better filter than this is tried. */
  readonly bestFilter: FilterName;
};

/** In the order of enum ct_live_state. */
const STATES = ['capturing', 'down', 'gone', 'failing'] as const;
export type InterfaceState = (typeof STATES)[number];

export type InterfaceStatus = {
  readonly name: string;
  readonly state: InterfaceState;
  /** One line for the operator. */
  readonly text: string;
  readonly ringBytes: number;
};

export type FilterClass = {
  readonly name: string;
  /** Dropped in the kernel as nothing calltap reads. */
  readonly isDropped: boolean;
  readonly packets: number;
  readonly bytes: number;
};

export type FilterStatus = {
  readonly mode: FilterName;
  /** Why no better one; empty for eBPF. */
  readonly why: string;
  /** Empty where the filter does not count. */
  readonly classes: readonly FilterClass[];
};

/** Frames and records that were lost, by the place where they were. */
export type LiveLosses = {
  /** The capture ring was full, or was left unread at the end. */
  readonly kernel: number;
  /** The card had no room: nobody saw them. */
  readonly interface: number;
  /** JavaScript was too late for their records. */
  readonly queue: number;
  /** Segmentation offload that could not be undone; each frame stood for several datagrams. */
  readonly unsplit: number;
};

/** A span of time in which the ring of an interface dropped packets; times in microseconds since the epoch. */
export type LiveDrops = {
  /** Number of the interface. */
  readonly source: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly packets: number;
};

const NO_DROPS: readonly LiveDrops[] = [];

export class LiveSource extends PacketSource {
  readonly interfaces: readonly string[];
  readonly #liveCounters: BigUint64Array;
  readonly #liveNames: Map<string, number>;
  readonly #silences: readonly InterfaceSilence[];
  #onStatus: (status: InterfaceStatus) => void = () => {};
  #logged: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended: (() => void) | null = null;
  #isRunning = false;
  #abandoned = 0;
  #dropsTaken = 0;
  #isClosed = false;

  /** Opens everything that needs privileges. Throws ServiceError; nothing is read before start(). */
  constructor(options: LiveSourceOptions, binding: NativeBinding = loadNative()) {
    const { interfaces } = options;
    if (interfaces.length === 0 || interfaces.length > MAX_INTERFACES)
      throw failure('INTERFACES_INVALID', { count: interfaces.length, max: MAX_INTERFACES });
    super(binding, LIVE_SLABS, options, false);
    const { liveCounterNames } = this.info;
    this.interfaces = interfaces;
    this.#liveCounters = new BigUint64Array(interfaces.length * liveCounterNames.length);
    this.#liveNames = new Map(liveCounterNames.map((name, i) => [name, i]));
    this.#silences = interfaces.map((name) => new InterfaceSilence(name, options.isPromiscuous));
    const opened = this.native.openLive({
      interfaces,
      liveCounters: this.#liveCounters,
      blocks: 0,
      bestFilter: FILTERS.indexOf(options.bestFilter),
      promiscuous: options.isPromiscuous,
      wholeRtp: options.retainsPayload || options.writesFrames || (options.bpf ?? null) !== null,
    });
    if (opened.errno !== 0) {
      this.close();
      throw openError(interfaces[opened.index] ?? '', opened);
    }
  }

  /** Called when what an interface does has changed, once for each after start(), and when one is silent for long. */
  onStatus(handler: (status: InterfaceStatus) => void): void {
    this.#onStatus = handler;
  }

  start(): void {
    const errno = this.native.startLive();
    if (errno !== 0)
      throw failure('CAPTURE_INTERFACE_FAILED', {
        name: this.interfaces.join(','),
        step: 'starting the capture thread',
        cause: errnoName(errno),
      });
    this.#isRunning = true;
    this.#timer = faults.every(STATUS_EVERY_MS, 'tick', () => this.#look());
    this.#timer.unref();
    this.#tellStatus();
  }

  /** How each interface does at this moment. */
  statuses(): InterfaceStatus[] {
    return this.interfaces.map((name, i) => {
      const { state, text, ringBytes } = this.native.liveStatus(i);
      return { name, state: STATES[state] ?? 'failing', text, ringBytes };
    });
  }

  filter(): FilterStatus {
    const { mode, why } = this.native.filterStatus();
    const counts = new BigUint64Array(this.info.filterClassNames.length * 2);
    const counted = this.native.filterCounts(counts);
    return {
      mode: FILTERS[mode] ?? 'none',
      why,
      classes: counted
        ? this.info.filterClassNames.map((name, i) => ({
            name,
            isDropped: this.info.filterClassIsDrop[i] ?? false,
            packets: Number(counts[i * 2] ?? 0n),
            bytes: Number(counts[i * 2 + 1] ?? 0n),
          }))
        : [],
    };
  }

  /** A counter of the reader by its name: of one interface, or of all together. */
  liveCounter(name: string, index?: number): number {
    const at = this.#liveNames.get(name);
    if (at === undefined) throw new RangeError(`unknown live counter ${name}`);
    const row = this.info.liveCounterNames.length;
    if (index !== undefined) return Number(this.#liveCounters[index * row + at] ?? 0n);
    let total = 0;
    for (let i = at; i < this.#liveCounters.length; i += row) total += Number(this.#liveCounters[i] ?? 0n);
    return total;
  }

  liveLosses(): LiveLosses {
    return {
      kernel: this.liveCounter('kernel_drops') + this.liveCounter('unread_at_stop'),
      interface: this.liveCounter('iface_missed'),
      queue: this.native.queueDropped() + this.#abandoned,
      unsplit: this.liveCounter('gso_unsplit'),
    };
  }

  /** When the rings dropped packets: each span is given once, that of one interface in the order of time. */
  takeDrops(): readonly LiveDrops[] {
    const dropped = this.liveCounter('kernel_drops');
    if (dropped === this.#dropsTaken || this.#isClosed) return NO_DROPS;
    // Counted after it is noted: what is noted from here on is met again.
    this.#dropsTaken = dropped;
    const out = new Float64Array(LIVE_DROP_SPANS * 3);
    return this.interfaces.flatMap((_, source) => {
      const spans = this.native.liveDrops(source, out);
      return Array.from({ length: spans }, (_none, i) => {
        const [fromUs = 0, toUs = 0, packets = 0] = out.subarray(i * 3);
        return { source, fromUs, toUs, packets };
      });
    });
  }

  /** Whether nameMedia() needs CAP_BPF for as long as this runs. */
  get needsBpf(): boolean {
    return this.native.filterNeedsBpf();
  }

  /**
   * SDP named these endpoints, or their last dialogs are gone; 20 bytes each, see ingest/named-media.ts. Returns how many the
   * filter has no room for.
   */
  nameMedia(endpoints: Uint8Array, isNamed: boolean): number {
    return this.#isClosed ? 0 : this.native.filterMedia(endpoints, isNamed);
  }

  /** SIP at these sockets is analysed from now on, and at no others outside the gate; see ingest/sip-sockets.ts. */
  learnSip(sockets: Uint8Array): void {
    if (!this.#isClosed) this.native.learnSip(sockets);
  }

  /** Stops capturing; resolves when the last record has been handed over. */
  async stop(): Promise<void> {
    if (this.#isClosed || !this.#isRunning) return;
    this.#isRunning = false;
    clearInterval(this.#timer);
    const limit = new AbortController();
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
      const late = setTimeout(resolve, STOP_LIMIT_MS);
      limit.signal.addEventListener('abort', () => clearTimeout(late));
    });
    this.native.askStopLive();
    await ended;
    limit.abort();
    this.#ended = null;
    if (!this.#isClosed) this.#abandoned = this.native.abandon();
  }

  /** Joins the thread and frees the native side; records not yet handed over are gone. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.native.close();
    this.#ended?.();
  }

  #look(): void {
    this.#tellStatus();
    for (const [i, status] of this.statuses().entries()) {
      const text = this.#silences[i]?.look({
        isCapturing: status.state === 'capturing',
        frames: this.liveCounter('frames', i),
        packets: this.liveCounter('iface_packets', i),
      });
      if (typeof text === 'string') this.#onStatus({ ...status, text });
    }
  }

  #tellStatus(): void {
    for (const [i, status] of this.statuses().entries()) {
      if (this.#logged[i] === status.text) continue;
      this.#logged[i] = status.text;
      this.#onStatus(status);
    }
  }

  protected override onSlab(batch: RecordBatch, records: number): void {
    super.onSlab(batch, records);
    if (batch.kind(records - 1) === KIND.SOURCE_END) this.#ended?.();
  }
}

function errnoName(errno: number): string {
  return errno === 0 ? 'EIO' : getSystemErrorName(-errno);
}

/** Why an interface could not be opened, as one line with the remedy. */
export function openError(name: string, { errno, step }: OpenLiveResult): ServiceError {
  return failure('CAPTURE_INTERFACE_FAILED', { name, cause: errnoName(errno), step });
}
