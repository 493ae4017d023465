/**
 * Both sides of a back-to-back user agent that keeps the Call-ID are one dialog here. They are told apart by the From tag
 * of their INVITEs: what forks one INVITE keeps it (RFC 3261 sections 12.1 and 16.6), an agent writes its own (RFC 7092).
 */
import { asBuffer } from '../core/byte-text.ts';
import { hashRange } from '../core/hash.ts';
import { ipText } from '../core/ip.ts';
import type { Steps } from '../core/steps.ts';
import { METHOD } from '../protocols/sip/method.ts';
import { SCAN, SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { ROW } from '../store/messages/message-rows.ts';
import type { Messages } from '../store/stores.ts';
import { keptRows } from './message-list.ts';

const REPEATS = ROW.RETRANSMISSION | ROW.COPY | ROW.DUPLICATE;

/** The INVITEs of one From tag: the host that sent the first of them, and those that got one. */
type Leg = { readonly from: string; readonly to: Set<string> };

export type LegsWithin = {
  /** One INVITE begins at a host that another one, of another From tag, went to. */
  readonly hasLegs: boolean;
  /** One of them was answered with several To tags. */
  readonly isForked: boolean;
};

const ONE_LEG: LegsWithin = { hasLegs: false, isForked: true };

/** What the kept messages of a call tell; `isForked` says nothing about a call of one leg. A step a message read. */
export function* legsWithin(d: Dialog, log: Messages): Steps<LegsWithin> {
  if (d.methodId !== METHOD.INVITE) return ONE_LEG;
  const requests: number[] = [];
  const responses: number[] = [];
  for (const row of keptRows(d, log)) {
    const flags = log.flags(row);
    if (log.method(row) !== METHOD.INVITE || (flags & REPEATS) !== 0) continue;
    if ((flags & ROW.REQUEST) !== 0) requests.push(row);
    else if (log.status(row) > 100) responses.push(row);
  }
  // Of nearly every call there is one INVITE, and nothing to read.
  if (requests.length < 2) return ONE_LEG;
  const legs = new Map<number, Leg>();
  for (const row of requests) {
    yield;
    if (!log.has(row)) continue;
    const { from, to } = tagsOf(log, row);
    if (from === 0 || to !== 0) continue;
    const { bytes, srcOff, dstOff } = log.endpoints(row);
    const version = (log.flags(row) & ROW.IPV6) === 0 ? 4 : 6;
    const leg = legs.get(from) ?? { from: ipText(bytes, srcOff, version), to: new Set() };
    leg.to.add(ipText(bytes, dstOff, version));
    legs.set(from, leg);
  }
  if (![...legs.values()].some((leg) => isWentTo(leg.from, legs))) return ONE_LEG;
  const answered = new Map<number, number>();
  for (const row of responses) {
    yield;
    if (!log.has(row)) continue;
    const { from, to } = tagsOf(log, row);
    if (to === 0) continue;
    const known = answered.get(from);
    if (known !== undefined && known !== to) return { hasLegs: true, isForked: true };
    answered.set(from, to);
  }
  return { hasLegs: true, isForked: false };
}

/** An INVITE of another host than `host` went there. */
function isWentTo(host: string, legs: ReadonlyMap<number, Leg>): boolean {
  for (const { from, to } of legs.values()) if (from !== host && to.has(host)) return true;
  return false;
}

/** Hashes of both tags, 0 for one that is not there. */
function tagsOf(log: Messages, row: number): { from: number; to: number } {
  const scan = new SipScan();
  const bytes = asBuffer(log.bytes(row));
  if (scanSip(bytes, 0, bytes.length, scan) !== SCAN.OK) return { from: 0, to: 0 };
  return {
    from: hashRange(bytes, scan.fromTagStart, scan.fromTagEnd),
    to: hashRange(bytes, scan.toTagStart, scan.toTagEnd),
  };
}
