/** What a HEP packet and the message in it say of themselves: read before its turn, kept until then; reusable. */
import type { HepFailure } from '../decode/hep-packet.ts';
import { HepScan, scanHep } from '../decode/hep-scan.ts';
import { SipScan, scanSip } from '../sip/scan.ts';

const HEP_SIP = 1;
const HEP_UNTOLD = -1;

export class ScannedHep {
  readonly scan = new HepScan();
  /** Why the packet cannot be read, or null. */
  refused: HepFailure | null = null;
  /** Its payload where isSip(); else it says nothing. */
  readonly sip: SipScan;

  /** `sip` is told where the scanner writes what it finds by itself. */
  constructor(sip: SipScan = new SipScan()) {
    this.sip = sip;
  }

  read(buf: Uint8Array, start: number, end: number): void {
    this.readPacket(buf, start, end);
    const { scan } = this;
    if (this.isSip()) scanSip(scan.bytes, scan.start, scan.end, this.sip);
  }

  /** All but the message in it. */
  readPacket(buf: Uint8Array, start: number, end: number): void {
    this.refused = scanHep(buf, start, end, this.scan);
  }

  /** The packet can be read, has a payload, and does not say that it is something else than SIP. */
  isSip(): boolean {
    const { protocolType, start, end } = this.scan;
    return this.refused === null && end > start && (protocolType === HEP_SIP || protocolType === HEP_UNTOLD);
  }
}
