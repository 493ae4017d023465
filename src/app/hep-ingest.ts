/**
 * HEP datagrams found in a capture (-E): what they mirror, with the addresses and time they tell.
 */

import { asBuffer } from '../core/byte-text.ts';
import { TRANSPORT } from '../core/words.ts';
import { parseHep } from '../decode/hep.ts';
import type { HepAuth } from '../sources/hep-auth.ts';
import { HepRefusals } from '../sources/hep-refusals.ts';
import type { Carrier } from '../store/fingerprint.ts';
import type { SipIngest } from './sip-ingest.ts';

const HEP_ORIGIN = 1;
const TYPE_SIP = 1;
const PROTO_TCP = 6;
/** Kamailio's number for TLS sockets. */
const PROTO_TLS = 22;

export class HepIngest {
  readonly #sip: SipIngest;
  readonly #auth: HepAuth | null;
  readonly refusals = new HepRefusals();
  readonly #addresses = new Uint8Array(32);
  readonly #carrier: Carrier;
  packets = 0;
  /** Payloads of a type that is not analysed: logs, CDRs, RTCP as JSON. */
  otherTypes = 0;

  /** `auth` is the key that --hep-auth asks for; null accepts all. */
  constructor(sip: SipIngest, auth: HepAuth | null = null) {
    this.#sip = sip;
    this.#auth = auth;
    this.#carrier = {
      tsUs: 0,
      arrivedUs: 0,
      origin: HEP_ORIGIN,
      transport: 0,
      ipVersion: 4,
      ipId: 0,
      addresses: this.#addresses,
      srcOff: 0,
      dstOff: 16,
      srcPort: 0,
      dstPort: 0,
      frame: -1,
      digestHigh: 0,
      digestLow: 0,
      frameStart: 0,
      frameLength: 0,
      source: 0,
      isSnapped: false,
      place: null,
    };
  }

  /** Packets that were no HEP, malformed, or without the key. */
  get rejected(): number {
    return this.refusals.total;
  }

  /** One datagram; `outer` is the packet that carried it: its frame, and its time where the sender gives none. */
  onDatagram(buf: Buffer, start: number, end: number, outer: Carrier): void {
    const parsed = parseHep(buf, start, end);
    if (!parsed.ok) {
      this.refusals.count(parsed.reason, outer.addresses, outer.srcOff, outer.ipVersion);
      return;
    }
    const p = parsed.value;
    if (this.#auth !== null && !this.#auth.accepts(p.authKey)) {
      this.refusals.count('auth_failed', outer.addresses, outer.srcOff, outer.ipVersion);
      return;
    }
    this.packets++;
    if (p.protocolType !== TYPE_SIP && p.protocolType !== -1) {
      this.otherTypes++;
      return;
    }
    if (p.end <= p.start) return;
    const c = this.#carrier;
    this.#addresses.set(p.src, 0);
    this.#addresses.set(p.dst, 16);
    c.tsUs = p.tsUs ?? outer.tsUs;
    c.arrivedUs = outer.tsUs;
    c.transport = p.proto === PROTO_TCP ? TRANSPORT.TCP : p.proto === PROTO_TLS ? TRANSPORT.TLS : TRANSPORT.UDP;
    c.ipVersion = p.ipVersion === 6 ? 6 : 4;
    c.srcPort = p.srcPort;
    c.dstPort = p.dstPort;
    c.frame = outer.frame;
    c.digestHigh = outer.digestHigh;
    c.digestLow = outer.digestLow;
    c.source = outer.source;
    this.#sip.onBytes(asBuffer(p.bytes), p.start, p.end, c);
  }
}
