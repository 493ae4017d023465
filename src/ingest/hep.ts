/**
 * HEP packets, received (-L) or found in a capture (-E): what they mirror, with the addresses and time they tell.
 */

import { asBuffer } from '../core/byte-text.ts';
import { TRANSPORT } from '../core/words.ts';
import { type HepMirror, WHOLE } from '../decode/hep/flow.ts';
import { HepFlows } from '../decode/hep/flows.ts';
import type { HepPacket } from '../decode/hep/packet.ts';
import { parseRtcpJson } from '../protocols/rtp/rtcp-json.ts';
import { contentLength, SCAN, scanSip } from '../protocols/sip/scanner/scan.ts';
import { type HepRefusal, HepRefusals } from '../sources/hep/refusals.ts';
import { emptyPacket, type Packet } from '../sources/packet.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { MessageFrames } from '../store/messages/frame-ledger.ts';
import type { HepClocks } from './hep-clocks.ts';
import { type HepDoor, isRead, isReport } from './hep-door.ts';
import { isPlain, isSound, wholeness } from './hep-pieces.ts';
import type { ReportTracker } from './media/report-tracker.ts';
import type { RtcpTracker } from './media/rtcp-tracker.ts';
import { ScannedHep } from './scanned-hep.ts';
import type { SipIngest } from './sip.ts';

const HEP_ORIGIN = 1;
const OPENING_BRACE = 0x7b;
const PROTO_TCP = 6;
/** Kamailio's number for TLS sockets. */
const PROTO_TLS = 22;

export type HepIngestDeps = {
  readonly sip: SipIngest;
  readonly rtcp: RtcpTracker;
  readonly reports: Pick<ReportTracker, 'onHep'>;
  readonly door: HepDoor;
  readonly clocks: HepClocks;
  /** True for a packet that this process sent itself (-H) and met again on an interface. */
  readonly isOwn: (outer: Packet) => boolean;
  readonly dialog: (callId: string) => Dialog | null;
  /** Left out where nobody will write the frames of dialogs. */
  readonly frames?: MessageFrames | null;
};

export class HepIngest {
  readonly #d: HepIngestDeps;
  readonly refusals = new HepRefusals();
  readonly #packet: ScannedHep;
  readonly #carrier: Packet = emptyPacket(new Uint8Array(32));
  readonly #mirror: { -readonly [K in keyof HepMirror]: HepMirror[K] } = { ...emptyPacket(), agentId: 0 };
  /** What is mirrored packet by packet. */
  readonly flows: HepFlows;
  packets = 0;
  /** Packets without a payload. */
  keepAlives = 0;
  /** Payloads of a type that is not analysed: logs, CDRs. */
  otherTypes = 0;
  /** RTCP whose JSON could not be read. */
  badJson = 0;
  /** Packets with stamps of another time than ours. */
  ofOtherTimes = 0;
  /** Packets whose times cannot be; they have the time of their arrival. */
  implausibleTimes = 0;
  /** Packets of our own mirror. */
  own = 0;

  constructor(deps: HepIngestDeps) {
    this.#d = deps;
    this.#packet = new ScannedHep(deps.door);
    this.#carrier.origin = HEP_ORIGIN;
    this.flows = new HepFlows({
      onMessage: (bytes, start, end, packet, isJoined, isCut) =>
        this.#onFramed(bytes, start, end, packet, isJoined, isCut),
      contentLength,
      keepsFrames: (deps.frames ?? null) !== null,
    });
  }

  get door(): HepDoor {
    return this.#d.door;
  }

  /** Packets that were no HEP, malformed, without the key, or too dear to inflate. */
  get rejected(): number {
    return this.refusals.total;
  }

  /**
   * One packet, as a datagram or from a connection; `outer` carried it: its frame, and its time where the sender gives
   * none. Says why it was refused, or null.
   */
  onDatagram(buf: Buffer, start: number, end: number, outer: Packet): HepRefusal | null {
    this.#packet.read(buf, start, end, outer);
    this.onScanned(buf, this.#packet, outer);
    return this.#packet.refused;
  }

  /** The same of a datagram that was read ahead. */
  onScanned(buf: Buffer, packet: ScannedHep, outer: Packet): void {
    if (this.#d.isOwn(outer)) {
      this.own++;
      return;
    }
    const { scan: p, refused } = packet;
    if (refused !== null) {
      this.refusals.count(refused, outer.addresses, outer.srcOff, outer.ipVersion);
      return;
    }
    this.packets++;
    if (!isRead(p.protocolType)) {
      this.otherTypes++;
      return;
    }
    if (p.end <= p.start) {
      this.keepAlives++;
      return;
    }
    const c = this.#carrier;
    c.addresses = p.addresses;
    c.srcOff = p.srcAt;
    c.dstOff = p.dstAt;
    this.#takeTime(c, p, outer);
    c.transport = p.proto === PROTO_TCP ? TRANSPORT.TCP : p.proto === PROTO_TLS ? TRANSPORT.TLS : TRANSPORT.UDP;
    c.ipVersion = p.ipVersion === 6 ? 6 : 4;
    c.srcPort = p.srcPort;
    c.dstPort = p.dstPort;
    c.frame = outer.frame;
    c.parts = outer.parts;
    c.digestHigh = outer.digestHigh;
    c.digestLow = outer.digestLow;
    c.source = outer.source;
    if (packet.isSip()) {
      if (c.transport !== TRANSPORT.UDP && this.#takePiece(packet, c, outer)) return;
      this.#d.sip.onScanned(p.bytes === buf ? buf : asBuffer(p.bytes), packet.sip, c, p.start, p.end);
    } else if (isReport(p.protocolType)) this.#d.reports.onHep(p.bytes, p.start, p.end, c, p.correlationId);
    else if (p.bytes[p.start] === OPENING_BRACE) this.#onRtcpJson(p, c);
    else this.#keepFrame(this.#d.rtcp.onPacket(p.bytes, p.start, p.end, c), c);
  }

  /** Whether the packet was taken as a piece of its connection: else it is one whole message, as most agents send. */
  #takePiece({ scan: p, sip }: ScannedHep, c: Packet, { addresses, srcOff, ipVersion, tsUs }: Packet): boolean {
    if (this.flows.waiting === 0 && isPlain(sip, p.end)) return false;
    const mirror = this.#mirror;
    mirror.addresses = addresses;
    mirror.srcOff = srcOff;
    mirror.ipVersion = ipVersion;
    mirror.tsUs = tsUs;
    mirror.agentId = p.agentId;
    const whole = wholeness(sip, p.bytes, p.end);
    if (whole === WHOLE.SURE) this.flows.answered(p.bytes.subarray(sip.callIdStart, sip.callIdEnd), c, mirror);
    return this.flows.take(p.bytes, p.start, p.end + p.droppedBytes, whole, c, mirror);
  }

  #onFramed(b: Uint8Array, start: number, end: number, c: Packet, isJoined: boolean, isCut: boolean): void {
    const scan = scanSip(b, start, end);
    // A part is kept where it tells its call, and counted as cut already.
    if (isCut && scan.code !== SCAN.OK) return;
    if (isJoined && !isSound(scan, asBuffer(b))) {
      this.flows.cut++;
      c.isSnapped = true;
    }
    this.#d.sip.onScanned(asBuffer(b), scan, c, start, end);
  }

  /** Reports by HEP belong to the dialog as messages do: no socket of its media carried them. */
  #keepFrame(dialog: Dialog | null, c: Packet): void {
    if (dialog !== null) this.#d.frames?.add(dialog.slot, c);
  }

  /** When it was sent, by our clock as far as the sender's is known. A sender that tells no time, or none that can be, sends at once. */
  #takeTime(c: Packet, p: HepPacket, { addresses, srcOff, ipVersion, tsUs: arrivedUs }: Packet): void {
    const { agentId } = p;
    const { clocks } = this.#d;
    const tsUs = Number.isNaN(p.tsUs)
      ? p.tsUs
      : clocks.steady(addresses, srcOff, ipVersion, agentId, p.tsUs, arrivedUs);
    c.arrivedUs = arrivedUs;
    c.toldUs = tsUs;
    if (Number.isNaN(tsUs)) {
      c.clock = null;
      c.tsUs = arrivedUs;
      if (Number.isNaN(p.refusedUs)) return;
      this.implausibleTimes++;
      clocks.onRefusedTime(addresses, srcOff, ipVersion, agentId, p.refusedUs);
      return;
    }
    const clock = clocks.clockOf(addresses, srcOff, ipVersion, agentId, tsUs, arrivedUs);
    c.clock = clock;
    c.tsUs = clock.timeOf(tsUs, arrivedUs);
    if (clock.isOtherTime(tsUs, arrivedUs)) this.ofOtherTimes++;
  }

  /** RTCP as JSON, which is what agents send. */
  #onRtcpJson(p: HepPacket, c: Packet): void {
    const { rtcp, dialog } = this.#d;
    const reports = parseRtcpJson(p.bytes.subarray(p.start, p.end));
    if (!reports.ok) {
      this.badJson++;
      return;
    }
    rtcp.packets++;
    const callId = p.correlationId;
    const named = callId === null ? null : dialog(callId);
    this.#keepFrame(rtcp.onReports(reports.value, c, named) ?? named, c);
  }
}
