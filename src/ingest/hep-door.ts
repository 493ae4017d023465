/**
 * Decides whether a HEP packet goes further after its chunks were found. It checks the key first, and only then does what
 * costs something.
 */
import { HepInflater } from '../decode/hep/inflate.ts';
import type { HepPacket } from '../decode/hep/packet.ts';
import type { HepAuth } from '../sources/hep/auth.ts';
import type { HepRefusal } from '../sources/hep/refusals.ts';
import type { Packet } from '../sources/packet.ts';

const TYPE_SIP = 1;
const TYPE_RTCP = 5;
const TYPE_UNTOLD = -1;
/** Quality of RTP: of an agent as JSON, of a phone as text, of a session border controller as JSON. */
const REPORT_TYPES: ReadonlySet<number> = new Set([34, 35, 38]);

/** Who sent a packet, as in a record, and when it came. */
export type HepSender = Readonly<Pick<Packet, 'addresses' | 'srcOff' | 'ipVersion' | 'tsUs'>>;

export class HepDoor {
  readonly inflater = new HepInflater();
  readonly #auth: HepAuth | null;

  /** The key that --hep-auth asks for; null lets all in. */
  constructor(auth: HepAuth | null) {
    this.#auth = auth;
  }

  /** Why it goes no further, or null; its payload is inflated then, if it is of a type that is read. */
  refusal(scan: HepPacket, sender: HepSender): HepRefusal | null {
    if (this.#auth?.accepts(scan.authKey) === false) return 'auth_failed';
    return scan.isCompressed && isRead(scan.protocolType)
      ? this.inflater.inflate(scan, sender.addresses, sender.srcOff, sender.ipVersion, sender.tsUs)
      : null;
  }
}

/** SIP, RTCP and reports of quality are read; logs and call records are counted only. */
export function isRead(protocolType: number): boolean {
  return protocolType === TYPE_RTCP || mayBeSip(protocolType) || isReport(protocolType);
}

export function isReport(protocolType: number): boolean {
  return REPORT_TYPES.has(protocolType);
}

/** It says that it is SIP, or nothing. */
export function mayBeSip(protocolType: number): boolean {
  return protocolType === TYPE_SIP || protocolType === TYPE_UNTOLD;
}
