/**
 * What makes two captured messages the same message: two keyed 32-bit halves.
 *
 * RFC 3261 section 17.2.3 matches a transaction by the top Via branch; a retransmission has the same
 * direction, the same start line kind, CSeq and branch (and To tag in a response). The first half is the message
 * alone, so that a mirror may tell other addresses than the wire has; the second knows the direction too. The keys
 * are random a process, so that a sender cannot aim at collisions.
 */
import { randomInt } from 'node:crypto';
import { wordsOf } from '../core/byte-search.ts';
import type { SipScan } from '../sip/scan.ts';

const KEY_A = randomInt(0x7fffffff) | 1;
const KEY_B = randomInt(0x7fffffff) | 1;

/** Keyed hash of a byte range, as a signed 32-bit number; 0 for an absent range (start < 0). */
export function hashRange(buf: Uint8Array, start: number, end: number): number {
  if (start < 0) return 0;
  const words = wordsOf(buf);
  let h = KEY_A ^ (end - start);
  let i = start;
  for (; i + 4 <= end; i += 4) {
    h = Math.imul(h ^ words.getInt32(i, true), 0x9e3779b1);
    h ^= h >>> 15;
  }
  for (; i < end; i++) h = Math.imul(h ^ (buf[i] ?? 0), 0x01000193);
  h = Math.imul(h ^ (h >>> 13), 0x85ebca6b);
  h ^= h >>> 16;
  return h === 0 ? 1 : h;
}

/** Where the payload buf[start..end) lies in a capture file that can be read again, and the check of its bytes. */
export type FilePlace = { file: number; at: number; start: number; end: number; check: number };

/** Facts of the packet that carried a message. */
export type Carrier = {
  tsUs: number;
  /** When it came in, on the clock of this host; a mirror's own time may differ. */
  arrivedUs: number;
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
    place: null,
  };
}

/** The last fingerprint taken: `a` is the message, `b` the message and its direction. */
export const fingerprint = { a: 0, b: 0 };

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** Every bit of the word counts in the low ones. */
function mixed(word: number): number {
  const h = Math.imul(word, 0x9e3779b1);
  return h ^ (h >>> 15);
}

/** Fingerprint of a message and its direction, left in `fingerprint`. */
export function takeFingerprint(buf: Uint8Array, scan: SipScan, toTagHash: number, c: Carrier): void {
  const branch =
    scan.branchStart >= 0
      ? hashRange(buf, scan.branchStart, scan.branchEnd)
      : hashRange(buf, scan.viaStart, scan.viaEnd);
  let a = KEY_B ^ Math.imul(scan.isRequest ? 1000 + scan.method : scan.status, 0x9e3779b1);
  if (scan.isRequest && scan.method === 0)
    a = Math.imul(a ^ hashRange(buf, scan.methodStart, scan.methodEnd), 0x85ebca6b);
  a = Math.imul(a ^ scan.cseq, 0x85ebca6b);
  a = Math.imul(a ^ (scan.cseqMethod + 77), 0xc2b2ae35);
  if (!scan.isRequest) a = Math.imul(a ^ toTagHash, 0x27d4eb2f);
  a = Math.imul(a ^ (a >>> 16) ^ branch, 0x9e3779b1);
  const n = c.ipVersion === 6 ? 16 : 4;
  // Not the transport: mirrors name it differently than the wire (Kamailio says 22 for TLS).
  let way = KEY_B;
  for (let i = 0; i < n; i += 4) {
    way = mixed(way ^ wordAt(c.addresses, c.srcOff + i));
    way = mixed(way ^ wordAt(c.addresses, c.dstOff + i));
  }
  way = Math.imul(way ^ c.srcPort, 0x85ebca6b);
  way = Math.imul(way ^ c.dstPort, 0xc2b2ae35);
  const b = Math.imul(branch ^ (a >>> 7) ^ way, 0x85ebca6b);
  fingerprint.a = a ^ (a >>> 13);
  fingerprint.b = b ^ (b >>> 15);
}
