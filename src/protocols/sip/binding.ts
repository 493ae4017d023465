/**
 * How long a REGISTER wants a contact bound, and how long its 2xx binds it, in seconds.
 *
 * RFC 3261 section 10.2.1.1 (the expires parameter goes before the Expires header), 10.2.2 (removal), 10.2.4 and
 * 10.3 step 8 (what was granted stands in the 2xx, beside the bindings of other devices).
 */
import { hashBytes } from '../../core/hash.ts';
import { HEADER } from './header-name.ts';
import { parseSip } from './message.ts';
import { expiresOf, parseNameAddr } from './name-addr.ts';
import type { SipScan } from './scanner/scan.ts';
import { decodeText } from './text.ts';

/** RFC 3261 10.3: what a registrar may assume when neither side names a time. */
const DEFAULT_REGISTER_SEC = 3600;

/** What a REGISTER asks: the time, -1 where it names none, and the hash of the contact, 0 for all of them. */
export type AskedBinding = { readonly sec: number; readonly contact: number };

/** Null for one without a Contact: it only asks what is registered. */
export function askedBinding(buf: Uint8Array, scan: SipScan): AskedBinding | null {
  if (scan.contactStart < 0) return null;
  if (isWildcard(buf, scan)) return { sec: 0, contact: 0 };
  // Of several contacts one may go while another stays: the longest decides.
  const end = Math.max(scan.messageEnd, scan.startLineEnd);
  const longest = longestOf(contacts(buf, scan.messageStart, end, scan), scan.expires);
  return longest ?? { sec: scan.expires, contact: 0 };
}

/** What the 2xx at buf[start..end) grants. */
export function grantedSec(asked: AskedBinding, buf: Uint8Array, start: number, end: number, scan: SipScan): number {
  const fallback = scan.expires >= 0 ? scan.expires : asked.sec;
  if (scan.contactCount === 0) return fallback >= 0 ? fallback : DEFAULT_REGISTER_SEC;
  const all = contacts(buf, start, end, scan);
  const own = all.filter((c) => c.contact === asked.contact);
  // A registrar that writes other contacts than were sent, for a device behind a NAT, leaves only a guess.
  const granted = longestOf(own.length > 0 ? own : all, fallback)?.sec ?? -1;
  return granted >= 0 ? granted : DEFAULT_REGISTER_SEC;
}

function isWildcard(buf: Uint8Array, scan: SipScan): boolean {
  return scan.contactEnd - scan.contactStart === 1 && buf[scan.contactStart] === 0x2a;
}

function longestOf(list: readonly AskedBinding[], fallbackSec: number): AskedBinding | null {
  let longest: AskedBinding | null = null;
  for (const { contact, sec } of list) {
    const own = sec >= 0 ? sec : fallbackSec;
    if (longest === null || own > longest.sec) longest = { contact, sec: own };
  }
  return longest;
}

/** Each with its expires parameter, -1 where it is missing. */
function contacts(buf: Uint8Array, start: number, end: number, scan: SipScan): AskedBinding[] {
  if (scan.contactCount === 1) return [contactOf(decodeText(buf, scan.contactStart, scan.contactEnd))];
  const parsed = parseSip(buf, start, end);
  return parsed.ok ? parsed.value.values(HEADER.CONTACT).map(contactOf) : [];
}

function contactOf(text: string): AskedBinding {
  const address = parseNameAddr(text);
  return { contact: contactKey(address.ok ? address.value.uriText : text), sec: expiresOf(text) };
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
