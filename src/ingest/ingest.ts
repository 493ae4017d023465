/**
 * Puts the writers and the stores together: records go in, and what was made of them is in `stores`.
 */

import { measuredSec } from '../core/score-window.ts';
import { DecodeCounters } from '../decode/counters.ts';
import { StreamTable } from '../protocols/rtp/stream-table.ts';
import type { FileSource } from '../sources/file/file-source.ts';
import type { HepAuth } from '../sources/hep/auth.ts';
import type { LiveSource } from '../sources/live/live-source.ts';
import type { Packet } from '../sources/packet.ts';
import type { PacketSource } from '../sources/packet-source.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { asCaptured, type ClockStep } from '../store/clock-steps.ts';
import { ClosedConnections } from '../store/closed-connections.ts';
import { CallIdentifiers } from '../store/dialogs/call-identifiers.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { DialogStore } from '../store/dialogs/dialog-store.ts';
import { ExpiryQueue } from '../store/dialogs/expiry-queue.ts';
import { IcmpMediaTally } from '../store/icmp/icmp-media.ts';
import { LostDatagrams } from '../store/lost-datagrams.ts';
import type { DropSpan } from '../store/media/drop-spans.ts';
import { DropSpans } from '../store/media/drop-spans.ts';
import { EndpointIndex } from '../store/media/endpoint-index.ts';
import { FrameOwners } from '../store/media/frame-owners.ts';
import { KeyPresses } from '../store/media/key-presses.ts';
import { PayloadRing } from '../store/media/payload-ring.ts';
import { PhoneReports } from '../store/media/phone-reports.ts';
import { StreamStore } from '../store/media/stream-store.ts';
import { FrameLedger } from '../store/messages/frame-ledger.ts';
import { MessageLog } from '../store/messages/message-log.ts';
import { NONE } from '../store/row-blocks.ts';
import type { Capture, Identifiers, QualityContext, Stores } from '../store/stores.ts';
import { DialogTracker } from './dialogs/dialog-tracker.ts';
import type { Digest } from './dialogs/frame-pointers.ts';
import type { FrameSink } from './frame-intake.ts';
import { FrameIntake } from './frame-intake.ts';
import { HepIngest } from './hep.ts';
import { HepClocks } from './hep-clocks.ts';
import { HepDoor } from './hep-door.ts';
import { IcmpTracker } from './icmp-tracker.ts';
import { LateIdentifiers } from './late-identifiers.ts';
import { ReportTracker } from './media/report-tracker.ts';
import { RtcpTracker } from './media/rtcp-tracker.ts';
import { SdpTracker } from './media/sdp-tracker.ts';
import { StunTracker } from './media/stun-tracker.ts';
import { endpointBytes, NamedMedia } from './named-media.ts';
import type { Observer } from './observer.ts';
import { observersOf } from './observer.ts';
import { PacketIngest } from './packets.ts';
import { SipIngest } from './sip.ts';
import { SipSockets } from './sip-sockets.ts';

export type IngestOptions = {
  readonly maxDialogs: number;
  readonly maxStreams: number;
  readonly messageLogBytes: number;
  /** Bytes of RTP kept for its audio; 0 none. */
  readonly audioBytes: number;
  /** Seconds of a quality window. */
  readonly windowSec: number;
  /** Index what ties dialogs together; only who can be asked for it needs it. */
  readonly correlates: boolean;
  /** Remember which frames carried messages, for who writes them in a second pass over the files. */
  readonly keepsFrames?: boolean;
  /** Count responses by method and status code, and retransmissions by method, for the metrics. */
  readonly countsCodes?: boolean;
  /** Further headers that carry the Call-ID of another leg. */
  readonly callIdHeaders: readonly string[];
};

export type IngestParts = {
  readonly options: IngestOptions;
  /** Files, else interfaces; null where only HEP or probes are read. */
  readonly source: PacketSource;
  /** Reads messages of a file again; null where there is no file. */
  readonly file: FileSource | null;
  /** Gets the media endpoints that calls name; null where no filter asks. */
  readonly live: LiveSource | null;
  readonly isLive: boolean;
  /** SIP on ports that nobody named is analysed too. */
  readonly takesAnySip: boolean;
  /** HEP is not all that is read, so a mirrored message may be met again. */
  readonly mayPair: boolean;
  readonly hepAuth: HepAuth | null;
  readonly digest: Digest;
  readonly observers: readonly Observer[];
  /** Takes the frames of calls, where the source hands them over; null or left out: nobody does. */
  readonly frameSink?: FrameSink | null;
  /** True for a packet that this process mirrored itself and met again on an interface. */
  readonly isOwn: (outer: Packet) => boolean;
};

export type Ingest = {
  readonly stores: Stores;
  readonly capture: Capture;
  /** What ties dialogs to calls, also where nothing indexed it as they came. */
  readonly ties: () => Identifiers;
  readonly packets: PacketIngest;
  readonly sip: SipIngest;
  readonly hep: HepIngest;
  readonly tracker: DialogTracker;
  readonly sdp: SdpTracker;
  readonly rtcp: RtcpTracker;
  readonly reports: ReportTracker;
  readonly stun: StunTracker;
  readonly icmp: IcmpTracker;
  readonly connections: ClosedConnections;
  readonly lostDatagrams: LostDatagrams;
  readonly clocks: HepClocks;
  readonly decode: DecodeCounters;
  /** What the filter in the kernel lets through; null without one. */
  readonly media: NamedMedia | null;
  /** What is learned of SIP on other ports than those of the gate; null where nothing is. */
  readonly sockets: SipSockets | null;
  /** SIP that only TypeScript found outside its gate, by port. */
  readonly excluded: { readonly sip: ReadonlyMap<number, number>; readonly websocket: ReadonlyMap<number, number> };
  /** One slab of records of the source, in order. */
  onRecords(batch: RecordBatch, count: number): void;
  /** Moves the clock where no record does: registrations lapse, and reassembly is given up. */
  tick(nowUs: number): void;
  /** All that is known of steps of the host's clock while it captures live. */
  onClockSteps(steps: readonly ClockStep[]): void;
  /** A packet with the time that the clock of the host showed. */
  shown(packet: Packet): Packet;
  /** Files begin to be read; they are the sources of frame pointers from now on. */
  begin(sources: readonly string[]): void;
  /** The source has ended at this time; `isWhole`: nothing cut it short. */
  finish(lastUs: number, isWhole: boolean): void;
};

/** What something holds, without what it does. */
type Held<T> = { readonly [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: T[K] };

/** The writers as those see them who show what they counted. */
export type IngestCounts = { readonly [K in keyof Held<Ingest>]: Held<Ingest[K]> } & {
  readonly clocks: Pick<HepClocks, 'known'>;
};

/** What `capture` is made of. */
class CaptureState implements Capture {
  readonly sources: string[] = [];
  readonly clockSteps: ClockStep[] = [];
  readonly isLive: boolean;
  isExhausted = false;
  refusedUs = Number.NaN;
  readonly #parts: IngestParts;
  readonly #packets: () => PacketIngest;
  readonly #streams: StreamStore;
  readonly #drops = new DropSpans();
  readonly #dropsOf = (source: number): readonly DropSpan[] => this.#drops.of(source);
  #refused = 0;

  constructor(parts: IngestParts, streams: StreamStore, packets: () => PacketIngest) {
    this.#parts = parts;
    this.#streams = streams;
    this.#packets = packets;
    this.isLive = parts.isLive;
  }

  get nowUs(): number {
    const { nowUs } = this.#packets();
    return Number.isFinite(nowUs) ? nowUs : Number.NaN;
  }

  nowOf(d: Dialog): number {
    return d.clock === null ? this.nowUs : d.clock.nowUs(this.nowUs);
  }

  get capturesRtp(): boolean {
    return this.#parts.live !== null || !this.isLive;
  }

  get quality(): QualityContext {
    const { nowUs, isExhausted } = this;
    // Who counts a gap must find its reason: streams are read where the capturing thread counts them.
    this.noteDrops();
    const { windowSec } = this.#parts.options;
    return { streams: this.#streams, windowSec, nowUs, isExhausted, dropsOf: this.#dropsOf };
  }

  noteDrops(): void {
    for (const { source, ...span } of this.#parts.live?.takeDrops() ?? []) this.#drops.add(source, span);
  }

  noteRefused(): void {
    const refused = this.#parts.source.counter('rtp_streams_refused');
    if (refused === this.#refused) return;
    this.#refused = refused;
    // The thread that reads a file is ahead: when it was is not known.
    this.refusedUs = this.#parts.file === null ? this.#packets().nowUs : Number.POSITIVE_INFINITY;
  }
}

export function createIngest(parts: IngestParts): Ingest {
  const { options, source, file, live } = parts;
  const media = live === null ? null : new NamedMedia((endpoints, is) => live.nameMedia(endpoints, is));
  const identifiers = options.correlates ? new CallIdentifiers(options.callIdHeaders) : null;
  const payloads = options.audioBytes > 0 ? new PayloadRing(options.audioBytes) : null;
  const ledger = options.keepsFrames === true ? new FrameLedger() : null;
  const frameSink = parts.frameSink ?? null;
  const frames = frameSink ?? ledger;
  const keys = new KeyPresses();
  const phoneReports = new PhoneReports();
  const decode = new DecodeCounters();
  const clocks = new HepClocks();
  clocks.mayPair = parts.mayPair;
  const excluded = { sip: new Map<number, number>(), websocket: new Map<number, number>() };

  const sockets =
    live === null || !parts.takesAnySip
      ? null
      : new SipSockets({
          isMedia: (key) => endpoints.latest(key, Number.POSITIVE_INFINITY) !== NONE,
          tell: (keys) => live.learnSip(endpointBytes(keys, true)),
        });
  const observers = sockets === null ? parts.observers : [sockets, ...parts.observers];

  /** What a dialog described and claimed is given up. */
  const forgetMedia = (d: Dialog): void => {
    streams.onDialogGone(d);
    media?.onGone(d);
    sdp.onDialogGone(d);
    stun.onDialogGone(d);
  };
  const goneObservers = observersOf(observers, 'onDialogGone');
  const dialogs = new DialogStore(options.maxDialogs, (d) => {
    for (const observer of goneObservers) observer.onDialogGone(d, capture);
    identifiers?.onDialogGone(d);
    frames?.forget(d.slot);
    d.expiresUs = Number.NaN;
    forgetMedia(d);
    phoneReports.onDialogGone(d);
    icmp.onDialogGone(d);
  });
  const endpoints = new EndpointIndex(dialogs);
  const streams = new StreamStore(endpoints, measuredSec(options.windowSec));
  streams.table = new StreamTable((i) => source.rtpChunk(i), source.info);
  const sdp = new SdpTracker(
    endpoints,
    (key, claim, dialog) => {
      streams.onClaim(key, claim);
      media?.onClaim(key, dialog);
      stun.onClaim(key, claim);
    },
    (fragment, claim) => stun.onFragment(fragment, claim),
  );
  sdp.onShed = forgetMedia;
  const stun = new StunTracker({ endpoints, name: (key, claim) => sdp.nameDerived(key, claim) });
  const log = new MessageLog(
    options.messageLogBytes,
    dialogs,
    (number, at, length, check) => file?.files.read(number, at, length, check) ?? null,
  );
  const icmp = new IcmpTracker(dialogs, log, new IcmpMediaTally(endpoints, streams), frames);
  const intake = frameSink === null ? null : new FrameIntake(frameSink, new FrameOwners(endpoints), streams);
  if (intake !== null) icmp.onMedia = (src, dst, c) => intake.onQuote(src, dst, c);
  log.onMove = (slot, from, to) => icmp.onRowMoved(slot, from, to);
  const stateObservers = observersOf(observers, 'onDialogState');
  const tracker = new DialogTracker({
    dialogs,
    log,
    sdp,
    expiries: new ExpiryQueue<Dialog>(),
    identifiers,
    clocks,
    frames,
    countsCodes: options.countsCodes === true,
    digest: parts.digest,
    onChange: (d, from) => {
      for (const observer of stateObservers) observer.onDialogState(d, from, capture);
      media?.onChange(d, packets.nowUs);
    },
  });
  const connections = new ClosedConnections();
  const lostDatagrams = new LostDatagrams();
  const reportObservers = observersOf(observers, 'onReport');
  const reports = new ReportTracker({
    reports: phoneReports,
    dialog: (callId) => dialogs.get(callId) ?? null,
    isParty: (d, c) => tracker.isParty(d, c),
    onReport: (d, report) => {
      for (const observer of reportObservers) observer.onReport(d, report, capture);
    },
  });
  const sip = new SipIngest(tracker, observers, reports);
  const rtcp = new RtcpTracker(streams);
  const hep = new HepIngest({
    sip,
    rtcp,
    reports,
    door: new HepDoor(parts.hepAuth),
    clocks,
    isOwn: parts.isOwn,
    dialog: (callId) => dialogs.get(callId) ?? null,
    frames,
  });
  const packets: PacketIngest = new PacketIngest({
    source,
    sip,
    hep,
    streams,
    keys,
    payloads,
    rtcp,
    stun,
    icmp,
    connections,
    lostDatagrams,
    observers,
    capture: () => capture,
    onClockStep: (step) => setClockSteps([...capture.clockSteps, step]),
    counters: decode,
    keepsFrames: frames !== null,
    ...{ intake, sockets, takesAnySip: parts.takesAnySip && live === null },
    onExcluded: (kind, port) => {
      const ports = excluded[kind];
      ports.set(port, (ports.get(port) ?? 0) + 1);
    },
  });
  const capture = new CaptureState(parts, streams, () => packets);
  const late = new LateIdentifiers(dialogs, log, options.callIdHeaders);
  const tickers = observersOf(observers, 'onTick');
  const setClockSteps = (steps: readonly ClockStep[]): void => {
    capture.clockSteps.splice(0, capture.clockSteps.length, ...steps);
    clocks.hostShiftUs = steps.reduce((sum, { sizeUs }) => sum + sizeUs, 0);
  };
  const sweep = (): void => tracker.sweep(packets.nowUs);
  return {
    stores: {
      ...{ dialogs, streams, log, identifiers, payloads, keys, stun, icmp, connections, lostDatagrams },
      frames: ledger,
      unseen: rtcp.unseen,
      reports: phoneReports,
    },
    capture,
    ties: () => identifiers ?? late.after(packets.records),
    ...{ packets, sip, hep, tracker, sdp, rtcp, reports, stun, icmp, connections, lostDatagrams, clocks, decode },
    ...{ media, sockets, excluded },
    onRecords(batch, count) {
      packets.onRecords(batch, count);
      capture.noteRefused();
      sweep();
      media?.flush();
    },
    tick(nowUs) {
      packets.tick(nowUs);
      capture.noteRefused();
      capture.noteDrops();
      for (const observer of tickers) observer.onTick(nowUs);
      sweep();
      media?.expire(packets.nowUs);
      media?.flush();
    },
    onClockSteps: setClockSteps,
    shown(packet) {
      const { clockSteps } = capture;
      return clockSteps.length === 0 ? packet : { ...packet, tsUs: asCaptured(clockSteps, packet.tsUs) };
    },
    begin(sources) {
      capture.sources.push(...sources);
    },
    finish(lastUs, isWhole) {
      packets.finish(lastUs);
      sweep();
      capture.isExhausted = isWhole;
      for (const observer of observersOf(observers, 'onFinish')) observer.onFinish(capture);
    },
  };
}
