/**
 * What a message that is no repeat changes in its dialog: state, final code, challenges, expiry, cause of the end.
 */

import * as METHOD from '../../core/methods.ts';
import { MAX_NAME_BYTES } from '../../protocols/sip/address.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { keptText } from '../../protocols/sip/text.ts';
import type { Packet } from '../../sources/packet.ts';
import type { CallIdentifiers } from '../../store/dialogs/call-identifiers.ts';
import type { CallMarks } from '../../store/dialogs/call-marks.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import { markBye, markByeFinal, markFinal, markInvite, markProvisional } from '../../store/dialogs/call-timing.ts';
import { acceptCredentials, useCredentials } from '../../store/dialogs/challenges.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { EVENT, isEnded, nextState, STATE } from '../../store/dialogs/dialog-state.ts';
import type { DialogStore } from '../../store/dialogs/dialog-store.ts';
import type { ExpiryQueue } from '../../store/dialogs/expiry-queue.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import {
  isCauseCut,
  MAX_VALUE_BYTES,
  terminationCause,
  terminationRank,
} from '../../store/dialogs/termination-cause.ts';
import type { SdpTracker } from '../media/sdp-tracker.ts';
import { eventOf } from './dialog-event.ts';
import type { DialogTimes } from './dialog-times.ts';
import type { FramePointers } from './frame-pointers.ts';
import type { MessageCounts } from './message-counts.ts';
import { grantedExpiry, noteRequest, notifiedExpiry } from './registration.ts';
import type { Sighting } from './repeats.ts';

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

export class DialogChanges {
  readonly #counts: MessageCounts;
  readonly #dialogs: DialogStore;
  readonly #sdp: SdpTracker;
  readonly #expiries: ExpiryQueue<Dialog>;
  readonly #times: DialogTimes;
  readonly #frames: FramePointers;
  readonly #identifiers: CallIdentifiers | null;
  readonly #onChange: ((d: Dialog, fromState: number) => void) | null;

  constructor(deps: {
    counts: MessageCounts;
    dialogs: DialogStore;
    sdp: SdpTracker;
    expiries: ExpiryQueue<Dialog>;
    times: DialogTimes;
    frames: FramePointers;
    identifiers: CallIdentifiers | null;
    onChange: ((d: Dialog, fromState: number) => void) | null;
  }) {
    this.#counts = deps.counts;
    this.#dialogs = deps.dialogs;
    this.#sdp = deps.sdp;
    this.#expiries = deps.expiries;
    this.#times = deps.times;
    this.#frames = deps.frames;
    this.#identifiers = deps.identifiers;
    this.#onChange = deps.onChange;
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

  apply(d: Dialog, buf: Buffer, start: number, end: number, scan: SipScan, c: Packet, seen: Sighting): void {
    const { isOfOtherFork, isRefusal } = seen;
    const event = isOfOtherFork ? EVENT.none : eventOf(buf, scan, d, isRefusal);
    const isFirstBye = !isOfOtherFork && scan.isRequest && scan.method === METHOD.BYE && Number.isNaN(d.byeUs);
    if (!isOfOtherFork) markMessage(d, scan, seen.toTagHash, c.tsUs, isRefusal);
    if (isFirstBye) noteHangUp(d, buf, scan);
    if (scan.isRequest) this.#applyRequest(d, buf, scan, c);
    else this.#applyResponse(d, buf, start, end, scan, c, isRefusal);
    if (event !== EVENT.none) {
      if (event === EVENT['refer-accepted'] && d.methodId === METHOD.REFER) d.beforeTransfer = STATE.Completed;
      if (event === EVENT['refer-refused'] && d.methodId === METHOD.REFER) d.beforeTransfer = STATE.Failed;
      this.#transition(d, event, c.tsUs);
    }
    if (scan.causeStart >= 0 || scan.hangupTextStart >= 0 || scan.hangupCodeStart >= 0)
      this.#noteCause(d, buf, scan, c);
    if (this.#identifiers?.onMessage(d, buf, scan, c, d.msgCount === 1) === true) d.marks |= MARK.TIED;
    if (scan.bodyEnd > scan.bodyStart) this.#sdp.onBody(d, buf, scan, c);
  }

  /** Of several messages that name a cause the one nearest to the end counts, and of those the first. */
  #noteCause(d: Dialog, buf: Buffer, scan: SipScan, c: Packet): void {
    const rank = terminationRank(scan);
    if (rank <= (d.cause?.rank ?? 0)) return;
    if (isCauseCut(scan)) this.#counts.textsCut++;
    d.cause = terminationCause(buf, scan, rank, this.#frames.of(buf, c));
  }

  /** The final code of the INVITE: a 2xx stays, a real failure beats a challenge, the later one wins. */
  #noteFinal(d: Dialog, buf: Buffer, scan: SipScan, isRefusal: boolean): void {
    const rank = (code: number): number => (code === 0 ? 0 : code < 300 ? 3 : isChallenge(code) ? 1 : 2);
    const own = isRefusal ? 2 : rank(scan.status);
    if (rank(d.finalCode) === 3 || own < rank(d.finalCode)) return;
    d.finalCode = scan.status;
    d.finalReason = isOk(buf, scan) ? 'OK' : this.#kept(buf, scan.reasonStart, scan.reasonEnd, MAX_NAME_BYTES);
  }

  /** keptText(), counted when it is cut. */
  #kept(buf: Buffer, start: number, end: number, maxBytes: number): string {
    if (end - start > maxBytes) this.#counts.textsCut++;
    return keptText(buf, start, end, maxBytes);
  }

  #applyRequest(d: Dialog, buf: Buffer, scan: SipScan, c: Packet): void {
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

  #applyResponse(
    d: Dialog,
    buf: Buffer,
    start: number,
    end: number,
    scan: SipScan,
    c: Packet,
    isRefusal: boolean,
  ): void {
    const { status } = scan;
    if (status >= 300) this.#sdp.onRefused(d, buf, scan);
    else if (status >= 200 && d.challenges !== null) acceptCredentials(d, scan);
    const isDemand = isChallenge(status) && !isRefusal;
    if (isDemand) this.#waitForCredentials(d, scan, c.tsUs);
    else if (status >= 200 && isDeciding(d, scan.cseqMethod)) this.#dropChallenge(d);
    if (scan.cseqMethod === METHOD.REFER) {
      if (status >= 200 && status < 300) d.marks |= MARK.REFER_ACCEPTED;
      else if (status >= 300 && (d.marks & MARK.REFER_ACCEPTED) === 0 && !isDemand) d.marks &= ~MARK.TRANSFERRED;
      return;
    }
    if (scan.cseqMethod === METHOD.INVITE) {
      if (status >= 200 && !STATUSLESS.has(d.methodId)) this.#noteFinal(d, buf, scan, isRefusal);
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

/** The commonest reason phrase needs no string of its own. */
function isOk(buf: Buffer, scan: SipScan): boolean {
  const at = scan.reasonStart;
  return scan.reasonEnd - at === 2 && buf[at] === 0x4f && buf[at + 1] === 0x4b;
}

/** Keeps whose BYE it is: who asks later needs not read the message again. */
function noteHangUp(d: Dialog, buf: Buffer, scan: SipScan): void {
  d.marks = isOfOpener(d, buf, scan) ? d.marks & ~MARK.BYE_OF_CALLEE : d.marks | MARK.BYE_OF_CALLEE;
}

/** The marks a message sets, on a dialog or on what one source saw of it. */
export function markMessage(m: CallMarks, scan: SipScan, toTagHash: number, tsUs: number, isRefusal: boolean): void {
  const { status } = scan;
  if (scan.isRequest) {
    if (scan.method === METHOD.BYE) markBye(m, scan.cseq, tsUs);
    else if (scan.method !== METHOD.INVITE) return;
    else if (scan.toTagStart < 0) markInvite(m, scan.cseq, tsUs);
    else m.marks |= MARK.REINVITED;
  } else if (scan.cseqMethod === METHOD.INVITE) {
    if (status < 200) markProvisional(m, scan.cseq, status, toTagHash, tsUs);
    else if (isRefusal || !isChallenge(status)) markFinal(m, scan.cseq, status, toTagHash, tsUs);
  } else if (scan.cseqMethod === METHOD.BYE && status >= 200) markByeFinal(m, scan.cseq, tsUs);
}
