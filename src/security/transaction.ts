/**
 * Which transaction a message belongs to on its hop, as keyed hashes (RFC 3261 sections 8.2.2.2, 17.1.3, 17.2.3).
 *
 * A sender chooses every part of a message, and may hold equal or vary each of them. So a request is the same as another
 * one only where all parts are equal, as in a retransmission. A response repeats the branch with sent-by, and beside that
 * Call-ID, From tag and CSeq; a server that changes one half is still understood by the other.
 */

import { HashInput, hashRange } from '../core/hash.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import type { Packet } from '../sources/packet.ts';

const INVITE_WORD = Buffer.from('INVITE');
const SEMICOLON = 59;

const byBranch = new HashInput(12);
const byMessage = new HashInput(12);
const whole = new HashInput(8);
const passed = new HashInput(8);
const attempted = new HashInput(7);
const place = new HashInput(5);
const dialog = new HashInput(3);

/** Four words for an address of either kind. */
function putAddress(into: HashInput, at: number, addresses: Uint8Array, off: number, ipVersion: number): void {
  into.words.fill(0, at, at + 4);
  into.setAddress(at, addresses, off, ipVersion);
}

/** Keys of one message; reusable. Of a response they are those of the request that it answers. */
export class TransactionKeys {
  /** Asker and asked, branch and sent-by, method. */
  branch = 0;
  /** Asker and asked, Call-ID, From tag, CSeq. */
  message = 0;
  /** Both. Exact as a double. */
  exact = 0;
  /** The branch of an INVITE that a CANCEL takes back. */
  canceled = 0;

  read(buf: Buffer, scan: SipScan, c: Packet): void {
    const [asker, asked] = scan.isRequest ? [c.srcOff, c.dstOff] : [c.dstOff, c.srcOff];
    const method = hashRange(buf, scan.cseqMethodStart, scan.cseqMethodEnd);
    putAddress(byBranch, 0, c.addresses, asker, c.ipVersion);
    putAddress(byBranch, 4, c.addresses, asked, c.ipVersion);
    byBranch.words[8] = hashRange(buf, scan.branchStart, scan.branchEnd);
    byBranch.words[9] = hashRange(buf, scan.viaStart, sentByEnd(buf, scan));
    byBranch.words[10] = method;
    byBranch.words[11] = c.ipVersion;
    this.branch = byBranch.hash(12);
    byMessage.words.set(byBranch.words);
    byMessage.words[8] = hashRange(buf, scan.callIdStart, scan.callIdEnd);
    byMessage.words[9] = hashRange(buf, scan.fromTagStart, scan.fromTagEnd);
    byMessage.words[11] = scan.cseq;
    this.message = byMessage.hash(12);
    this.exact = (this.branch >>> 0) * 0x10_0000 + (this.message & 0xf_ffff);
    this.canceled = 0;
    if (method !== CANCEL_HASH) return;
    byBranch.words[10] = INVITE_HASH;
    this.canceled = byBranch.hash(12);
  }

  /** Key of the request itself: all of what says what it asks for and how. Exact as a double. Behind read(). */
  request(buf: Buffer, scan: SipScan, target: number, guess: number): number {
    const { words } = whole;
    words[0] = this.branch;
    words[1] = this.message;
    words[2] = target;
    words[3] = guess;
    words[4] = hashRange(buf, scan.methodStart, scan.methodEnd);
    words[5] = hashRange(buf, scan.uriStart, scan.uriEnd);
    words[6] = hashRange(buf, scan.fromStart, scan.fromEnd);
    words[7] = hashRange(buf, scan.toStart, scan.toEnd);
    return (whole.hash(8) >>> 0) * 0x10_0000 + (this.message & 0xf_ffff);
  }
}

const CANCEL_HASH = hashRange(Buffer.from('CANCEL'), 0, 6);
const INVITE_HASH = hashRange(INVITE_WORD, 0, INVITE_WORD.length);

/** What an attempt has in common with the one that answers its challenge (section 22.2). */
export function attemptKey(buf: Buffer, scan: SipScan, c: Packet, target: number): number {
  putAddress(attempted, 0, c.addresses, c.srcOff, c.ipVersion);
  attempted.words[4] = hashRange(buf, scan.callIdStart, scan.callIdEnd);
  attempted.words[5] = target;
  attempted.words[6] = hashRange(buf, scan.methodStart, scan.methodEnd);
  return attempted.hash(7);
}

/** Keyed hash of an address. */
export function addressHash(addresses: Uint8Array, off: number, ipVersion: number): number {
  putAddress(place, 0, addresses, off, ipVersion);
  place.words[4] = ipVersion;
  return place.hash(5);
}

function sentByEnd(buf: Buffer, scan: SipScan): number {
  if (scan.viaStart < 0) return 0;
  let p = scan.viaStart;
  while (p < scan.viaEnd && buf[p] !== SEMICOLON) p++;
  return p;
}

/**
 * What a proxy leaves as it is (section 16.6), together with the address that a request reached, or left for `at` < 0
 * anybody: a request with the same key is passed on by whoever it reached.
 */
export function passedOnKey(buf: Buffer, scan: SipScan, c: Packet, at: number): number {
  const { words } = passed;
  words.fill(0);
  if (at >= 0) putAddress(passed, 0, c.addresses, at, c.ipVersion);
  words[4] = hashRange(buf, scan.callIdStart, scan.callIdEnd);
  words[5] = hashRange(buf, scan.fromTagStart, scan.fromTagEnd);
  words[6] = hashRange(buf, scan.cseqMethodStart, scan.cseqMethodEnd);
  words[7] = scan.cseq;
  return passed.hash(8);
}

/** Key of the dialog a message belongs to, whoever of both sends it (section 12); 0 without Call-ID or a tag. */
export function dialogKey(buf: Buffer, scan: SipScan): number {
  if (scan.callIdStart < 0 || scan.fromTagStart < 0 || scan.toTagStart < 0) return 0;
  const from = hashRange(buf, scan.fromTagStart, scan.fromTagEnd);
  const to = hashRange(buf, scan.toTagStart, scan.toTagEnd);
  dialog.words[0] = hashRange(buf, scan.callIdStart, scan.callIdEnd);
  dialog.words[1] = Math.min(from, to);
  dialog.words[2] = Math.max(from, to);
  return dialog.hash(3) || 1;
}
