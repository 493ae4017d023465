/** What a HEP packet and the message in it say of themselves: read before its turn, kept until then; reusable. */
import { readHep } from '../decode/hep/hep.ts';
import { HepPacket } from '../decode/hep/packet.ts';
import { NO_SCAN, type SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import type { HepRefusal } from '../sources/hep/refusals.ts';
import { type HepDoor, type HepSender, mayBeSip } from './hep-door.ts';

export class ScannedHep {
  readonly scan = new HepPacket();
  /** Why the packet goes no further, or null. */
  refused: HepRefusal | null = null;
  /** Its payload where isSip(); else it says nothing. */
  sip: SipScan;
  readonly #door: HepDoor;

  /** `sip` gets the place where the scanner writes what it finds by itself. */
  constructor(door: HepDoor, sip: SipScan = NO_SCAN) {
    this.#door = door;
    this.sip = sip;
  }

  read(buf: Uint8Array, start: number, end: number, sender: HepSender): void {
    this.readPacket(buf, start, end, sender);
    const { scan } = this;
    if (this.isSip()) this.sip = scanSip(scan.bytes, scan.start, scan.end);
  }

  /** All but the message in it. */
  readPacket(buf: Uint8Array, start: number, end: number, sender: HepSender): void {
    this.refused = readHep(buf, start, end, this.scan, sender.tsUs) ?? this.#door.refusal(this.scan, sender);
  }

  /** The packet can be read, has a payload, and does not say that it is something else than SIP. */
  isSip(): boolean {
    const { protocolType, start, end } = this.scan;
    return this.refused === null && end > start && mayBeSip(protocolType);
  }
}
