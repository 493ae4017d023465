/**
 * One run over capture files: the stores, what feeds them, and the clock. Created once, closed once.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Hooks } from '../actions/hooks/event-hooks.ts';
import type { OutputOptions } from '../actions/outputs.ts';
import { NO_OUTPUTS, Outputs } from '../actions/outputs.ts';
import type { QualityContext } from '../analysis/stream-quality.ts';
import { streamQuality } from '../analysis/stream-quality.ts';
import {
  BucketCounts,
  JITTER_MS_BOUNDS,
  LOSS_PERCENT_BOUNDS,
  MOS_BOUNDS,
  PDD_SECONDS_BOUNDS,
} from '../core/counters.ts';
import type { Thresholds } from '../core/thresholds.ts';
import { DecodeCounters } from '../decode/counters.ts';
import { DialogTracker } from '../ingest/dialogs/dialog-tracker.ts';
import { HepIngest } from '../ingest/hep.ts';
import { HepClocks } from '../ingest/hep-clocks.ts';
import { HepDoor } from '../ingest/hep-door.ts';
import { IcmpTracker } from '../ingest/icmp-tracker.ts';
import { LiveClock } from '../ingest/live-clock.ts';
import { RtcpTracker } from '../ingest/media/rtcp-tracker.ts';
import { SdpTracker } from '../ingest/media/sdp-tracker.ts';
import { StunTracker } from '../ingest/media/stun-tracker.ts';
import { NamedMedia } from '../ingest/named-media.ts';
import { Ingest } from '../ingest/packets.ts';
import { SipIngest } from '../ingest/sip.ts';
import { StreamTable } from '../protocols/rtp/stream-table.ts';
import type { Security } from '../security/detection.ts';
import type { PortSpan } from '../sources/capture-memory.ts';
import type { FileEnd, FilesEnd } from '../sources/file/file-source.ts';
import { FileSource } from '../sources/file/file-source.ts';
import type { HepAuth } from '../sources/hep/auth.ts';
import type { HepListener } from '../sources/hep/listener.ts';
import type { LiveSource } from '../sources/live/live-source.ts';
import { loadNative } from '../sources/native.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { CallIdentifiers } from '../store/dialogs/call-identifiers.ts';
import type { CallOutcome } from '../store/dialogs/call-outcome.ts';
import { callOutcome } from '../store/dialogs/call-outcome.ts';
import { postDialDelayMs } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isEnded } from '../store/dialogs/dialog-state.ts';
import { DialogStore } from '../store/dialogs/dialog-store.ts';
import { ExpiryQueue } from '../store/dialogs/expiry-queue.ts';
import { IcmpMediaTally } from '../store/icmp/icmp-media.ts';
import { EndpointIndex } from '../store/media/endpoint-index.ts';
import { PayloadRing } from '../store/media/payload-ring.ts';
import type { Stream } from '../store/media/stream.ts';
import { StreamStore } from '../store/media/stream-store.ts';
import { MessageLog } from '../store/messages/message-log.ts';
import { noDocumentLosses } from '../view/document-losses.ts';
import type { TlsCapture } from './tls-capture.ts';

/** Streams observed before other work gets a turn. */
const OBSERVE_A_TURN = 200;

export type SessionOptions = {
  sipPorts: readonly PortSpan[];
  wsPorts: readonly PortSpan[];
  maxDialogs: number;
  maxStreams: number;
  messageLogBytes: number;
  windowSec: number;
  thresholds: Thresholds;
  /** Where lines about Identity tokens go; absent without --stir-shaken. */
  captureLog?: (line: string) => void;
  espNull: boolean;
  hep: boolean;
  /** Index what ties dialogs together; only a server is asked for it. */
  correlates: boolean;
  /** Ids of lint rules that are not run. */
  lintSuppress: readonly string[];
  /** Bytes of RTP kept for its audio; 0 none. */
  audioBytes: number;
  /** Further headers that carry the Call-ID of another leg. */
  callIdHeaders: readonly string[];
  /** Opened already, while there were privileges. */
  live?: LiveSource;
  outputs?: OutputOptions;
  /** Files are read and printed, and the process ends. */
  endsWithFiles?: boolean;
  /** A few calls come: no memory is taken on huge pages for many. */
  isSmall?: boolean;
};

/** How often time goes on in a live session by itself. */
export const TICK_MS = 1000;

const HUGE_PAGE_BYTES = 2 * 1024 * 1024;

/** Zeroed memory that lies on huge pages from its first byte on. What is allocated around it is never touched. */
function hugeBuffer(bytes: number): Uint8Array {
  const room = new Uint8Array(bytes + HUGE_PAGE_BYTES);
  const start = loadNative().adviseHuge(room);
  return room.subarray(start, start + bytes);
}

/** Memory that goes with the process: the engine need not collect because there is so much of it. */
function keptForGood<M extends ArrayBufferLike | undefined>(memory: M): M {
  if (memory !== undefined) loadNative().keepsForGood(memory.byteLength);
  return memory;
}

/** Has another thread make memory present that will be written to soon. */
function touchPages(memory: Uint8Array): void {
  loadNative().touchPages(memory);
}

export class CaptureSession {
  readonly options: SessionOptions;
  readonly node = hostname();
  readonly instance = randomUUID();
  readonly startedMs = Date.now();
  readonly decode = new DecodeCounters();
  readonly documentLosses = noDocumentLosses();
  readonly dialogs: DialogStore;
  readonly streams: StreamStore;
  readonly log: MessageLog;
  /** Null where nobody will ask. */
  readonly identifiers: CallIdentifiers | null;
  /** Null without --retain-audio. */
  readonly payloads: PayloadRing | null;
  readonly tracker: DialogTracker;
  readonly sdp: SdpTracker;
  readonly sip: SipIngest;
  readonly hep: HepIngest;
  readonly clocks = new HepClocks();
  /** What goes out besides the answers: the file of -O and the mirror of -H. */
  readonly outputs: Outputs;
  /** Live: what the filter in the kernel is told of the calls. */
  readonly media: NamedMedia | null;
  readonly rtcp: RtcpTracker;
  readonly stun: StunTracker;
  readonly icmp: IcmpTracker;
  /** Where frames come from: a live interface, else capture files. */
  readonly source: FileSource | LiveSource;
  readonly file: FileSource | null;
  readonly live: LiveSource | null;
  readonly ingest: Ingest;
  /** Capture files as given on the command line, which is not the order they are read in. */
  readonly sources: string[] = [];
  /** Call attempts by how they ended; they never fall. */
  readonly callOutcomes: Record<CallOutcome, number> = {
    answered: 0,
    declined: 0,
    abandoned: 0,
    redirected: 0,
    challenged: 0,
    ineffective: 0,
    failed: 0,
  };
  readonly pddSeconds = new BucketCounts(PDD_SECONDS_BOUNDS);
  readonly mos = new BucketCounts(MOS_BOUNDS);
  readonly jitterMs = new BucketCounts(JITTER_MS_BOUNDS);
  readonly lossPercent = new BucketCounts(LOSS_PERCENT_BOUNDS);
  /** SIP that TypeScript found outside its gate, by port, beside what the native gate counted. */
  readonly excludedSip = new Map<number, number>();
  readonly excludedWebSocket = new Map<number, number>();
  /** Capture clock when a stream was last refused; NaN never. */
  refusedUs = Number.NaN;
  #refused = 0;
  isExhausted = false;
  /** Captures now: there is no end to be read to. */
  isLive = false;
  /** Of a live session. */
  readonly clock = new LiveClock(TICK_MS * 1000);
  listener: HepListener | null = null;
  #security: Security | null = null;
  /** Probes of TLS libraries; null without --uprobe. */
  tls: TlsCapture | null = null;
  #hooks: Hooks | null = null;
  #isClosed = false;
  /** Feed the quality histograms: only a server shows them, and they cost a reading of each stream. */
  observesQuality = false;

  constructor(options: SessionOptions, hepAuth: HepAuth | null = null) {
    this.options = options;
    const { live } = options;
    this.media = live === undefined ? null : new NamedMedia((address, port, is) => live.nameMedia(address, port, is));
    const keep = options.endsWithFiles === true ? keptForGood : <M>(memory: M) => memory;
    const hugeMemory = (bytes: number) => {
      const memory = options.isSmall === true ? new Uint8Array(bytes) : hugeBuffer(bytes);
      keep(memory.buffer);
      return memory;
    };
    const expiries = new ExpiryQueue();
    this.dialogs = new DialogStore(
      options.maxDialogs,
      (d) => {
        this.identifiers?.onDialogGone(d);
        d.expiresUs = Number.NaN;
        this.#forgetMedia(d);
        this.icmp.onDialogGone(d);
      },
      hugeMemory,
      touchPages,
    );
    const endpoints = new EndpointIndex(this.dialogs, options.maxDialogs * 2, hugeMemory);
    this.streams = new StreamStore(endpoints, keep);
    this.sdp = new SdpTracker(
      endpoints,
      (key, claim, dialog) => {
        this.streams.onClaim(key, claim);
        this.media?.onClaim(key, dialog);
        this.stun.onClaim(key, claim);
      },
      (fragment, claim) => this.stun.onFragment(fragment, claim),
      hugeMemory,
      touchPages,
    );
    this.sdp.onShed = (d) => this.#forgetMedia(d);
    this.stun = new StunTracker({
      endpoints,
      name: (key, claim) => this.sdp.nameDerived(key, claim),
    });
    this.log = new MessageLog(
      options.messageLogBytes,
      this.dialogs,
      hugeMemory,
      (file, at, length, check) => this.file?.files.read(file, at, length, check) ?? null,
      touchPages,
    );
    this.payloads = options.audioBytes > 0 ? new PayloadRing(options.audioBytes) : null;
    this.identifiers = options.correlates ? new CallIdentifiers(options.callIdHeaders) : null;
    this.icmp = new IcmpTracker(this.dialogs, this.log, new IcmpMediaTally(endpoints, this.streams));
    this.log.onMove = (slot, from, to) => this.icmp.onRowMoved(slot, from, to);
    this.tracker = new DialogTracker({
      dialogs: this.dialogs,
      log: this.log,
      sdp: this.sdp,
      expiries,
      identifiers: this.identifiers,
      clocks: this.clocks,
      digest: loadNative().digest,
      onChange: (d, from) => this.#onChange(d, from),
    });
    this.outputs = new Outputs(options.outputs ?? NO_OUTPUTS);
    const { mirror } = this.outputs;
    const { captureLog } = options;
    this.sip = new SipIngest(this.tracker, mirror, captureLog);
    this.rtcp = new RtcpTracker(this.streams);
    this.hep = new HepIngest({
      sip: this.sip,
      rtcp: this.rtcp,
      door: new HepDoor(hepAuth),
      clocks: this.clocks,
      isOwn: (outer) => mirror?.isOwn(outer) ?? false,
      dialog: (callId) => this.dialogs.get(callId) ?? null,
    });
    this.live = options.live ?? null;
    this.file = this.live === null ? new FileSource({ ...options, retainsPayload: options.audioBytes > 0 }) : null;
    this.source = this.live ?? this.file ?? new FileSource({ ...options, retainsPayload: options.audioBytes > 0 });
    this.clocks.mayPair = this.live !== null;
    this.streams.table = new StreamTable((i) => keep(this.source.rtpChunk(i)), this.source.info);
    this.ingest = new Ingest({
      source: this.source,
      sip: this.sip,
      hep: this.hep,
      streams: this.streams,
      endpoints,
      payloads: this.payloads,
      rtcp: this.rtcp,
      mirror,
      stun: this.stun,
      icmp: this.icmp,
      counters: this.decode,
      onExcluded: (kind, port) => {
        const ports = kind === 'sip' ? this.excludedSip : this.excludedWebSocket;
        ports.set(port, (ports.get(port) ?? 0) + 1);
      },
    });
    this.source.onRecords((batch, count) => {
      if (this.isLive) this.clock.onRead(Math.max(batch.tsUs(0), batch.tsUs(count - 1)), Date.now() * 1000);
      this.ingest.onRecords(batch, count);
      this.#noteRefused();
      this.tracker.sweep(this.ingest.nowUs);
    });
  }

  /** What a listener for HEP received. */
  onMirrored(batch: RecordBatch, count: number): void {
    this.clock.onRead(Math.max(batch.tsUs(0), batch.tsUs(count - 1)), Date.now() * 1000);
    this.ingest.onRecords(batch, count);
  }

  /** Live: time goes on while nothing comes; registrations lapse and reassembly is given up. */
  tick(nowUs: number): void {
    this.ingest.tick(nowUs);
    this.#noteRefused();
    this.#security?.tick(nowUs);
    this.tracker.sweep(this.ingest.nowUs);
    this.media?.expire(this.ingest.nowUs);
  }

  /** Starts commands for events from now on; null while none is configured. */
  get hooks(): Hooks | null {
    return this.#hooks;
  }
  set hooks(hooks: Hooks | null) {
    this.#hooks = hooks;
    const watches = hooks !== null && hooks.quality !== null;
    this.ingest.onWindow = watches ? (stream) => hooks.onWindow(stream, this.quality) : null;
  }

  /** Looks for attackers from now on; null while nobody asked for that. */
  get security(): Security | null {
    return this.#security;
  }
  set security(security: Security | null) {
    this.#security = security;
    this.sip.watch = security === null ? null : (buf, scan, carrier) => security.onMessage(buf, scan, carrier);
    this.sip.watchRefused = security === null ? null : (carrier) => security.onMalformed(carrier);
  }

  /** Capture clock in microseconds; NaN before the first packet. */
  get nowUs(): number {
    return Number.isFinite(this.ingest.nowUs) ? this.ingest.nowUs : Number.NaN;
  }

  /** The capture clock that a dialog is judged by: its own, where it lives in another time. */
  nowOf(d: Dialog): number {
    return d.clock === null ? this.nowUs : d.clock.nowUs(this.nowUs);
  }

  /** What the clock and the options decide about every stream. */
  get quality(): QualityContext {
    const { streams, nowUs, isExhausted } = this;
    return { streams, windowSec: this.options.windowSec, nowUs, isExhausted };
  }

  /** Files, or interfaces: a listener for HEP and probes bring no RTP. */
  get capturesRtp(): boolean {
    return this.live !== null || !this.isLive;
  }

  get sawRtp(): boolean {
    return this.streams.size > 0 || this.source.counter('rtp_accepted') > 0;
  }

  /**
   * Reads the files by the time of their packets. Throws ServiceError for one that cannot be read at all. `meanwhile` is
   * called once, when they are being read and nothing has been taken yet; `opened` when they are known to be captures.
   */
  async read(
    paths: readonly string[],
    onEnd: (path: string, end: FileEnd) => void,
    meanwhile?: () => void,
    opened?: () => void,
  ): Promise<FilesEnd | null> {
    const { file } = this;
    if (file === null) return null;
    this.clocks.mayPair = true;
    const output = await this.outputs.open(paths);
    if (output !== null) file.setOutput(output.id);
    this.sources.push(...paths);
    const end = await file.read(paths, {
      onEnd: (i, how) => onEnd(paths[i] ?? '', how),
      ...(meanwhile !== undefined && { meanwhile }),
      ...(opened !== undefined && { opened }),
    });
    if (this.#isClosed) return end;
    this.ingest.finish(end.lastUs);
    this.tracker.sweep(this.ingest.nowUs);
    this.isExhausted = !end.isStopped;
    await this.outputs.drain();
    this.#security?.finish();
    if (this.#hooks?.quality || this.observesQuality) await this.#judgeRest();
    return end;
  }

  /** Ends the reading of files, begun or not, with what was read so far. */
  stopReading(): void {
    this.file?.stop();
  }

  close(): void {
    this.#isClosed = true;
    this.#security?.close();
    this.tls?.close();
    this.#hooks?.close();
    this.source.close();
    this.outputs.close();
  }

  #noteRefused(): void {
    const refused = this.source.counter('rtp_streams_refused');
    if (refused === this.#refused) return;
    this.#refused = refused;
    // The thread that reads a file is ahead: when it was is not known.
    this.refusedUs = this.file === null ? this.ingest.nowUs : Number.POSITIVE_INFINITY;
  }

  /** What a dialog described and claimed is given up. */
  #forgetMedia(d: Dialog): void {
    this.streams.onDialogGone(d);
    this.media?.onGone(d);
    this.sdp.onDialogGone(d);
    this.stun.onDialogGone(d);
  }

  #onChange(d: Dialog, from: number): void {
    this.#hooks?.onDialogState(d, from, this.sources);
    const outcome = callOutcome(d, from);
    if (outcome !== null) this.callOutcomes[outcome]++;
    this.media?.onChange(d, this.ingest.nowUs);
    if (isEnded(d.state) && this.observesQuality) for (const s of d.streams ?? []) this.#observe(s);
    if (d.isPddObserved) return;
    const pddMs = postDialDelayMs(d);
    if (pddMs === null) return;
    d.isPddObserved = true;
    this.pddSeconds.observe(pddMs / 1000);
  }

  /** One observation a stream, when its call or the capture has ended. */
  #observe(stream: Stream): void {
    if (stream.isObserved) return;
    const q = streamQuality(stream, this.quality);
    if (q === null) return;
    stream.isObserved = true;
    if (q.mos !== null) this.mos.observe(q.mos);
    this.jitterMs.observe(q.jitterMs);
    this.lossPercent.observe(q.lossPct);
  }

  /** What no end of a call has judged, in turns, so that a server answers meanwhile. */
  async #judgeRest(): Promise<void> {
    let n = 0;
    for (const stream of this.streams.fromNewest()) {
      if (++n % OBSERVE_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      if (this.#isClosed) return;
      this.#hooks?.onEnd(stream, this.quality);
      if (this.observesQuality) this.#observe(stream);
    }
  }
}
