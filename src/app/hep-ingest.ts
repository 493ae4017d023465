/**
 * HEP packets, received (-L) or found in a capture (-E): what they mirror, with the addresses and time they tell.
 */

import { asBuffer } from '../core/byte-text.ts';
import { TRANSPORT } from '../core/words.ts';
import { parseHep } from '../decode/hep.ts';
import { parseRtcpJson } from '../rtp/rtcp-json.ts';
import type { HepAuth } from '../sources/hep-auth.ts';
import { HepRefusals } from '../sources/hep-refusals.ts';
import type { Dialog } from '../store/dialog.ts';
import type { Carrier } from '../store/fingerprint.ts';
import { emptyCarrier } from '../store/fingerprint.ts';
import type { RtcpTracker } from '../store/rtcp-tracker.ts';
import { ScannedHep } from './scanned.ts';
import type { SipIngest } from './sip-ingest.ts';

const HEP_ORIGIN = 1;
const TYPE_SIP = 1;
const TYPE_RTCP = 5;
const OPENING_BRACE = 0x7b;
const PROTO_TCP = 6;
/** Kamailio's number for TLS sockets. */
const PROTO_TLS = 22;

export type HepIngestDeps = {
  readonly sip: SipIngest;
  readonly rtcp: RtcpTracker;
  /** The key that --hep-auth asks for; null accepts all. */
  readonly auth: HepAuth | null;
  /** True for a packet that this process sent itself (-H) and met again on an interface. */
  readonly isOwn: (outer: Carrier) => boolean;
  readonly dialog: (callId: string) => Dialog | null;
};

export class HepIngest {
  readonly #d: HepIngestDeps;
  readonly refusals = new HepRefusals();
  readonly #packet = new ScannedHep();
  readonly #carrier: Carrier = emptyCarrier(new Uint8Array(32));
  packets = 0;
  /** Packets without a payload. */
  keepAlives = 0;
  /** Payloads of a type that is not analysed: logs, CDRs. */
  otherTypes = 0;
  /** RTCP whose JSON could not be read. */
  badJson = 0;
  /** Packets of our own mirror. */
  own = 0;

  constructor(deps: HepIngestDeps) {
    this.#d = deps;
    this.#carrier.origin = HEP_ORIGIN;
  }

  /** Packets that were no HEP, malformed, or without the key. */
  get rejected(): number {
    return this.refusals.total;
  }

  /** One datagram; `outer` is the packet that carried it: its frame, and its time where the sender gives none. */
  onDatagram(buf: Buffer, start: number, end: number, outer: Carrier): void {
    this.#packet.read(buf, start, end);
    this.onScanned(buf, start, end, this.#packet, outer);
  }

  /** The same of a datagram that was read ahead. */
  onScanned(buf: Buffer, start: number, end: number, packet: ScannedHep, outer: Carrier): void {
    if (this.#d.isOwn(outer)) {
      this.own++;
      return;
    }
    const { scan: p, refused } = packet;
    if (refused !== null) {
      this.refusals.count(refused, outer.addresses, outer.srcOff, outer.ipVersion);
      return;
    }
    const { auth } = this.#d;
    if (auth !== null && !auth.accepts(p.authKey)) {
      this.refusals.count('auth_failed', outer.addresses, outer.srcOff, outer.ipVersion);
      return;
    }
    this.packets++;
    const isRtcp = p.protocolType === TYPE_RTCP;
    if (!isRtcp && p.protocolType !== TYPE_SIP && p.protocolType !== -1) {
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
    c.tsUs = Number.isNaN(p.tsUs) ? outer.tsUs : p.tsUs;
    c.arrivedUs = outer.tsUs;
    c.transport = p.proto === PROTO_TCP ? TRANSPORT.TCP : p.proto === PROTO_TLS ? TRANSPORT.TLS : TRANSPORT.UDP;
    c.ipVersion = p.ipVersion === 6 ? 6 : 4;
    c.srcPort = p.srcPort;
    c.dstPort = p.dstPort;
    c.frame = outer.frame;
    c.digestHigh = outer.digestHigh;
    c.digestLow = outer.digestLow;
    c.source = outer.source;
    if (packet.isSip()) this.#d.sip.onScanned(p.bytes === buf ? buf : asBuffer(p.bytes), packet.sip, c);
    else if (p.bytes[p.start] === OPENING_BRACE) this.#onRtcpJson(buf, start, end, c);
    else this.#d.rtcp.onPacket(p.bytes, p.start, p.end, c);
  }

  /** RTCP as JSON, which is what agents send. It is rare, so that the general parser may tell whose call it judges. */
  #onRtcpJson(buf: Buffer, start: number, end: number, c: Carrier): void {
    const { rtcp, dialog } = this.#d;
    const parsed = parseHep(buf, start, end);
    if (!parsed.ok) return;
    const p = parsed.value;
    const reports = parseRtcpJson(p.bytes.subarray(p.start, p.end));
    if (!reports.ok) {
      this.badJson++;
      return;
    }
    rtcp.packets++;
    rtcp.onReports(reports.value, c, p.correlationId === null ? null : dialog(p.correlationId));
  }
}
