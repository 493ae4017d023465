/**
 * What a REGISTER or SUBSCRIBE asked for and was granted, in seconds.
 *
 * RFC 3261 section 10.2.1.1 (the expires parameter goes before the Expires header), 10.2.2 (removal),
 * 10.2.4 and
 * 10.3 step 8 (what was granted stands in the 2xx, beside the bindings of other devices); RFC 6665 section 4.2.1.1.
 */
import { hashBytes } from '../../core/hash.ts';
import * as METHOD from '../../core/methods.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { parseSip } from '../../protocols/sip/message.ts';
import { expiresOf, parseNameAddr } from '../../protocols/sip/name-addr.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';

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
      const longest = longestOf(contacts(buf, scan.messageStart, end, scan), scan.expires);
      if (longest !== null) {
        asked = longest.sec;
        d.ownContact = longest.key;
      }
    }
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
  const fallback = scan.expires >= 0 ? scan.expires : d.requestedExpirySec;
  if (scan.contactCount === 0) return fallback >= 0 ? fallback : DEFAULT_REGISTER_SEC;
  const all = contacts(buf, start, end, scan);
  const own = all.filter((c) => c.key === d.ownContact);
  // A registrar that writes other contacts than were sent, for a device behind a NAT, leaves only a guess.
  const granted = longestOf(own.length > 0 ? own : all, fallback)?.sec ?? -1;
  return granted >= 0 ? granted : DEFAULT_REGISTER_SEC;
}

/** One contact: hash of what tells it from others, and its expires parameter, -1 where it is missing. */
type Contact = { readonly key: number; readonly sec: number };

function longestOf(list: readonly Contact[], fallbackSec: number): Contact | null {
  let longest: Contact | null = null;
  for (const { key, sec } of list) {
    const own = sec >= 0 ? sec : fallbackSec;
    if (longest === null || own > longest.sec) longest = { key, sec: own };
  }
  return longest;
}

function contacts(buf: Uint8Array, start: number, end: number, scan: SipScan): Contact[] {
  if (scan.contactCount === 1) return [contactOf(decodeText(buf, scan.contactStart, scan.contactEnd))];
  const parsed = parseSip(buf, start, end);
  return parsed.ok ? parsed.value.values(HEADER.CONTACT).map(contactOf) : [];
}

function contactOf(text: string): Contact {
  const address = parseNameAddr(text);
  return { key: contactKey(address.ok ? address.value.uriText : text), sec: expiresOf(text) };
}

/**
 * Hash of scheme, user, host and port: registrars add parameters and leave some out. Scheme and host are
 * case-insensitive, the user is not (RFC 3261 section 19.1.4).
 */
function contactKey(uri: string): number {
  const at = uri.indexOf('@');
  const colon = uri.indexOf(':') + 1;
  const host = /^[^;?]*/.exec(uri.slice(Math.max(at + 1, colon)))?.[0] ?? '';
  const bytes = Buffer.from(
    `${uri.slice(0, colon)}${host}`.toLowerCase() + uri.slice(colon, Math.max(at, colon)),
    'latin1',
  );
  return hashBytes(bytes, 0, bytes.length) || 1;
}
