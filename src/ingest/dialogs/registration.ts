/**
 * What a REGISTER or SUBSCRIBE asked for and was granted, in seconds (RFC 3261 section 10, RFC 6665 section 4.2.1.1).
 */
import * as METHOD from '../../core/methods.ts';
import { askedBinding, grantedSec } from '../../protocols/sip/binding.ts';
import { expiresOf } from '../../protocols/sip/name-addr.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';

/** Notes what a REGISTER or SUBSCRIBE request asks; a removal is remembered by its CSeq. */
export function noteRequest(d: Dialog, buf: Uint8Array, scan: SipScan): void {
  let asked = scan.expires;
  if (scan.method === METHOD.REGISTER) {
    const binding = askedBinding(buf, scan);
    if (binding === null) return;
    asked = binding.sec;
    if (binding.contact !== 0) d.ownContact = binding.contact;
  }
  d.requestedExpirySec = asked;
  d.removalCseq = asked === 0 ? scan.cseq : -1;
}

/** Seconds a NOTIFY says the subscription lasts yet (RFC 6665 section 4.1.3), -1 when it does not. */
export function notifiedExpiry(buf: Uint8Array, scan: SipScan): number {
  return expiresOf(decodeText(buf, scan.subscriptionStateStart, scan.subscriptionStateEnd));
}

/** Seconds granted by a 2xx at buf[start..end), -1 when it grants none: a removal, or another method's 2xx. */
export function grantedExpiry(d: Dialog, buf: Uint8Array, start: number, end: number, scan: SipScan): number {
  if (scan.cseqMethod === METHOD.SUBSCRIBE) return scan.expires >= 0 ? scan.expires : d.requestedExpirySec;
  if (scan.cseqMethod !== METHOD.REGISTER || scan.cseq === d.removalCseq) return -1;
  return grantedSec({ sec: d.requestedExpirySec, contact: d.ownContact }, buf, start, end, scan);
}
