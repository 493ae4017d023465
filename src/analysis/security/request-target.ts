/**
 * Whom a request asks for, as the detection of scanners needs it (RFC 3261 sections 10.2, 19.1, 22).
 */
import { METHOD } from '../../sip/method.ts';
import type { SipScan } from '../../sip/scan.ts';
import { decodeText } from '../../sip/text.ts';

const MAX_USER = 128;
const MIN_TAIL = 7;

/**
 * The user that a request is for: the To of a REGISTER, else that of the Request-URI; at most 128 characters, as sent.
 * A URI without a user gives its host.
 */
export function requestUser(buf: Uint8Array, scan: SipScan): string {
  const isRegister = scan.method === METHOD.REGISTER;
  const start = isRegister ? scan.toStart : scan.uriStart;
  const end = isRegister ? scan.toEnd : scan.uriEnd;
  if (start < 0) return '';
  const text = decodeText(buf, start, Math.min(end, start + 2 * MAX_USER));
  const uri = /(?:sips?|tel):([^>\s]*)/i.exec(text)?.[1] ?? text;
  const at = uri.indexOf('@');
  return (at >= 0 ? uri.slice(0, at) : uri).slice(0, MAX_USER);
}

/** A dialled number split into what is tried in front of it and its last digits; null when it is no long number. */
export function dialledParts(user: string): { readonly prefix: string; readonly tail: string } | null {
  const digits = /^[+*#]*[0-9*#]{7,}$/.test(user) ? user : null;
  if (digits === null) return null;
  const cut = digits.length - Math.max(MIN_TAIL, 9);
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
