/**
 * From records to the stores: the one place that sees every layer of the pipeline.
 *
 * Touches only slabs and descriptors, so that it could run in another thread. Order is the source's.
 */

import { asBuffer } from '../core/byte-text.ts';
import { endpointKey } from '../core/ip.ts';
import { TRANSPORT } from '../core/words.ts';
import type { DecodeCounters } from '../decode/counters.ts';
import { FRAGMENT_LIMITS } from '../decode/decode-limits.ts';
import { FragmentReassembler } from '../decode/fragments.ts';
import type { TcpSegment } from '../decode/tcp/tcp.ts';
import { TcpReassembler } from '../decode/tcp/tcp.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { contentLength } from '../protocols/sip/scanner/scan.ts';
import { emptyPacket, type FilePlace, type FrameAt, type Packet } from '../sources/packet.ts';
import { PacketSource } from '../sources/packet-source.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { FLAG, KIND, OFFSET } from '../sources/records.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { ClosedConnections } from '../store/closed-connections.ts';
import type { LostDatagrams } from '../store/lost-datagrams.ts';
import type { KeyPresses } from '../store/media/key-presses.ts';
import type { PayloadRing } from '../store/media/payload-ring.ts';
import type { Stream } from '../store/media/stream.ts';
import type { StreamStore } from '../store/media/stream-store.ts';
import type { Capture } from '../store/stores.ts';
import type { FrameIntake } from './frame-intake.ts';
import type { HepIngest } from './hep.ts';
import type { IcmpTracker } from './icmp-tracker.ts';
import { readLone } from './lone-fragment.ts';
import type { RtcpTracker } from './media/rtcp-tracker.ts';
import type { StunTracker } from './media/stun-tracker.ts';
import type { Observer } from './observer.ts';
import { observersOf } from './observer.ts';
import type { ScannedHep } from './scanned-hep.ts';
import type { SipIngest } from './sip.ts';
import { SipAhead } from './sip-ahead.ts';
import type { SipSockets } from './sip-sockets.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Reassembly sessions are looked at this often, in capture time. */
const EXPIRE_EVERY_US = 1_000_000;

export type PacketParts = {
  source: PacketSource;
  sip: SipIngest;
  hep: HepIngest;
  streams: StreamStore;
  /** Telephone-events of the streams. */
  keys: KeyPresses;
  /** Where RTP is kept for its audio; null where it is not. */
  payloads: PayloadRing | null;
  rtcp: RtcpTracker;
  stun: StunTracker;
  icmp: IcmpTracker;
  connections: ClosedConnections;
  lostDatagrams: LostDatagrams;
  observers: readonly Observer[];
  capture: () => Capture;
  /** The clock of the host was set. */
  onClockStep: (step: ClockStep) => void;
  counters: DecodeCounters;
  /** Learns where SIP is outside the gate; null where nothing is learned. */
  sockets: SipSockets | null;
  /** SIP is taken from every port: what TCP gives outside the gate is text in another protocol. */
  takesAnySip: boolean;
  /** SIP excluded by a gate that only TypeScript could see. */
  onExcluded: (kind: 'sip' | 'websocket', port: number) => void;
  /** Messages name all frames that carried them. */
  keepsFrames: boolean;
  /** Takes the frames themselves; null where they are not wanted. */
  intake: FrameIntake | null;
};

export class PacketIngest {
  readonly #d: PacketParts;
  readonly #rtcpObservers: readonly Required<Pick<Observer, 'onRtcp'>>[];
  readonly #windowObservers: readonly Required<Pick<Observer, 'onWindow'>>[];
  readonly #goneObservers: readonly Required<Pick<Observer, 'onStreamGone'>>[];
  readonly #fragments: FragmentReassembler;
  readonly #tcp: TcpReassembler;
  readonly #scratch = PacketSource.scratch();
  /** The packet of the record that is being read. */
  readonly #carrier = emptyPacket();
  /** Of a reassembled datagram: its further frames. */
  #parts: readonly FrameAt[] | null = null;
  readonly #ahead: SipAhead;
  readonly #place: FilePlace = { file: 0, at: Number.NaN, start: 0, end: 0, check: 0 };
  readonly #segment: Mutable<TcpSegment> = {
    packet: this.#carrier,
    bytes: new Uint8Array(0),
    start: 0,
    end: 0,
    wireLength: 0,
    seq: 0,
    tcpFlags: 0,
    gates: 0,
  };
  #nextExpiryUs = Number.NEGATIVE_INFINITY;
  /** Capture clock: the newest record. */
  nowUs = Number.NEGATIVE_INFINITY;
  records = 0;

  constructor(deps: PacketParts) {
    this.#d = deps;
    this.#rtcpObservers = observersOf(deps.observers, 'onRtcp');
    this.#windowObservers = observersOf(deps.observers, 'onWindow');
    this.#goneObservers = observersOf(deps.observers, 'onStreamGone');
    this.#fragments = new FragmentReassembler(deps.counters, FRAGMENT_LIMITS, deps.keepsFrames, (lone) => {
      const lost = readLone(lone);
      if (lost !== null) deps.lostDatagrams.add(lost);
    });
    this.#tcp = new TcpReassembler(
      {
        onMessage: (bytes, start, end, packet) => deps.sip.onBytes(asBuffer(bytes), start, end, packet),
        onClosed: (packet, sinceUs, isReset) => noteClosed(deps.connections, packet, sinceUs, isReset),
        onExcluded: deps.onExcluded,
        takesAnySip: deps.takesAnySip,
        contentLength,
        keepsFrames: deps.keepsFrames,
      },
      deps.counters,
    );
    this.#ahead = new SipAhead(deps.hep.door);
  }

  /** One slab of records, in order. */
  onRecords(b: RecordBatch, count: number): void {
    this.records += count;
    for (let i = 0; i < count; i++) {
      const kind = b.kind(i);
      if (kind === KIND.UDP) this.#onUdp(b, i, this.#ahead.takeSip(b, i, count));
      else if (kind === KIND.HEP) this.#onHep(b, i, this.#ahead.takeHep(b, i, count));
      else this.#onRecord(b, i);
    }
    this.#expire();
  }

  /** Moves the clock where no record does. */
  tick(nowUs: number): void {
    if (nowUs > this.nowUs) this.nowUs = nowUs;
    this.#expire();
  }

  #expire(): void {
    if (this.nowUs < this.#nextExpiryUs) return;
    this.#nextExpiryUs = this.nowUs + EXPIRE_EVERY_US;
    this.#tcp.expire(this.nowUs);
    this.#fragments.expire(this.nowUs);
    this.#d.hep.flows.expire(this.nowUs);
  }

  /** The source has ended: what still waits for a missing piece is given up, and counted. */
  finish(lastUs: number): void {
    if (lastUs > this.nowUs) this.nowUs = lastUs;
    this.#tcp.close();
    this.#fragments.close(this.nowUs);
    this.#d.hep.flows.finish();
  }

  #onRecord(b: RecordBatch, i: number): void {
    const tsUs = b.tsUs(i);
    const kind = b.kind(i);
    if (tsUs > this.nowUs && kind !== KIND.SOURCE_END) this.nowUs = tsUs;
    switch (kind) {
      case KIND.UDP:
        this.#d.sip.onBytes(b.data, b.off(i), b.off(i) + b.len(i), this.#carryUdp(b, i));
        return;
      case KIND.TCP:
        this.#onSegment(b, i);
        return;
      case KIND.MESSAGE:
        this.#onMessage(b, i);
        return;
      case KIND.STREAM_OPENED:
        this.#onStreamOpened(b, i);
        return;
      case KIND.STREAM_ACCEPTED:
        this.#d.streams.onAccepted(b.aux0(i), b.aux2(i));
        return;
      case KIND.STREAM_WINDOW:
        this.#d.streams.onWindow(b.aux0(i), b.aux2(i), b.data, b.off(i));
        if (this.#windowObservers.length > 0) this.#showWindow(this.#d.streams.find(b.aux0(i), b.aux2(i)));
        return;
      case KIND.STREAM_SEGMENT:
        this.#d.streams.onSegment(b.aux0(i), b.aux2(i), b.data, b.off(i));
        return;
      case KIND.RTP_KEY: {
        const stream = this.#d.streams.find(b.aux0(i), b.aux2(i));
        if (stream !== undefined) this.#d.keys.onPacket(stream, b.data, b.off(i), b.off(i) + b.len(i), tsUs);
        return;
      }
      case KIND.STREAM_EVICTED:
        if (this.#goneObservers.length > 0) this.#showGone(this.#d.streams.shown(b.aux0(i), b.aux2(i)));
        this.#d.streams.onEvicted(b.aux0(i), b.aux2(i));
        return;
      case KIND.RTCP:
        this.#onRtcp(b, i);
        return;
      case KIND.RTP:
        this.#d.payloads?.add(b.aux0(i), b.aux2(i), tsUs, b.data, b.off(i), b.off(i) + b.len(i));
        return;
      case KIND.FRAGMENT:
        this.#onFragment(b, i);
        return;
      case KIND.CLOCK_STEP:
        this.#d.onClockStep({ atUs: tsUs, sizeUs: b.frame(i) });
        return;
      case KIND.FRAME:
        this.#d.intake?.onRecord(b, i);
        return;
      case KIND.HEP:
        this.#d.hep.onDatagram(b.data, b.off(i), b.off(i) + b.len(i), this.#carry(b, i, TRANSPORT.UDP));
        return;
      case KIND.SIP_OUTSIDE:
        this.#d.sockets?.onOutside(b.data, b.off(i), b.off(i) + b.len(i), this.#carry(b, i, TRANSPORT.UDP));
        return;
      case KIND.STUN:
        this.#d.stun.onPacket(b.data, b.off(i), b.off(i) + b.len(i), this.#carry(b, i, TRANSPORT.UDP));
        return;
      case KIND.ICMP:
        this.#onIcmp(b, i);
        return;
      default:
        return;
    }
  }

  #showWindow(stream: Stream | undefined): void {
    if (stream === undefined) return;
    const capture = this.#d.capture();
    for (const observer of this.#windowObservers) observer.onWindow(stream, capture);
  }

  #showGone(stream: Stream | undefined): void {
    if (stream === undefined) return;
    const capture = this.#d.capture();
    for (const observer of this.#goneObservers) observer.onStreamGone(stream, capture);
  }

  #onIcmp(b: RecordBatch, i: number): void {
    const c = this.#carry(b, i, TRANSPORT.UDP);
    c.ipId = b.aux2(i);
    this.#d.icmp.onPacket(b.data, b.off(i), b.off(i) + b.len(i), c);
  }

  #onHep(b: RecordBatch, i: number, packet: ScannedHep): void {
    const c = this.#carry(b, i, TRANSPORT.UDP);
    if (c.tsUs > this.nowUs) this.nowUs = c.tsUs;
    this.#d.hep.onScanned(b.data, packet, c);
  }

  #onUdp(b: RecordBatch, i: number, scan: SipScan): void {
    const start = b.off(i);
    this.#d.sip.onScanned(b.data, scan, this.#carryUdp(b, i), start, start + b.len(i));
  }

  /** A message that had no frame of its own: the file says what carried it, and who saw it. */
  #onMessage(b: RecordBatch, i: number): void {
    const c = this.#carry(b, i, b.aux2(i));
    c.isWeak = (b.flags(i) & FLAG.WEAK) !== 0;
    this.#d.sip.onBytes(b.data, b.off(i), b.off(i) + b.len(i), c);
    c.isWeak = false;
  }

  #carryUdp(b: RecordBatch, i: number): Packet {
    const c = this.#carrier;
    b.readDatagram(i, c);
    this.#carryBy(c, TRANSPORT.UDP);
    if (c.tsUs > this.nowUs) this.nowUs = c.tsUs;
    c.place = b.readPlace(i, this.#place) ? this.#place : null;
    return c;
  }

  #carry(b: RecordBatch, i: number, transport: number): Packet {
    const c = this.#carrier;
    b.readPacket(i, c);
    this.#carryBy(c, transport);
    c.ipId = 0;
    c.frameLength = 0;
    c.place = null;
    return c;
  }

  /** What a record does not say itself. */
  #carryBy(c: Packet, transport: number): void {
    c.arrivedUs = c.tsUs;
    c.transport = transport;
    c.parts = this.#parts;
    this.#place.file = c.source;
  }

  #onRtcp(b: RecordBatch, i: number): void {
    const start = b.off(i);
    const end = start + b.len(i);
    const c = this.#carry(b, i, TRANSPORT.UDP);
    const dialog = this.#d.rtcp.onPacket(b.data, start, end, c);
    for (const observer of this.#rtcpObservers) observer.onRtcp(b.data, start, end, c, dialog ?? null);
  }

  #onSegment(b: RecordBatch, i: number): void {
    const s = this.#segment;
    s.bytes = b.data;
    s.start = b.off(i);
    s.end = s.start + b.len(i);
    s.wireLength = b.wireLen(i);
    s.seq = b.aux0(i);
    s.tcpFlags = b.aux1(i);
    s.gates = b.flags(i);
    const c = this.#carry(b, i, TRANSPORT.TCP);
    // On a port of WebSocket.
    if ((s.gates & (FLAG.LOOKS_SIP | FLAG.SIP_GATE)) === FLAG.LOOKS_SIP)
      this.#d.sockets?.onOutside(b.data, s.start, s.end, c);
    this.#tcp.add(s);
  }

  #onFragment(b: RecordBatch, i: number): void {
    const aux2 = b.aux2(i);
    const c = this.#carry(b, i, TRANSPORT.UDP);
    const r = this.#fragments.add({
      packet: c,
      id: b.aux0(i),
      proto: aux2 & 0xff,
      offset: b.aux1(i),
      more: (aux2 & 0x100) !== 0,
      bytes: b.data,
      start: b.off(i),
      end: b.off(i) + b.len(i),
      wireLength: b.wireLen(i),
    });
    if (r.kind !== 'complete') return;
    this.#d.intake?.onDatagram(r.payload, r.proto, c, r.begin);
    // The datagram goes through the same walk as any packet: tunnels inside it are followed.
    const descriptor = new Uint8Array(b.descriptor(i));
    descriptor[OFFSET.transport] = r.proto;
    const made = this.#d.source.datagram(this.#scratch, r.payload, descriptor);
    const outer = this.#parts;
    this.#parts = r.begin.parts;
    for (let k = 0; k < made; k++) {
      this.#scratch.setFrame(k, r.begin);
      this.#onRecord(this.#scratch, k);
    }
    this.#parts = outer;
  }

  #onStreamOpened(b: RecordBatch, i: number): void {
    const [index, generation] = [b.aux0(i), b.aux2(i)];
    this.#d.streams.onOpened(index, generation, b.aux1(i), this.#carry(b, i, TRANSPORT.UDP));
    if ((b.flags(i) & FLAG.RELAYED) === 0) return;
    const stream = this.#d.streams.find(index, generation);
    if (stream !== undefined) this.#d.stun.onRelayedStream(stream, b.data, b.off(i), b.off(i) + b.len(i));
  }
}

/** By the segment with the first FIN or RST. */
function noteClosed(closed: ClosedConnections, p: Packet, sinceUs: number, isReset: boolean): void {
  const by = endpointKey(p.addresses, p.srcOff, p.ipVersion, p.srcPort);
  const other = endpointKey(p.addresses, p.dstOff, p.ipVersion, p.dstPort);
  closed.add(by, other, sinceUs, p.tsUs, isReset);
}
