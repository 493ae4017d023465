/**
 * What counts as SIP that does not parse: a mandatory header (RFC 3261 section 8.1.1) that is missing, doubled or no such
 * header, a line that is no header line (section 7.3), or a body that does not hold to its length or its type.
 *
 * Bytes behind the body of a datagram do not count: a receiver discards them (section 18.3), and honest stacks send some.
 */
import { NOTE } from '../protocols/sip/notes.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';

const BROKEN =
  NOTE.noCallId |
  NOTE.noCseq |
  NOTE.noFrom |
  NOTE.noTo |
  NOTE.noVia |
  NOTE.duplicateSingletons |
  NOTE.badHeaderLine |
  NOTE.badCseq |
  NOTE.cseqMismatch |
  NOTE.badContentLength |
  NOTE.truncatedHeaders |
  NOTE.bodyShort |
  NOTE.badStartLine |
  NOTE.badVersion;

const COLON = 58;
const SLASH = 47;
const SDP = /^application\/sdp\b/i;
const SDP_TYPE_BYTES = 16;

/** Whether a request that was read breaks what every request has to be (RFC 3261 sections 7.3, 8.1.1 and 20.15). */
export function isBroken(buf: Buffer, scan: SipScan): boolean {
  return (
    (scan.notes & BROKEN) !== 0 ||
    !holdsByte(buf, scan.viaStart, scan.viaEnd, SLASH) ||
    !holdsByte(buf, scan.fromStart, scan.fromEnd, COLON) ||
    !holdsByte(buf, scan.toStart, scan.toEnd, COLON) ||
    isBodyBroken(buf, scan)
  );
}

/** The same of an ACK, which nobody answers. Devices are known that name the INVITE in its CSeq. */
export function isAckBroken(buf: Buffer, scan: SipScan): boolean {
  return (scan.notes & BROKEN) !== NOTE.cseqMismatch && isBroken(buf, scan);
}

/** Via names a protocol with slashes, From and To a URI with a scheme. */
function holdsByte(buf: Buffer, start: number, end: number, byte: number): boolean {
  for (let p = start; p >= 0 && p < end; p++) if (buf[p] === byte) return true;
  return false;
}

/** A body has a type, and a session description begins with its version (RFC 8866 section 5.1). */
function isBodyBroken(buf: Buffer, scan: SipScan): boolean {
  const { bodyStart, bodyEnd, contentTypeStart, contentTypeEnd } = scan;
  if (bodyStart < 0 || bodyEnd <= bodyStart) return false;
  if (contentTypeStart < 0 || contentTypeEnd <= contentTypeStart) return true;
  const type = buf.toString('latin1', contentTypeStart, Math.min(contentTypeEnd, contentTypeStart + SDP_TYPE_BYTES));
  return SDP.test(type) && buf.toString('latin1', bodyStart, Math.min(bodyEnd, bodyStart + 2)) !== 'v=';
}
