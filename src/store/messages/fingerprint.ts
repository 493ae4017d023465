/**
 * What makes two captured messages the same message: two keyed 32-bit halves.
 *
 * RFC 3261 section 17.2.3 matches a transaction by the top Via branch; a retransmission has the same
 * direction, the same start line kind, CSeq and branch (and To tag in a response). The first half is the message
 * alone, so that a mirror may tell other addresses than the wire has; the second knows the direction too.
 */
import { HashInput, hashRange } from '../../core/hash.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';

/** The last fingerprint taken: `a` is the message, `b` the message and its direction. */
export const fingerprint = { a: 0, b: 0 };

/** The message's own words; then those of its direction, after the hash of the first. */
const MESSAGE = new HashInput(6);
const DIRECTED = new HashInput(10);

/** Fingerprint of a message and its direction, left in `fingerprint`. */
export function takeFingerprint(buf: Uint8Array, scan: SipScan, toTagHash: number, c: Packet): void {
  const { words } = MESSAGE;
  const hasName = scan.isRequest && scan.method === 0;
  words[0] = scan.isRequest ? 1000 + scan.method : scan.status;
  words[1] = hasName ? hashRange(buf, scan.methodStart, scan.methodEnd) : 0;
  words[2] = scan.cseq;
  words[3] = scan.cseqMethod;
  words[4] = scan.isRequest ? 0 : toTagHash;
  words[5] =
    scan.branchStart >= 0
      ? hashRange(buf, scan.branchStart, scan.branchEnd)
      : hashRange(buf, scan.viaStart, scan.viaEnd);
  fingerprint.a = MESSAGE.hash(6);
  // Not the transport: mirrors name it differently than the wire (Kamailio says 22 for TLS).
  const to = DIRECTED.setAddress(0, c.addresses, c.srcOff, c.ipVersion);
  const at = DIRECTED.setAddress(to, c.addresses, c.dstOff, c.ipVersion);
  DIRECTED.words[at] = (c.srcPort << 16) | c.dstPort;
  DIRECTED.words[at + 1] = fingerprint.a;
  fingerprint.b = DIRECTED.hash(at + 2);
}
