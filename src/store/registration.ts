/**
 * What a REGISTER or SUBSCRIBE asked for and was granted, in seconds.
 *
 * RFC 3261 section 10.2.1.1 (the expires parameter goes before the Expires header), 10.2.2 (removal),
 * 10.3 step 8 (what was granted stands in the 2xx); RFC 6665 section 4.2.1.1.
 */
import { contactExpires } from '../sip/address.ts';
import { HEADER } from '../sip/header-name.ts';
import { parseSip } from '../sip/message.ts';
import { METHOD } from '../sip/method.ts';
import { parseNameAddr } from '../sip/name-addr.ts';
import { paramValue } from '../sip/params.ts';
import type { SipScan } from '../sip/scan.ts';
import type { Dialog } from './dialog.ts';

/** RFC 3261 10.3: what a registrar may assume when neither side names a time. */
const DEFAULT_REGISTER_SEC = 3600;

function isWildcard(buf: Uint8Array, scan: SipScan): boolean {
  return scan.contactStart >= 0 && scan.contactEnd - scan.contactStart === 1 && buf[scan.contactStart] === 0x2a;
}

/** Notes what a REGISTER or SUBSCRIBE request asks; a removal is remembered by its CSeq. */
export function noteRequest(d: Dialog, buf: Uint8Array, scan: SipScan): void {
  let asked = scan.expires;
  if (scan.method === METHOD.REGISTER) {
    // Without a Contact it only asks what is registered.
    if (scan.contactStart < 0) return;
    if (isWildcard(buf, scan)) asked = 0;
    else {
      // Of several contacts one may go while another stays: the longest decides.
      const end = Math.max(scan.messageEnd, scan.startLineEnd);
      const times = contactTimes(buf, scan.messageStart, end, scan);
      if (times.length > 0) asked = Math.max(...times.map((own) => (own >= 0 ? own : scan.expires)));
    }
  }
  d.requestedExpirySec = asked;
  d.removalCseq = asked === 0 ? scan.cseq : -1;
}

/** Seconds a NOTIFY says the subscription lasts yet (RFC 6665 section 4.1.3), -1 when it does not. */
export function notifiedExpiry(buf: Uint8Array, scan: SipScan): number {
  return contactExpires(buf, scan.subscriptionStateStart, scan.subscriptionStateEnd);
}

/** Seconds granted by a 2xx at buf[start..end), -1 when it grants none: a removal, or another method's 2xx. */
export function grantedExpiry(d: Dialog, buf: Uint8Array, start: number, end: number, scan: SipScan): number {
  if (scan.cseqMethod === METHOD.SUBSCRIBE) return scan.expires >= 0 ? scan.expires : d.requestedExpirySec;
  if (scan.cseqMethod !== METHOD.REGISTER || scan.cseq === d.removalCseq) return -1;
  const fallback = scan.expires >= 0 ? scan.expires : d.requestedExpirySec;
  if (scan.contactCount === 0) return fallback >= 0 ? fallback : DEFAULT_REGISTER_SEC;
  let granted = -1;
  for (const expires of contactTimes(buf, start, end, scan))
    granted = Math.max(granted, expires >= 0 ? expires : fallback);
  return granted >= 0 ? granted : DEFAULT_REGISTER_SEC;
}

/** The expires parameter of each Contact, -1 where there is none. */
function contactTimes(buf: Uint8Array, start: number, end: number, scan: SipScan): number[] {
  if (scan.contactCount === 1) return [contactExpires(buf, scan.contactStart, scan.contactEnd)];
  const parsed = parseSip(buf, start, end);
  if (!parsed.ok) return [];
  return parsed.value.values(HEADER.CONTACT).map((text) => {
    const contact = parseNameAddr(text);
    const own = contact.ok ? paramValue(contact.value.params, 'expires') : null;
    return typeof own === 'string' && /^[0-9]{1,10}$/.test(own) ? Number(own) : -1;
  });
}
