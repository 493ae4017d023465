/**
 * Whom a request asks for, and who asks, as the detection needs it (RFC 3261 sections 10.2, 19.1, 20.10).
 *
 * The bytes decide, not their text: what is shown is cut, what is compared is not.
 */

import { TextRange } from '../core/byte-text.ts';
import { hashRange } from '../core/hash.ts';
import * as METHOD from '../core/methods.ts';
import { locateUri } from '../protocols/sip/address.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { decodeText } from '../protocols/sip/text.ts';

/** Bytes of a user that are kept as text. @cap */
const MAX_TARGET_USER = 128;

/** Digits of a number that are the same whatever is dialled in front of them. */
const TAIL = 9;

const AT = 64;
const COLON = 58;

/** Where a user stands in the message; the last that was looked for. A URI without a user gives its host. */
const found = { start: -1, end: -1 };
const uri = new TextRange();

/** Finds the user of the URI at `start`..`end`: up to the last @ of it, parameters and password included. */
function findUser(buf: Uint8Array, start: number, end: number): void {
  let colon = start;
  while (colon < end && buf[colon] !== COLON) colon++;
  const first = colon < end ? colon + 1 : start;
  let at = end - 1;
  while (at >= first && buf[at] !== AT) at--;
  found.start = first;
  found.end = at >= first ? at : end;
}

/** The same for a From or To value: a display name in quotes may hold anything, a URI too. */
function findAddressUser(buf: Uint8Array, start: number, end: number): void {
  locateUri(buf, start, end, uri);
  findUser(buf, uri.start, uri.end);
}

/** Who a request is for; reusable. */
export class RequestTarget {
  /** Keyed hash of the user that a request is for, as sent. */
  target = 0;
  /** The same of the user in From. */
  caller = 0;
  /** At most 128 bytes of the user, as sent. */
  user = '';

  /** The To of a REGISTER, else the Request-URI. */
  read(buf: Uint8Array, scan: SipScan): void {
    const isRegister = scan.method === METHOD.REGISTER;
    const start = isRegister ? scan.toStart : scan.uriStart;
    this.target = 0;
    this.user = '';
    this.caller = 0;
    if (start >= 0) {
      if (isRegister) findAddressUser(buf, start, scan.toEnd);
      else findUser(buf, start, scan.uriEnd);
      this.target = hashRange(buf, found.start, found.end);
      this.user = decodeText(buf, found.start, Math.min(found.end, found.start + MAX_TARGET_USER));
    }
    if (scan.fromStart < 0) return;
    findAddressUser(buf, scan.fromStart, scan.fromEnd);
    this.caller = hashRange(buf, found.start, found.end);
  }
}

/** The user of From, at most `max` bytes of it, as sent. */
export function callerOf(buf: Uint8Array, scan: SipScan, max: number): string {
  if (scan.fromStart < 0) return '';
  findAddressUser(buf, scan.fromStart, scan.fromEnd);
  return decodeText(buf, found.start, Math.min(found.end, found.start + max));
}

/** A dialled number split into what is tried in front of it and its last nine digits; null when it is no long number. */
export function dialledParts(user: string): { readonly prefix: string; readonly tail: string } | null {
  const digits = /^[+*#]{0,4}[0-9*#]{7,32}$/.test(user) ? user : null;
  if (digits === null) return null;
  const cut = digits.length - TAIL;
  return cut < 0 ? null : { prefix: digits.slice(0, cut), tail: digits.slice(cut) };
}

/** Whether a challenge says that only the nonce was old (RFC 7616 section 3.3, `stale`). */
export function hasStaleNonce(buf: Buffer, scan: SipScan): boolean {
  const end = scan.bodyStart >= 0 ? scan.bodyStart : scan.messageEnd;
  if (scan.headersStart < 0 || end <= scan.headersStart) return false;
  return /\bstale\s*=\s*"?true/i.test(
    buf.toString('latin1', scan.headersStart, Math.min(end, scan.headersStart + 8192)),
  );
}

/** Whether From carries the name that SIPVicious puts there (`"sipvicious"<sip:100@1.1.1.1>`). */
export function hasToolInFrom(buf: Buffer, scan: SipScan): boolean {
  if (scan.fromStart < 0) return false;
  return /^"?sipvicious\b/i.test(buf.toString('latin1', scan.fromStart, Math.min(scan.fromEnd, scan.fromStart + 16)));
}
