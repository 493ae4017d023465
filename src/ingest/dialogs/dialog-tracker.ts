/**
 * Feeds SIP messages into dialogs: which dialog, whether it is new or a repeat, and what it changes.
 *
 * The hot path of the program: no allocation for a message of a known dialog but what the log copies.
 */

import { TextRange } from '../../core/byte-text.ts';
import { hashRange, mixHashes } from '../../core/hash.ts';
import { sourcePrefix } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import { METHOD_NAMES } from '../../core/words.ts';
import { Party } from '../../protocols/sip/address.ts';
import { hasOtherBody } from '../../protocols/sip/body.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import type { Packet } from '../../sources/packet.ts';
import type { CallIdentifiers } from '../../store/dialogs/call-identifiers.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import { isOtherFork } from '../../store/dialogs/call-timing.ts';
import { challengeAgain } from '../../store/dialogs/challenges.ts';
import type { Dialog, DialogInit } from '../../store/dialogs/dialog.ts';
import { DIALOG_BYTES, POOL } from '../../store/dialogs/dialog-room.ts';
import { initialState } from '../../store/dialogs/dialog-state.ts';
import type { DialogStore } from '../../store/dialogs/dialog-store.ts';
import type { ExpiryQueue } from '../../store/dialogs/expiry-queue.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import { CallSources } from '../../store/dialogs/source-marks.ts';
import { fingerprint, takeFingerprint } from '../../store/messages/fingerprint.ts';
import type { MessageFrames } from '../../store/messages/frame-ledger.ts';
import type { MessageLog } from '../../store/messages/message-log.ts';
import { ROW } from '../../store/messages/message-rows.ts';
import { HepClocks } from '../hep-clocks.ts';
import type { SdpTracker } from '../media/sdp-tracker.ts';
import { DialogChanges, markMessage } from './dialog-changes.ts';
import { DialogParties } from './dialog-parties.ts';
import { DialogTimes } from './dialog-times.ts';
import { type Digest, FramePointers } from './frame-pointers.ts';
import { MessageCounts } from './message-counts.ts';
import { Repeats, type Sighting } from './repeats.ts';

/** Messages of one dialog that are kept; later ones still drive state, timing and counts. @cap messages_beyond_dialog_cap */
export const MAX_DIALOG_MESSAGES = 500;

/**
 * Messages of one dialog kept of anybody; the rest is for its parties (ingest/dialogs/dialog-parties.ts).
 *
 * @cap messages_of_outsiders
 */
export const DIALOG_MESSAGES_OF_ANYBODY = 250;

export class DialogTracker {
  readonly counts: MessageCounts;
  readonly #dialogs: DialogStore;
  readonly #frames: FramePointers;
  readonly #callId = new TextRange();
  readonly #from = new Party();
  readonly #to = new Party();
  readonly #log: MessageLog;
  readonly #ledger: MessageFrames | null;
  readonly #parties: DialogParties;
  readonly #sdp: SdpTracker;
  readonly #times: DialogTimes;
  readonly #repeats: Repeats;
  readonly #changes: DialogChanges;
  /** Of the message in hand. */
  readonly #seen: Sighting = {
    toTagHash: 0,
    isFirstOfSource: true,
    isRefusal: false,
    isOfOtherFork: false,
    worseUs: Number.NaN,
  };
  constructor(deps: {
    dialogs: DialogStore;
    log: MessageLog;
    sdp: SdpTracker;
    expiries: ExpiryQueue<Dialog>;
    digest: Digest;
    /** Left out where nobody will ask what belongs together. */
    identifiers?: CallIdentifiers | null;
    clocks?: HepClocks;
    /** Left out where nobody will write the frames of messages. */
    frames?: MessageFrames | null;
    countsCodes?: boolean;
    onChange?: (d: Dialog, fromState: number) => void;
  }) {
    this.counts = new MessageCounts(deps.countsCodes === true);
    this.#frames = new FramePointers(deps.digest);
    this.#dialogs = deps.dialogs;
    this.#log = deps.log;
    this.#ledger = deps.frames ?? null;
    this.#parties = new DialogParties(deps.log, deps.dialogs.room);
    this.#sdp = deps.sdp;
    this.#times = new DialogTimes(deps.clocks ?? new HepClocks(), deps.dialogs, deps.log, deps.expiries);
    this.#repeats = new Repeats(deps.log, this.#times);
    this.#changes = new DialogChanges({
      counts: this.counts,
      dialogs: deps.dialogs,
      sdp: deps.sdp,
      expiries: deps.expiries,
      times: this.#times,
      frames: this.#frames,
      identifiers: deps.identifiers ?? null,
      onChange: deps.onChange ?? null,
    });
  }

  /** A scanned message at buf[start..end). Returns its dialog, or null when it has no Call-ID. */
  onMessage(buf: Buffer, start: number, end: number, scan: SipScan, c: Packet, callIdHash: number): Dialog | null {
    const counts = this.counts;
    counts.messages++;
    if (scan.isRequest) {
      counts.requests++;
      addOne(counts.requestsByMethod, scan.method);
    } else {
      counts.responses++;
      addOne(counts.responsesByMethod, scan.cseqMethod);
      addOne(counts.byStatus, scan.status);
    }
    if (scan.callIdStart < 0 || scan.callIdEnd === scan.callIdStart) {
      counts.withoutCallId++;
      return null;
    }
    const found = this.#dialogs.find(buf, scan.callIdStart, scan.callIdEnd, callIdHash);
    const d = found ?? this.#open(buf, scan, c, callIdHash);
    const toTagHash = hashRange(buf, scan.toTagStart, scan.toTagEnd);
    takeFingerprint(buf, scan, toTagHash, c);
    const maybeSeen = d.countMessage(fingerprint.a, fingerprint.b);
    const hasSources = d.originsSeen !== 1 << c.origin;
    const seen = this.#seen;
    seen.toTagHash = toTagHash;
    seen.isFirstOfSource = true;
    seen.isRefusal = false;
    const kind = maybeSeen || hasSources ? this.#repeats.look(d, c, seen) : 0;
    if (found === undefined) this.#times.open(d, c);
    else if (c.clock !== null || d.clock !== null) this.#times.place(d, c);
    if (kind === 0 && isChallenge(scan.status)) seen.isRefusal = challengeAgain(d, buf, scan);
    this.#keep(d, buf, start, end, scan, c, kind);
    if (this.#ledger !== null) this.#ledger.add(d.slot, c);
    seen.isOfOtherFork = isOfOtherFork(d, buf, scan, toTagHash);
    if (hasSources) this.#noteSource(d, scan, c);
    // Receive queues and merged files put records a little out of order; a clock that was set back is another matter.
    else if (d.moveOn(c.tsUs) && d.createdUs - c.tsUs <= LATE_RECORD_US) this.#dialogs.setCreated(d, c.tsUs);
    this.#dialogs.touch(d);
    if (kind === ROW.RETRANSMISSION) {
      d.retransmits++;
      counts.retransmissions++;
      counts.codes?.onRetransmission(scan);
    } else if (kind === ROW.DUPLICATE) counts.duplicateFrames++;
    else if (kind === ROW.COPY) {
      counts.copies++;
      if (seen.isFirstOfSource && scan.bodyEnd > scan.bodyStart && !Number.isNaN(seen.worseUs))
        this.#sdp.onBetterCopy(d, buf, scan, seen.worseUs, c.tsUs);
    } else {
      counts.codes?.onNew(scan);
      this.#changes.apply(d, buf, start, end, scan, c, seen);
    }
    if (found !== undefined && d.pool < POOL.ENDED) this.#noteAnswer(d, scan, c);
    if (this.#dialogs.room.bytes > DIALOG_BYTES) this.#dialogs.keepWithin(d);
    return d;
  }

  /** A message of a dialog that has come to nothing yet: a success from whom the opening message went to proves it. */
  #noteAnswer(d: Dialog, scan: SipScan, c: Packet): void {
    this.#dialogs.addMessage(d);
    const isSuccess = !scan.isRequest && scan.status >= 200 && scan.status < 300 && PROVING.has(scan.cseqMethod);
    if (isSuccess && this.#dialogs.room.isPeer(d.slot, peerHash(c, true))) this.#dialogs.prove(d);
  }

  /** Whether the source of the packet is known in the dialog: it opened it, or a party sent it a request. */
  isParty(d: Dialog, c: Packet): boolean {
    return this.#parties.hasSent(d, c, false);
  }

  /** Registrations and subscriptions whose granted time has passed by `nowUs`, and challenges that nobody answered. */
  sweep(nowUs: number): void {
    this.#changes.sweep(nowUs);
  }

  #open(buf: Buffer, scan: SipScan, c: Packet, callIdHash: number): Dialog {
    const methodId = scan.isRequest ? scan.method : scan.cseqMethod;
    const hasBothTags = scan.fromTagStart >= 0 && scan.toTagStart >= 0;
    const from = this.#from;
    const to = this.#to;
    from.read(buf, scan.fromStart, scan.fromEnd);
    to.read(buf, scan.toStart, scan.toEnd);
    this.#callId.set(buf, scan.callIdStart, scan.callIdEnd);
    if (from.isCut) this.counts.textsCut++;
    if (to.isCut) this.counts.textsCut++;
    const init: DialogInit = {
      callId: this.#callId,
      methodId,
      methodText: methodText(buf, scan, methodId),
      state: initialState(methodId, scan.isRequest, hasBothTags),
      createdUs: c.tsUs,
      arrivalLagUs: c.arrivedUs - c.tsUs,
      origin: c.origin,
      frame: this.#frames.of(buf, c),
      fromUser: from.user,
      toUser: to.user,
      fromPlace: from.place,
      toPlace: to.place,
      fromDisplay: from.display,
      toDisplay: to.display,
      openerTagHash: hashRange(buf, scan.fromTagStart, scan.fromTagEnd),
      prefix: sourcePrefix(c.addresses, c.srcOff, c.ipVersion),
      peer: peerHash(c, false),
    };
    return this.#dialogs.open(init, callIdHash);
  }

  /** A message of a dialog that more than one source carries: it moves its own source's marks. */
  #noteSource(d: Dialog, scan: SipScan, c: Packet): void {
    const { isFirstOfSource, isOfOtherFork, isRefusal, toTagHash } = this.#seen;
    d.sources ??= new CallSources(d);
    d.originsSeen |= 1 << c.origin;
    const { sources } = d;
    const own = sources.of(c.origin);
    own.note(c.tsUs, c.arrivedUs);
    if (isFirstOfSource && !isOfOtherFork) markMessage(own, scan, toTagHash, c.tsUs, isRefusal);
    d.origin = sources.opener;
    this.#dialogs.setCreated(d, sources.firstUs);
    d.updatedUs = sources.lastUs;
  }

  #keep(d: Dialog, buf: Buffer, start: number, end: number, scan: SipScan, c: Packet, kind: number): void {
    if (d.keptCount >= DIALOG_MESSAGES_OF_ANYBODY && !this.#mayKeep(d, scan, c)) return;
    const row = this.#log.append(d, c, scan, kind | (this.#seen.isRefusal ? ROW.REFUSAL : 0), buf, start, end);
    if (c.clock !== null) this.#log.setIpId(row, this.#times.appliedTo(c));
    this.#times.kept(fingerprint.a);
    d.keptCount++;
    if (scan.isRequest && hasOtherBody(buf, scan)) d.marks |= MARK.OTHER_BODY;
  }

  /** Whether one more message of a dialog that has many is kept. */
  #mayKeep(d: Dialog, scan: SipScan, c: Packet): boolean {
    if (d.keptCount >= MAX_DIALOG_MESSAGES) this.counts.beyondDialogCap++;
    else if (this.#parties.hasSent(d, c, scan.isRequest)) return true;
    else this.counts.ofOutsiders++;
    return false;
  }
}

/** tally() of an array of one kind: the engine puts it where it is called. */
function addOne(counts: Float64Array, i: number): void {
  counts[i] = (counts[i] ?? 0) + 1;
}

/** A record this much older than the one that opened its dialog was only read late. */
const LATE_RECORD_US = 2_000_000;

/**
 * What a success of these proves: a call, a registration, a subscription. Not of OPTIONS, NOTIFY or CANCEL, which many a
 * server answers to anybody.
 */
const PROVING: ReadonlySet<number> = new Set([
  METHOD.INVITE,
  METHOD.BYE,
  METHOD.UPDATE,
  METHOD.REGISTER,
  METHOD.SUBSCRIBE,
]);

/** Whom a message goes to, or comes from: the prefix, and where that is its other end's too, the port. */
function peerHash(c: Packet, isSource: boolean): number {
  const { addresses, srcOff, dstOff, ipVersion } = c;
  const prefix = sourcePrefix(addresses, isSource ? srcOff : dstOff, ipVersion);
  const other = sourcePrefix(addresses, isSource ? dstOff : srcOff, ipVersion);
  return prefix === other ? mixHashes(prefix, isSource ? c.srcPort : c.dstPort) : prefix;
}

/** A BYE or its response in another fork than the one that answered first, or the opener's response to an INVITE of the callee. */
function isOfOtherFork(d: Dialog, buf: Buffer, scan: SipScan, toTagHash: number): boolean {
  const method = scan.isRequest ? scan.method : scan.cseqMethod;
  if (method === METHOD.INVITE)
    return !scan.isRequest && toTagHash !== 0 && toTagHash === d.openerTagHash && !isOfOpener(d, buf, scan);
  if (method !== METHOD.BYE) return false;
  const fromTagHash = hashRange(buf, scan.fromTagStart, scan.fromTagEnd);
  return isOtherFork(d, fromTagHash === d.openerTagHash ? toTagHash : fromTagHash);
}

function methodText(buf: Buffer, scan: SipScan, methodId: number): string {
  if (methodId !== METHOD.OTHER) return METHOD_NAMES[methodId] ?? 'OTHER';
  const start = scan.isRequest ? scan.methodStart : scan.cseqMethodStart;
  const end = scan.isRequest ? scan.methodEnd : scan.cseqMethodEnd;
  return start < 0 ? 'UNKNOWN' : decodeText(buf, start, Math.min(end, start + 64));
}
