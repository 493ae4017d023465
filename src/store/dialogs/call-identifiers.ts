/**
 * What ties a dialog to other dialogs, taken from its messages as they come and indexed, so that a query scans nothing.
 *
 * Session-ID (RFC 7989), X-Call-ID and its kin, Replaces (RFC 3891), Refer-To (RFC 3515) with the INVITE that follows
 * it, P-Charging-Vector (RFC 7315), the o= line of an SDP (RFC 8866 section 5.2), Via branches (RFC 3261 section 17).
 */

import { hashBytes, mixHashes, takeWideHash, wideHash } from '../../core/hash.ts';
import { ipText } from '../../core/ip.ts';
import { dropOldest } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import { isLoopbackAt } from '../../core/private-address.ts';
import { ByteSpan, findSdp } from '../../protocols/sip/body.ts';
import { HEADER, headerIdOf } from '../../protocols/sip/header-name.ts';
import { parseNameAddr } from '../../protocols/sip/name-addr.ts';
import type { NamedCalls } from '../../protocols/sip/named-calls.ts';
import { endOfOtherLeg, MAX_IDENTIFIER_BYTES, NAMED, namedCallsOf } from '../../protocols/sip/named-calls.ts';
import { paramValue, parseParams } from '../../protocols/sip/params.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { OTHER_LEG } from '../../protocols/sip/seen-bits.ts';
import { decodeText, keptText, percentDecode } from '../../protocols/sip/text.ts';
import { parseUri } from '../../protocols/sip/uri.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from './dialog.ts';
import { hashesOfCallId } from './dialog-store.ts';
import { IdentifierIndex } from './identifier-index.ts';

/**
 * REFERs whose INVITE is waited for.
 *
 * @cap memory 2 MiB: REFERs that wait for their INVITE
 */
const MAX_PENDING_REFERS = 1024;

/** Kinds of identifiers; the values of X_CALL_ID, REPLACES and REFER_CALL are the Call-ID of another dialog. */
export const IDENTIFIER = {
  SESSION: 0,
  X_CALL_ID: 1,
  REPLACES: 2,
  REFER_CALL: 3,
  /** A REFER and the INVITE it made its receiver send. */
  REFER_PAIR: 4,
  RELATED_ICID: 5,
  ICID: 6,
  SDP_ORIGIN: 7,
  BRANCH: 8,
  /** What X-Call-ID and its kin name, without parameters and brackets: only a Call-ID means anything. */
  CALL_ID_PART: 9,
} as const;

/** Of NAMED. */
const KIND_OF: Readonly<Record<number, number>> = {
  [NAMED.CALL]: IDENTIFIER.X_CALL_ID,
  [NAMED.PART]: IDENTIFIER.CALL_ID_PART,
  [NAMED.REPLACED]: IDENTIFIER.REPLACES,
};

/** The INVITE a REFER asks for comes within this time. */
const REFER_WAIT_US = 60_000_000;

/** `z9hG4bK` and too little after it tells no transactions apart. */
const MIN_BRANCH = 12;
const COOKIE = Buffer.from('z9hg4bk');
const SEARCHED = 64;

/** Dialogs whose addresses share one block. */
const BLOCK = 1024;

/** An entry of the index and its part of the table of buckets. */
const IDENTIFIER_BYTES = 40;

type PendingRefer = { readonly tsUs: number; readonly hashA: number; readonly hashB: number };

export class CallIdentifiers {
  readonly index = new IdentifierIndex([IDENTIFIER.SDP_ORIGIN, IDENTIFIER.BRANCH, IDENTIFIER.CALL_ID_PART]);
  readonly #named: NamedCalls;
  readonly #span = new ByteSpan();
  readonly #scratch = Buffer.alloc(MAX_IDENTIFIER_BYTES);
  readonly #ends: (Int32Array | undefined)[] = [];
  readonly #refers = new Map<string, PendingRefer>();

  /** `headers`: further headers that carry the Call-ID of another leg. */
  constructor(headers: readonly string[] = []) {
    this.#named = namedCallsOf(headers);
  }

  /**
   * A message that is no repeat, of a dialog that is `isOpening` with it. True when it has what ties calls by name: whoever
   * tells others of the call reads it again.
   */
  onMessage(d: Dialog, buf: Buffer, scan: SipScan, c: Packet, isOpening: boolean): boolean {
    if (isOpening) this.#onOpening(d, buf, scan, c);
    let isTied = scan.sessionIdStart >= 0 || scan.chargingStart >= 0;
    if (scan.sessionIdStart >= 0)
      this.#onSessionId(d, keptText(buf, scan.sessionIdStart, scan.sessionIdEnd, MAX_IDENTIFIER_BYTES));
    if (scan.chargingStart >= 0)
      this.#onCharging(d, keptText(buf, scan.chargingStart, scan.chargingEnd, 2 * MAX_IDENTIFIER_BYTES));
    if (this.#named.isIn(scan))
      this.#named.read(buf, scan, (callId, how) => {
        isTied = true;
        this.#addCallId(d, KIND_OF[how] ?? IDENTIFIER.X_CALL_ID, callId);
      });
    if (this.#refers.size > 0 && scan.isRequest && scan.method === METHOD.INVITE && scan.toTagStart < 0)
      this.#onAskedFor(d, buf, scan, c);
    if (scan.referToStart >= 0 && scan.isRequest && scan.method === METHOD.REFER) this.#onRefer(d, buf, scan, c);
    if (scan.bodyEnd > scan.bodyStart) this.#onBody(d, buf, scan);
    return isTied;
  }

  onDialogGone(d: Dialog): void {
    this.index.remove(d.slot);
  }

  /** What too many calls share that are not here: it ties none of those that are. */
  bar(text: string): void {
    const { hashA, hashB } = this.#hash(text);
    this.index.bar(hashA, hashB);
    const bytes = Buffer.from(text);
    const asCallId = hashesOfCallId(bytes, 0, bytes.length);
    this.index.bar(asCallId.hashA, asCallId.hashB);
  }

  /** Whether one of the two addresses of the opening message is one of the other's. Loopback counts with its port. */
  sharesAddress(a: number, b: number): boolean {
    const first = this.#ends[(a / BLOCK) | 0];
    const second = this.#ends[(b / BLOCK) | 0];
    if (first === undefined || second === undefined) return false;
    const i = (a % BLOCK) * 2;
    const k = (b % BLOCK) * 2;
    return (
      first[i] === second[k] ||
      first[i] === second[k + 1] ||
      first[i + 1] === second[k] ||
      first[i + 1] === second[k + 1]
    );
  }

  /**
   * Between which addresses the request went that opened the dialog, as a hash: two of the same hop are never two legs of one
   * call.
   */
  hopOf(slot: number): number {
    const ends = this.#ends[(slot / BLOCK) | 0];
    const i = (slot % BLOCK) * 2;
    return mixHashes(ends?.[i] ?? 0, ends?.[i + 1] ?? 0);
  }

  #onOpening(d: Dialog, buf: Buffer, scan: SipScan, c: Packet): void {
    const src = endHash(c, c.srcOff, c.srcPort);
    const dst = endHash(c, c.dstOff, c.dstPort);
    // A response goes back to where the request came from.
    if (scan.isRequest) this.#setEnds(d.slot, src, dst);
    else this.#setEnds(d.slot, dst, src);
    const other = endOfOtherLeg(buf, scan.callIdStart, scan.callIdEnd);
    if (other >= 0) this.#addCallId(d, IDENTIFIER.X_CALL_ID, buf.subarray(scan.callIdStart, other));
    // The scanner has found the first branch, and seen whether there are others.
    if (scan.branchStart >= 0) this.#addBranch(d, buf, scan.branchStart, scan.branchEnd);
    if ((scan.seen & OTHER_LEG) !== 0) this.#readVias(d, buf, scan);
  }

  #readVias(d: Dialog, buf: Buffer, scan: SipScan): void {
    scan.forEachHeader((nameStart, nameEnd, start, end) => {
      if (start === scan.viaStart && end === scan.viaEnd) return;
      if (headerIdOf(buf.toString('latin1', nameStart, nameEnd)) === HEADER.VIA)
        this.#addBranches(d, decodeText(buf, start, end));
    });
  }

  #addBranches(d: Dialog, vias: string): void {
    for (const m of vias.matchAll(/;\s{0,8}branch\s{0,8}=\s{0,8}([^\s;,"]+)/gi)) {
      const n = this.#scratch.write(m[1] ?? '', 0, MAX_IDENTIFIER_BYTES, 'latin1');
      this.#addBranch(d, this.#scratch, 0, n);
    }
  }

  #addBranch(d: Dialog, buf: Buffer, start: number, end: number): void {
    if (end - start < MIN_BRANCH || !hasCookie(buf, start)) return;
    const stop = Math.min(end, start + MAX_IDENTIFIER_BYTES);
    this.#addRange(d, IDENTIFIER.BRANCH, buf, start, stop);
  }

  /** Session-ID = local UUID, and the peer's as `remote`; the null UUID says that it is not known yet. */
  #onSessionId(d: Dialog, text: string): void {
    const local = /^([0-9a-f]{32})(?=[\s;,]|$)/i.exec(text)?.[1];
    const remote = /;\s{0,8}remote\s{0,8}=\s{0,8}([0-9a-f]{32})(?=[\s;,]|$)/i.exec(text)?.[1];
    for (const uuid of [local, remote])
      if (uuid !== undefined && !/^0+$/.test(uuid)) this.#add(d, IDENTIFIER.SESSION, uuid.toLowerCase());
  }

  #onCharging(d: Dialog, text: string): void {
    const { params } = parseParams(`;${text}`, 0);
    const icid = paramValue(params, 'icid-value');
    const related = paramValue(params, 'related-icid');
    if (icid) this.#add(d, IDENTIFIER.ICID, icid);
    if (related) this.#add(d, IDENTIFIER.RELATED_ICID, related);
  }

  /** Refer-To may name a dialog to be replaced; else the receiver's INVITE to its URI is what follows. */
  #onRefer(d: Dialog, buf: Buffer, scan: SipScan, c: Packet): void {
    const address = parseNameAddr(decodeText(buf, scan.referToStart, scan.referToEnd));
    const uri = address.ok ? address.value.uri : null;
    if (uri === null) return;
    const replaces = uri.headers.find((h) => h.name.toLowerCase() === 'replaces');
    const callId =
      percentDecode(replaces?.value ?? '')
        .split(';', 1)[0]
        ?.trim() ?? '';
    this.#addCallId(d, IDENTIFIER.REFER_CALL, Buffer.from(callId, 'latin1'));
    const key = referKey(c, c.dstOff, uri.user, uri.host);
    const { hashA, hashB } = this.#hash(`${key} ${c.tsUs}`);
    this.#index(d, IDENTIFIER.REFER_PAIR, hashA, hashB);
    this.#refers.delete(key);
    this.#refers.set(key, { tsUs: c.tsUs, hashA, hashB });
    if (this.#refers.size > MAX_PENDING_REFERS) dropOldest(this.#refers);
  }

  /** An INVITE to the URI that a REFER has just named, from the host that was asked. */
  #onAskedFor(d: Dialog, buf: Buffer, scan: SipScan, c: Packet): void {
    const uri = parseUri(decodeText(buf, scan.uriStart, scan.uriEnd));
    if (!uri.ok) return;
    const refer = this.#refers.get(referKey(c, c.srcOff, uri.value.user, uri.value.host));
    if (refer === undefined || c.tsUs < refer.tsUs || c.tsUs - refer.tsUs > REFER_WAIT_US) return;
    this.#index(d, IDENTIFIER.REFER_PAIR, refer.hashA, refer.hashB);
  }

  #onBody(d: Dialog, buf: Buffer, scan: SipScan): void {
    const span = this.#span;
    if (!findSdp(buf, scan, span)) return;
    // The second line of a description.
    const stop = Math.min(span.end, span.start + SEARCHED);
    let p = span.start;
    while (p + 2 < stop && !(buf[p] === 0x0a && buf[p + 1] === 0x6f && buf[p + 2] === 0x3d)) p++;
    if (p + 2 >= stop) return;
    const start = p + 1;
    let end = start;
    while (end < span.end && (buf[end] ?? 0) > 13 && end - start < MAX_IDENTIFIER_BYTES) end++;
    this.#addRange(d, IDENTIFIER.SDP_ORIGIN, buf, start, end);
  }

  #addRange(d: Dialog, kind: number, buf: Buffer, start: number, end: number): void {
    takeWideHash(buf, start, end);
    this.#index(d, kind, wideHash.low, wideHash.high);
  }

  #add(d: Dialog, kind: number, value: string): void {
    if (value === '') return;
    const { hashA, hashB } = this.#hash(value);
    this.#index(d, kind, hashA, hashB);
  }

  /** The Call-ID of another dialog. */
  #addCallId(d: Dialog, kind: number, callId: Uint8Array): void {
    if (callId.length === 0) return;
    const { hashA, hashB } = hashesOfCallId(callId, 0, callId.length);
    this.#index(d, kind, hashA, hashB);
  }

  #index(d: Dialog, kind: number, hashA: number, hashB: number): void {
    if (this.index.add(d.slot, kind, hashA, hashB)) d.hold(IDENTIFIER_BYTES);
  }

  #hash(value: string): { hashA: number; hashB: number } {
    const n = this.#scratch.write(value, 0, MAX_IDENTIFIER_BYTES, 'latin1');
    takeWideHash(this.#scratch, 0, n);
    return { hashA: wideHash.low, hashB: wideHash.high };
  }

  #setEnds(slot: number, src: number, dst: number): void {
    const at = (slot / BLOCK) | 0;
    let block = this.#ends[at];
    if (block === undefined) {
      block = new Int32Array(BLOCK * 2);
      this.#ends[at] = block;
    }
    block[(slot % BLOCK) * 2] = src;
    block[(slot % BLOCK) * 2 + 1] = dst;
  }
}

/** Whether the magic cookie of RFC 3261 8.1.1.7 stands at `p`; bit 5 folds the letters' case and leaves digits alone. */
function hasCookie(buf: Uint8Array, p: number): boolean {
  for (let i = 0; i < COOKIE.length; i++) if (((buf[p + i] ?? 0) | 0x20) !== COOKIE[i]) return false;
  return true;
}

/** A host by its address; on loopback, where all have one address, by its port too. */
function endHash(c: Packet, off: number, port: number): number {
  const hash = hashBytes(c.addresses, off, off + (c.ipVersion === 6 ? 16 : 4));
  return isLoopbackAt(c.addresses, off, c.ipVersion) ? mixHashes(hash, port) : hash;
}

function referKey(c: Packet, off: number, user: string | null, host: string): string {
  return `${ipText(c.addresses, off, c.ipVersion)} ${(user ?? '').slice(0, MAX_IDENTIFIER_BYTES)}@${host.slice(0, MAX_IDENTIFIER_BYTES)}`;
}
