/**
 * What makes two captured messages the same message: two keyed 32-bit halves.
 *
 * RFC 3261 section 17.2.3 matches a transaction by the top Via branch; a retransmission has the same
 * direction, the same start line kind, CSeq and branch (and To tag in a response). The first half is the message
 * alone, so that a mirror may tell other addresses than the wire has; the second knows the direction too.
 */
import { HashInput, hashRange } from '../../core/hash.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { HepClock } from '../dialogs/hep-clock.ts';

/** Where the payload buf[start..end) lies in a capture file that can be read again, and the check of its bytes. */
export type FilePlace = { file: number; at: number; start: number; end: number; check: number };

/** Facts of the packet that carried a message. */
export type Carrier = {
  tsUs: number;
  /** When it came in, on the clock of this host; a mirror's own time may differ. */
  arrivedUs: number;
  /** Mirrored, and its sender told a time: by this clock, and what it told. */
  clock: HepClock | null;
  toldUs: number;
  origin: number;
  transport: number;
  ipVersion: number;
  ipId: number;
  addresses: Uint8Array;
  srcOff: number;
  dstOff: number;
  srcPort: number;
  dstPort: number;
  frame: number;
  digestHigh: number;
  digestLow: number;
  /** The whole frame lies in the message's buffer: its place and length; 0 long when the digest was taken already. */
  frameStart: number;
  frameLength: number;
  source: number;
  isSnapped: boolean;
  /** The addresses are likely, not proven. */
  isWeak: boolean;
  /** Null when only these bytes are to be had. */
  place: FilePlace | null;
};

/**
 * A carrier of IPv4 by UDP without a frame, its addresses at 0 and 16 of `addresses`: for what fills it packet by packet,
 * and for messages that no frame of ours brought.
 */
export function emptyCarrier(addresses: Uint8Array): Carrier {
  return {
    tsUs: 0,
    arrivedUs: 0,
    clock: null,
    toldUs: Number.NaN,
    origin: 0,
    transport: 0,
    ipVersion: 4,
    ipId: 0,
    addresses,
    srcOff: 0,
    dstOff: 16,
    srcPort: 0,
    dstPort: 0,
    frame: -1,
    digestHigh: 0,
    digestLow: 0,
    frameStart: 0,
    frameLength: 0,
    source: 0,
    isSnapped: false,
    isWeak: false,
    place: null,
  };
}

/** The last fingerprint taken: `a` is the message, `b` the message and its direction. */
export const fingerprint = { a: 0, b: 0 };

/** The message's own words; then those of its direction, behind the hash of the first. */
const MESSAGE = new HashInput(6);
const DIRECTED = new HashInput(10);

/** Fingerprint of a message and its direction, left in `fingerprint`. */
export function takeFingerprint(buf: Uint8Array, scan: SipScan, toTagHash: number, c: Carrier): void {
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
