/**
 * One run over capture files: the stores, what feeds them, and the clock. Created once, closed once.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { BucketCounts, JITTER_MS_BOUNDS, LOSS_PERCENT_BOUNDS, MOS_BOUNDS, PDD_SECONDS_BOUNDS } from '../core/counters.ts';
import { DecodeCounters } from '../decode/counters.ts';
import { StreamTable } from '../rtp/stream-table.ts';
import { FileSource } from '../sources/file-source.ts';
import type { FileEnd, PortSpan } from '../sources/file-source.ts';
import { callTiming } from '../store/call-timing.ts';
import { DialogStore } from '../store/dialog-store.ts';
import { DialogTracker } from '../store/dialog-tracker.ts';
import type { Dialog } from '../store/dialog.ts';
import { EndpointIndex } from '../store/endpoint-index.ts';
import { ExpiryQueue } from '../store/expiry-queue.ts';
import { MessageLog } from '../store/message-log.ts';
import { RtcpTracker } from '../store/rtcp-tracker.ts';
import { SdpTracker } from '../store/sdp-tracker.ts';
import { StreamStore } from '../store/stream-store.ts';
import type { Stream } from '../store/stream.ts';
import { HepIngest } from './hep-ingest.ts';
import { Ingest } from './ingest.ts';
import { SipIngest } from './sip-ingest.ts';

export type SessionOptions = {
  sipPorts: readonly PortSpan[];
  wsPorts: readonly PortSpan[];
  maxDialogs: number;
  maxStreams: number;
  messageLogBytes: number;
  windowSec: number;
  espNull: boolean;
  hep: boolean;
};

export class CaptureSession {
  readonly options: SessionOptions;
  readonly node = hostname();
  readonly instance = randomUUID();
  readonly startedMs = Date.now();
  readonly decode = new DecodeCounters();
  readonly dialogs: DialogStore;
  readonly streams: StreamStore;
  readonly log: MessageLog;
  readonly tracker: DialogTracker;
  readonly sip: SipIngest;
  readonly hep: HepIngest;
  readonly rtcp: RtcpTracker;
  readonly source: FileSource;
  readonly ingest: Ingest;
  /** Capture files in the order they are read, as given on the command line. */
  readonly sources: string[] = [];
  readonly pddSeconds = new BucketCounts(PDD_SECONDS_BOUNDS);
  readonly mos = new BucketCounts(MOS_BOUNDS);
  readonly jitterMs = new BucketCounts(JITTER_MS_BOUNDS);
  readonly lossPercent = new BucketCounts(LOSS_PERCENT_BOUNDS);
  /** SIP that TypeScript found outside its gate, by port, beside what the native gate counted. */
  readonly excludedSip = new Map<number, number>();
  readonly excludedWebSocket = new Map<number, number>();
  isExhausted = false;
  /** Told when a stream will change no more, so that its quality is observed once. */
  onStreamDone: ((stream: Stream) => void) | null = null;

  constructor(options: SessionOptions) {
    this.options = options;
    const endpoints = new EndpointIndex();
    const expiries = new ExpiryQueue();
    this.streams = new StreamStore(endpoints);
    const sdp = new SdpTracker(endpoints, (key, claim) => this.streams.onClaim(key, claim));
    this.log = new MessageLog(options.messageLogBytes, (slot, row, next) => {
      const d = this.dialogs.bySlot(slot);
      if (d?.headRow === row) d.headRow = next;
    });
    this.dialogs = new DialogStore(options.maxDialogs, (d) => {
      d.expiresUs = Number.NaN;
      this.streams.onDialogGone(d);
      sdp.onDialogGone(d);
    });
    this.tracker = new DialogTracker({
      dialogs: this.dialogs,
      log: this.log,
      sdp,
      expiries,
      onChange: (d) => this.#onChange(d),
    });
    this.sip = new SipIngest(this.tracker);
    this.hep = new HepIngest(this.sip);
    this.rtcp = new RtcpTracker(this.streams);
    this.source = new FileSource(options);
    const table = this.streams.addTable(new StreamTable((i) => this.source.rtpChunk(i), this.source.info));
    this.ingest = new Ingest({
      source: this.source,
      table,
      sip: this.sip,
      hep: this.hep,
      streams: this.streams,
      rtcp: this.rtcp,
      counters: this.decode,
      onExcluded: (kind, port) => {
        const ports = kind === 'sip' ? this.excludedSip : this.excludedWebSocket;
        ports.set(port, (ports.get(port) ?? 0) + 1);
      },
    });
    this.source.onRecords((batch, count) => {
      this.ingest.onRecords(batch, count);
      this.tracker.sweep(this.ingest.nowUs);
    });
  }

  /** Capture clock in microseconds; NaN before the first packet. */
  get nowUs(): number {
    return Number.isFinite(this.ingest.nowUs) ? this.ingest.nowUs : Number.NaN;
  }

  get sawRtp(): boolean {
    return this.streams.size > 0 || this.source.counter('rtp_accepted') > 0;
  }

  /** Reads the files one after the other. Throws ServiceError for one that cannot be read at all. */
  async read(paths: readonly string[], onEnd: (path: string, end: FileEnd) => void): Promise<void> {
    for (const path of paths) {
      this.ingest.sourceNumber = this.sources.push(path) - 1;
      const end = await this.source.read(path);
      this.ingest.finish(end.lastUs);
      this.tracker.sweep(this.ingest.nowUs);
      onEnd(path, end);
    }
    this.isExhausted = true;
    for (const s of this.streams.newestFirst()) this.#done(s);
  }

  close(): void {
    this.source.close();
  }

  #onChange(d: Dialog): void {
    if (d.isPddObserved) return;
    const { pddMs } = callTiming(d);
    if (pddMs === null) return;
    d.isPddObserved = true;
    this.pddSeconds.observe(pddMs / 1000);
  }

  #done(s: Stream): void {
    this.onStreamDone?.(s);
  }
}
