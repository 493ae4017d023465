/** What a message, or the HEP packet around one, says of itself: read before its turn, kept until then; reusable. */
import { hashBytes } from '../core/half-sip-hash.ts';
import type { HepFailure } from '../decode/hep-packet.ts';
import { HepScan, scanHep } from '../decode/hep-scan.ts';
import type { ScanCode } from '../sip/scan.ts';
import { SCAN, SipScan, scanSip } from '../sip/scan.ts';

const HEP_SIP = 1;
const HEP_UNTOLD = -1;

export class ScannedSip {
  readonly scan = new SipScan();
  code: ScanCode = SCAN.EMPTY;
  /** hashBytes() of the Call-ID; 0 where there is none. */
  callIdHash = 0;

  read(buf: Uint8Array, start: number, end: number): void {
    const { scan } = this;
    const code = scanSip(buf, start, end, scan);
    const hasCallId = code === SCAN.OK && scan.callIdStart >= 0;
    this.code = code;
    this.callIdHash = hasCallId ? hashBytes(buf, scan.callIdStart, scan.callIdEnd) : 0;
  }
}

export class ScannedHep {
  readonly scan = new HepScan();
  /** Why the packet cannot be read, or null. */
  refused: HepFailure | null = null;
  /** Its payload where isSip(); else it says nothing. */
  readonly sip = new ScannedSip();

  read(buf: Uint8Array, start: number, end: number): void {
    const { scan } = this;
    this.refused = scanHep(buf, start, end, scan);
    if (this.isSip()) this.sip.read(scan.bytes, scan.start, scan.end);
  }

  /** The packet can be read, has a payload, and does not say that it is something else than SIP. */
  isSip(): boolean {
    const { protocolType, start, end } = this.scan;
    return this.refused === null && end > start && (protocolType === HEP_SIP || protocolType === HEP_UNTOLD);
  }
}
