/**
 * Feeds SIP messages into dialogs: which dialog, whether it is new or a repeat, and what it changes.
 *
 * The hot path of the program: no allocation for a message of a known dialog but what the log copies.
 */

import { TextRange } from '../../core/byte-text.ts';
import { hashRange } from '../../core/hash.ts';
import {
  DIALOG_BYTES,
  DIALOG_MESSAGES_OF_ANYBODY,
  MAX_DIALOG_MESSAGES,
  MAX_NAME_BYTES,
  MAX_VALUE_BYTES,
} from '../../core/limits.ts';
import { sourcePrefix } from '../../core/source-prefix.ts';
import { tally } from '../../core/tally.ts';
import { METHOD_NAMES, ORIGINS } from '../../core/words.ts';
import { Party } from '../../protocols/sip/address.ts';
import { METHOD } from '../../protocols/sip/method.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { isChallenge } from '../../protocols/sip/status.ts';
import { decodeText, keptText } from '../../protocols/sip/text.ts';
import type { CallIdentifiers } from '../../store/dialogs/call-identifiers.ts';
import type { FramePointer } from '../../store/dialogs/call-marks.ts';
import { isOtherFork } from '../../store/dialogs/call-timing.ts';
import { acceptCredentials, challengeAgain, useCredentials } from '../../store/dialogs/challenges.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { DialogInit } from '../../store/dialogs/dialog-init.ts';
import { MARK } from '../../store/dialogs/dialog-marks.ts';
import { POOL } from '../../store/dialogs/dialog-room.ts';
import { EVENT, familyOf, initialState, isEnded, nextState, STATE } from '../../store/dialogs/dialog-state.ts';
import type { DialogStore } from '../../store/dialogs/dialog-store.ts';
import type { ExpiryQueue } from '../../store/dialogs/expiry-queue.ts';
import { BY_QUALITY, CallSources } from '../../store/dialogs/source-marks.ts';
import { isCauseCut, terminationCause, terminationRank } from '../../store/dialogs/termination-cause.ts';
import type { Carrier } from '../../store/messages/fingerprint.ts';
import { fingerprint, takeFingerprint } from '../../store/messages/fingerprint.ts';
import type { MessageLog } from '../../store/messages/message-log.ts';
import type { MessageFacts } from '../../store/messages/message-rows.ts';
import { NO_ROW, ROW } from '../../store/messages/message-rows.ts';
import { HepClocks } from '../hep-clocks.ts';
import type { SdpTracker } from '../media/sdp-tracker.ts';
import { DUPLICATE_FRAME_US } from '../seen-twice.ts';
import { markMessage } from './call-marks.ts';
import { eventOf } from './dialog-event.ts';
import { DialogParties } from './dialog-parties.ts';
import { DialogTimes } from './dialog-times.ts';
import { grantedExpiry, noteRequest, notifiedExpiry } from './registration.ts';

/** Event counters of messages; they never fall. */
class MessageCounts {
  /** Requests by METHOD id, and responses by the METHOD id of their CSeq. */
  readonly requestsByMethod = new Float64Array(METHOD_NAMES.length);
  readonly responsesByMethod = new Float64Array(METHOD_NAMES.length);
  /** Responses by status code, 0..999. */
  readonly byStatus = new Float64Array(1000);
  messages = 0;
  requests = 0;
  responses = 0;
  retransmissions = 0;
  duplicateFrames = 0;
  copies = 0;
  withoutCallId = 0;
  beyondDialogCap = 0;
  /** Those that no party of their dialog sent, beyond what is kept of anybody. */
  ofOutsiders = 0;
  /** Users, display names and phrases that were too long to keep whole. */
  textsCut = 0;
}

/** FNV-1a 64 of buf[start..start+length) into `out`, low half first. */
export type Digest = (buf: Uint8Array, start: number, length: number, out: Int32Array) => void;

export class DialogTracker {
  readonly counts = new MessageCounts();
  readonly #dialogs: DialogStore;
  readonly #digest: Digest;
  readonly #halves = new Int32Array(2);
  readonly #callId = new TextRange();
  readonly #from = new Party();
  readonly #to = new Party();
  // Filled anew for each dialog.
  readonly #frame: FramePointer = { source: 0, ordinal: Number.NaN, digestHigh: 0, digestLow: 0 };
  readonly #init: { -readonly [K in keyof DialogInit]: DialogInit[K] } = {
    callId: this.#callId,
    methodId: 0,
    methodText: '',
    family: 0,
    state: 0,
    // No integers: what begins as a double stays in one place.
    createdUs: Number.NaN,
    arrivalLagUs: Number.NaN,
    origin: 0,
    frame: null,
    fromUser: '',
    toUser: '',
    fromDisplay: null,
    toDisplay: null,
    openerTagHash: 0,
    prefix: 0,
    peer: 0,
  };
  readonly #log: MessageLog;
  readonly #parties: DialogParties;
  readonly #sdp: SdpTracker;
  readonly #expiries: ExpiryQueue<Dialog>;
  readonly #times: DialogTimes;
  readonly #identifiers: CallIdentifiers | null;
  readonly #onChange: ((d: Dialog, fromState: number) => void) | null;
  /** Transmissions of the message being looked up, by source. */
  readonly #bySource = new Float64Array(ORIGINS.length);
  /** Of the last message looked up: its source has not sent it before. */
  #isFirstOfSource = true;
  /** And it is a 401 or 407 that refuses credentials, or a copy of one. */
  #isRefusal = false;
  /** And it moves neither the state nor the times of the call. */
  #isAside = false;
  /** And when a worse source had sent it first; NaN when none had. */
  #worseUs = Number.NaN;
  readonly #facts: MessageFacts = {
    tsUs: 0,
    dialog: 0,
    hashA: 0,
    hashB: 0,
    flags: 0,
    origin: 0,
    transport: 0,
    method: 0,
    status: 0,
    cseq: 0,
    ipId: 0,
    srcPort: 0,
    dstPort: 0,
    addresses: new Uint8Array(0),
    srcOff: 0,
    dstOff: 0,
    place: null,
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
    onChange?: (d: Dialog, fromState: number) => void;
  }) {
    this.#digest = deps.digest;
    this.#dialogs = deps.dialogs;
    this.#log = deps.log;
    this.#parties = new DialogParties(deps.log, deps.dialogs.room);
    this.#sdp = deps.sdp;
    this.#expiries = deps.expiries;
    this.#times = new DialogTimes(deps.clocks ?? new HepClocks(), deps.dialogs, deps.log, deps.expiries);
    this.#identifiers = deps.identifiers ?? null;
    this.#onChange = deps.onChange ?? null;
  }

  /** A scanned message at buf[start..end). Returns its dialog, or null when it has no Call-ID. */
  onMessage(buf: Buffer, start: number, end: number, scan: SipScan, c: Carrier, callIdHash: number): Dialog | null {
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
    this.#isFirstOfSource = true;
    this.#isRefusal = false;
    const kind = maybeSeen || hasSources ? this.#repeatKind(d, c) : 0;
    if (found === undefined) this.#times.open(d, c);
    else if (c.clock !== null || d.clock !== null) this.#times.place(d, c);
    if (kind === 0 && isChallenge(scan.status)) this.#isRefusal = challengeAgain(d, buf, scan);
    this.#keep(d, buf, start, end, scan, c, kind);
    this.#isAside = isAside(d, buf, scan, toTagHash);
    if (hasSources) this.#noteSource(d, scan, c, toTagHash);
    // Receive queues and merged files put records a little out of order; a clock that was set back is another matter.
    else if (d.moveOn(c.tsUs) && d.createdUs - c.tsUs <= LATE_RECORD_US) this.#dialogs.setCreated(d, c.tsUs);
    this.#dialogs.touch(d);
    if (kind === ROW.RETRANSMISSION) {
      d.retransmits++;
      counts.retransmissions++;
    } else if (kind === ROW.DUPLICATE) counts.duplicateFrames++;
    else if (kind === ROW.COPY) {
      counts.copies++;
      if (this.#isFirstOfSource && scan.bodyEnd > scan.bodyStart && !Number.isNaN(this.#worseUs))
        this.#sdp.onBetterCopy(d, buf, scan, this.#worseUs, c.tsUs);
    } else this.#apply(d, buf, start, end, scan, c, toTagHash);
    if (found !== undefined && d.pool < POOL.ENDED) this.#noteAnswer(d, scan, c);
    if (this.#dialogs.room.bytes > DIALOG_BYTES) this.#dialogs.keepWithin(d);
    return d;
  }

  /** A message of a dialog that has come to nothing yet: a success from whom the opening message went to proves it. */
  #noteAnswer(d: Dialog, scan: SipScan, c: Carrier): void {
    this.#dialogs.comeOn(d);
    const isSuccess = !scan.isRequest && scan.status >= 200 && scan.status < 300 && PROVING.has(scan.cseqMethod);
    if (isSuccess && this.#dialogs.room.isPeer(d.slot, peerHash(c, true))) this.#dialogs.prove(d);
  }

  /** See DialogStore.fetch(). */
  fetch(callIdHashes: Int32Array, count: number): void {
    this.#dialogs.fetch(callIdHashes, count);
  }

  /** Registrations and subscriptions whose granted time has passed by `nowUs`, and challenges that nobody answered. */
  sweep(nowUs: number): void {
    this.#expiries.sweep(nowUs, this.#onLapsed);
    this.#times.clocks.sweep(nowUs, this.#onLapsed);
  }

  readonly #onLapsed = (d: Dialog): void => {
    d.expiresUs = Number.NaN;
    if ((d.marks & MARK.CHALLENGED) === 0) this.#transition(d, EVENT.expired, d.updatedUs);
    else {
      if (d.methodId === METHOD.REFER) d.beforeTransfer = STATE.Failed;
      this.#transition(d, EVENT['challenge-unanswered'], d.updatedUs);
    }
  };

  #open(buf: Buffer, scan: SipScan, c: Carrier, callIdHash: number): Dialog {
    const methodId = scan.isRequest ? scan.method : scan.cseqMethod;
    const hasBothTags = scan.fromTagStart >= 0 && scan.toTagStart >= 0;
    const from = this.#from;
    const to = this.#to;
    from.read(buf, scan.fromStart, scan.fromEnd);
    to.read(buf, scan.toStart, scan.toEnd);
    this.#callId.set(buf, scan.callIdStart, scan.callIdEnd);
    const init = this.#init;
    init.methodId = methodId;
    init.methodText = methodText(buf, scan, methodId);
    init.family = familyOf(methodId);
    init.state = initialState(methodId, scan.isRequest, hasBothTags);
    init.createdUs = c.tsUs;
    init.arrivalLagUs = c.arrivedUs - c.tsUs;
    init.origin = c.origin;
    init.frame = this.#fillFrame(buf, c, this.#frame) ? this.#frame : null;
    init.fromUser = from.user;
    init.toUser = to.user;
    init.fromDisplay = from.display;
    init.toDisplay = to.display;
    init.openerTagHash = hashRange(buf, scan.fromTagStart, scan.fromTagEnd);
    init.prefix = sourcePrefix(c.addresses, c.srcOff, c.ipVersion);
    init.peer = peerHash(c, false);
    if (from.isCut) this.counts.textsCut++;
    if (to.isCut) this.counts.textsCut++;
    return this.#dialogs.open(init, callIdHash);
  }

  /** The frame that opened the dialog; its digest is only taken here, for the one message in many that needs it. */
  #frameOf(buf: Buffer, c: Carrier): FramePointer | null {
    const frame: FramePointer = { source: 0, ordinal: 0, digestHigh: 0, digestLow: 0 };
    return this.#fillFrame(buf, c, frame) ? frame : null;
  }

  /** False when the message came without a frame. */
  #fillFrame(buf: Buffer, c: Carrier, out: FramePointer): boolean {
    if (c.frame < 0) return false;
    out.source = c.source;
    out.ordinal = c.frame;
    out.digestHigh = c.digestHigh;
    out.digestLow = c.digestLow;
    if (c.frameLength === 0) return true;
    const halves = this.#halves;
    this.#digest(buf, c.frameStart, c.frameLength, halves);
    out.digestHigh = halves[1] ?? 0;
    out.digestLow = halves[0] ?? 0;
    return true;
  }

  /**
   * 0 for a new message, else the ROW flag that says which kind of repeat it is: counted source by source, so that the
   * order in which sources deliver decides nothing.
   */
  #repeatKind(d: Dialog, c: Carrier): number {
    const log = this.#log;
    const bySource = this.#bySource;
    bySource.fill(0);
    let lastSame = NO_ROW;
    let firstOther = NO_ROW;
    for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row)) {
      if (log.messageHash(row) !== fingerprint.a) continue;
      const origin = log.origin(row);
      const flags = log.flags(row);
      if ((flags & ROW.REQUEST) === 0 && (flags & ROW.REFUSAL) !== 0) this.#isRefusal = true;
      if ((flags & ROW.DUPLICATE) === 0) tally(bySource, origin);
      if (origin !== c.origin) {
        if (firstOther === NO_ROW) firstOther = row;
      } else if (log.hashesEqual(row, fingerprint.a, fingerprint.b)) lastSame = row;
    }
    const isWorse = firstOther !== NO_ROW && BY_QUALITY.indexOf(log.origin(firstOther)) > BY_QUALITY.indexOf(c.origin);
    this.#worseUs = isWorse ? log.tsUs(firstOther) : Number.NaN;
    this.#isFirstOfSource = lastSame === NO_ROW;
    const own = bySource[c.origin] ?? 0;
    if (firstOther !== NO_ROW) this.#times.pair(d, c, fingerprint.a, own === 0);
    if (lastSame !== NO_ROW) {
      const gapUs = Math.abs(c.tsUs - log.tsUs(lastSame));
      const isSameId = c.clock !== null || log.ipId(lastSame) === c.ipId;
      if (gapUs < DUPLICATE_FRAME_US && isSameId) return ROW.DUPLICATE;
    }
    for (let origin = 0; origin < bySource.length; origin++)
      if (origin !== c.origin && own < (bySource[origin] ?? 0)) return ROW.COPY;
    return lastSame === NO_ROW ? 0 : ROW.RETRANSMISSION;
  }

  /** A message of a dialog that more than one source carries: it moves its own source's marks. */
  #noteSource(d: Dialog, scan: SipScan, c: Carrier, toTagHash: number): void {
    d.sources ??= new CallSources(d);
    d.originsSeen |= 1 << c.origin;
    const { sources } = d;
    const own = sources.of(c.origin);
    own.note(c.tsUs, c.arrivedUs);
    if (this.#isFirstOfSource && !this.#isAside) markMessage(own, scan, toTagHash, c.tsUs, this.#isRefusal);
    d.origin = sources.opener;
    this.#dialogs.setCreated(d, sources.firstUs);
    d.updatedUs = sources.lastUs;
  }

  #keep(d: Dialog, buf: Buffer, start: number, end: number, scan: SipScan, c: Carrier, kind: number): void {
    if (d.keptCount >= DIALOG_MESSAGES_OF_ANYBODY && !this.#mayKeep(d, scan, c)) return;
    const f = this.#facts;
    f.tsUs = c.tsUs;
    f.dialog = d.slot;
    f.hashA = fingerprint.a;
    f.hashB = fingerprint.b;
    f.flags =
      kind |
      (scan.isRequest ? ROW.REQUEST : 0) |
      (c.ipVersion === 6 ? ROW.IPV6 : 0) |
      (c.isSnapped ? ROW.SNAPPED : 0) |
      (c.isWeak ? ROW.WEAK : 0) |
      (scan.isRequest && scan.hasAuthorization ? ROW.CREDENTIALS : 0) |
      (this.#isRefusal ? ROW.REFUSAL : 0);
    f.origin = c.origin;
    f.transport = c.transport;
    f.method = scan.isRequest ? scan.method : scan.cseqMethod;
    f.status = scan.isRequest ? 0 : scan.status;
    f.cseq = Math.max(scan.cseq, 0);
    f.ipId = this.#times.appliedTo(c);
    f.srcPort = c.srcPort;
    f.dstPort = c.dstPort;
    f.addresses = c.addresses;
    f.srcOff = c.srcOff;
    f.dstOff = c.dstOff;
    // A message that is a whole payload of a file stays there.
    const { place } = c;
    f.place = place !== null && place.start === start && place.end === end ? place : null;
    this.#log.append(f, d, buf, start, end);
    this.#times.kept(fingerprint.a);
    d.keptCount++;
  }

  /** Whether one more message of a dialog that has many is kept. */
  #mayKeep(d: Dialog, scan: SipScan, c: Carrier): boolean {
    if (d.keptCount >= MAX_DIALOG_MESSAGES) this.counts.beyondDialogCap++;
    else if (this.#parties.hasSent(d, c, scan.isRequest)) return true;
    else this.counts.ofOutsiders++;
    return false;
  }

  #apply(d: Dialog, buf: Buffer, start: number, end: number, scan: SipScan, c: Carrier, toTagHash: number): void {
    const event = this.#isAside ? EVENT.none : eventOf(buf, scan, d, this.#isRefusal);
    if (!this.#isAside) markMessage(d, scan, toTagHash, c.tsUs, this.#isRefusal);
    if (scan.isRequest) this.#applyRequest(d, buf, scan, c);
    else this.#applyResponse(d, buf, start, end, scan, c);
    if (event !== EVENT.none) {
      if (event === EVENT['refer-accepted'] && d.methodId === METHOD.REFER) d.beforeTransfer = STATE.Completed;
      if (event === EVENT['refer-refused'] && d.methodId === METHOD.REFER) d.beforeTransfer = STATE.Failed;
      this.#transition(d, event, c.tsUs);
    }
    if (scan.causeStart >= 0 || scan.hangupTextStart >= 0 || scan.hangupCodeStart >= 0)
      this.#noteCause(d, buf, scan, c);
    this.#identifiers?.onMessage(d, buf, scan, c, d.msgCount === 1);
    if (scan.bodyEnd > scan.bodyStart) this.#sdp.onBody(d, buf, scan, c);
  }

  /** Of several messages that name a cause the one nearest to the end counts, and of those the first. */
  #noteCause(d: Dialog, buf: Buffer, scan: SipScan, c: Carrier): void {
    const rank = terminationRank(scan);
    if (rank <= (d.cause?.rank ?? 0)) return;
    if (isCauseCut(scan)) this.counts.textsCut++;
    d.cause = terminationCause(buf, scan, rank, this.#frameOf(buf, c));
  }

  /** The final code of the INVITE: a 2xx stays, a real failure beats a challenge, the later one wins. */
  #noteFinal(d: Dialog, buf: Buffer, scan: SipScan): void {
    const rank = (code: number): number => (code === 0 ? 0 : code < 300 ? 3 : isChallenge(code) ? 1 : 2);
    const own = this.#isRefusal ? 2 : rank(scan.status);
    if (rank(d.finalCode) === 3 || own < rank(d.finalCode)) return;
    d.finalCode = scan.status;
    d.finalReason = isOk(buf, scan) ? 'OK' : this.#kept(buf, scan.reasonStart, scan.reasonEnd, MAX_NAME_BYTES);
  }

  /** keptText(), counted when it is cut. */
  #kept(buf: Buffer, start: number, end: number, maxBytes: number): string {
    if (end - start > maxBytes) this.counts.textsCut++;
    return keptText(buf, start, end, maxBytes);
  }

  #applyRequest(d: Dialog, buf: Buffer, scan: SipScan, c: Carrier): void {
    if (scan.hasAuthorization) this.#noteCredentials(d, buf, scan);
    switch (scan.method) {
      case METHOD.CANCEL:
        d.marks |= MARK.CANCEL_SEEN;
        break;
      case METHOD.ACK:
        if (!Number.isNaN(d.answerUs)) d.marks |= MARK.ACK_SEEN;
        break;
      case METHOD.REFER:
        d.marks |= MARK.TRANSFERRED;
        if (scan.referToStart >= 0) d.referTo = this.#kept(buf, scan.referToStart, scan.referToEnd, MAX_VALUE_BYTES);
        break;
      case METHOD.INFO:
        // Key presses by INFO: application/dtmf and application/dtmf-relay.
        if (
          scan.contentTypeStart >= 0 &&
          /^application\/dtmf/i.test(keptText(buf, scan.contentTypeStart, scan.contentTypeEnd, MAX_VALUE_BYTES))
        )
          d.marks |= MARK.DTMF;
        break;
      case METHOD.REGISTER:
      case METHOD.SUBSCRIBE:
        noteRequest(d, buf, scan);
        break;
      case METHOD.NOTIFY:
        if (d.family === 2 && scan.subscriptionStateStart >= 0) this.#lapses(d, notifiedExpiry(buf, scan), c.tsUs);
        break;
      default:
        break;
    }
  }

  #applyResponse(d: Dialog, buf: Buffer, start: number, end: number, scan: SipScan, c: Carrier): void {
    const { status } = scan;
    if (status >= 300) this.#sdp.onRefused(d, buf, scan);
    else if (status >= 200 && d.challenge !== null) acceptCredentials(d, scan);
    const isDemand = isChallenge(status) && !this.#isRefusal;
    if (isDemand) this.#waitForCredentials(d, scan, c.tsUs);
    else if (status >= 200 && isDeciding(d, scan.cseqMethod)) this.#dropChallenge(d);
    if (scan.cseqMethod === METHOD.REFER) {
      if (status >= 200 && status < 300) d.marks |= MARK.REFER_ACCEPTED;
      else if (status >= 300 && (d.marks & MARK.REFER_ACCEPTED) === 0 && !isDemand) d.marks &= ~MARK.TRANSFERRED;
      return;
    }
    if (scan.cseqMethod === METHOD.INVITE) {
      if (status >= 200 && !STATUSLESS.has(d.methodId)) this.#noteFinal(d, buf, scan);
    } else if ((d.family === 1 || d.family === 2) && status >= 200 && status < 300) {
      const granted = grantedExpiry(d, buf, start, end, scan);
      if (granted < 0) return;
      d.grantedExpirySec = granted;
      this.#lapses(d, granted, c.tsUs);
    }
  }

  #noteCredentials(d: Dialog, buf: Buffer, scan: SipScan): void {
    d.marks |= MARK.CREDENTIALS_SENT;
    if (scan.method === METHOD.ACK || scan.method === METHOD.CANCEL) return;
    useCredentials(d, buf, scan);
    this.#dropChallenge(d);
  }

  /** A dialog that has come to nothing yet fails when nobody answers its challenge; the first one sets the time. */
  #waitForCredentials(d: Dialog, scan: SipScan, tsUs: number): void {
    const isOfRefer = d.state === STATE.Transferring && scan.cseqMethod === METHOD.REFER;
    if (!isOfRefer && (!isWaiting(d.state) || !isDeciding(d, scan.cseqMethod))) return;
    if (!Number.isNaN(d.expiresUs)) return;
    this.#lapses(d, CHALLENGE_WAIT_SEC, tsUs);
    d.marks |= MARK.CHALLENGED;
  }

  #dropChallenge(d: Dialog): void {
    if ((d.marks & MARK.CHALLENGED) === 0) return;
    d.marks &= ~MARK.CHALLENGED;
    d.expiresUs = Number.NaN;
  }

  /** What lasts `sec` from now lapses then, unless it is refreshed. */
  #lapses(d: Dialog, sec: number, tsUs: number): void {
    if (sec <= 0) return;
    d.marks &= ~MARK.CHALLENGED;
    d.expiresUs = tsUs + sec * 1e6;
    const queue = this.#times.queueOf(d);
    queue.push(d, d.expiresUs);
    if (queue.size > 4096 && queue.size > this.#dialogs.size * 2) queue.compact();
  }

  #transition(d: Dialog, event: number, tsUs: number): void {
    const from = d.state;
    const to = nextState(d.family, event, from, d.beforeTransfer);
    if (to === from) return;
    if (to === STATE.Transferring) d.beforeTransfer = from;
    this.#dialogs.setState(d, to);
    d.endedUs = isEnded(to) ? tsUs : Number.NaN;
    this.#onChange?.(d, from);
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
function peerHash(c: Carrier, isSource: boolean): number {
  const { addresses, srcOff, dstOff, ipVersion } = c;
  const prefix = sourcePrefix(addresses, isSource ? srcOff : dstOff, ipVersion);
  const other = sourcePrefix(addresses, isSource ? dstOff : srcOff, ipVersion);
  return prefix === other ? prefix ^ Math.imul(isSource ? c.srcPort : c.dstPort, 0x9e3779b1) : prefix;
}

/** 64*T1 (RFC 3261 section 17.1.1.2): no client waits longer for anything. */
const CHALLENGE_WAIT_SEC = 32;

function isWaiting(state: number): boolean {
  return state === STATE.Trying || state === STATE.Ringing || state === STATE.Pending;
}

/** Whether the state of the dialog hangs on the responses to this method. */
function isDeciding(d: Dialog, method: number): boolean {
  return method === d.methodId || (d.family === 0 && method === METHOD.INVITE);
}

/** Dialogs opened by these have no final status, also when an INVITE with their Call-ID follows. */
const STATUSLESS: ReadonlySet<number> = new Set([METHOD.REGISTER, METHOD.OPTIONS, METHOD.SUBSCRIBE]);

/** BYE and its response in another fork than the one that was answered first; what the opener says to an INVITE of the other. */
function isAside(d: Dialog, buf: Buffer, scan: SipScan, toTagHash: number): boolean {
  const method = scan.isRequest ? scan.method : scan.cseqMethod;
  if (method === METHOD.INVITE) return !scan.isRequest && toTagHash !== 0 && toTagHash === d.openerTagHash;
  if (method !== METHOD.BYE) return false;
  const fromTagHash = hashRange(buf, scan.fromTagStart, scan.fromTagEnd);
  return isOtherFork(d, fromTagHash === d.openerTagHash ? toTagHash : fromTagHash);
}

/** The commonest reason phrase needs no string of its own. */
function isOk(buf: Buffer, scan: SipScan): boolean {
  const at = scan.reasonStart;
  return scan.reasonEnd - at === 2 && buf[at] === 0x4f && buf[at + 1] === 0x4b;
}

function methodText(buf: Buffer, scan: SipScan, methodId: number): string {
  if (methodId !== METHOD.OTHER) return METHOD_NAMES[methodId] ?? 'OTHER';
  const start = scan.isRequest ? scan.methodStart : scan.cseqMethodStart;
  const end = scan.isRequest ? scan.methodEnd : scan.cseqMethodEnd;
  return start < 0 ? 'UNKNOWN' : decodeText(buf, start, Math.min(end, start + 64));
}
