/**
 * What a message means to its dialog's state machine.
 *
 * A response belongs to the transaction its CSeq names, never to the last request (RFC 3261 17.1.3).
 */
import * as METHOD from '../../core/methods.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { EVENT } from '../../store/dialogs/dialog-state.ts';

const LETTER_CASE = 0x20;

/** True when the bytes begin with `word` (lower-case letters), without regard to case, and it ends there. */
function startsWithWord(buf: Uint8Array, start: number, end: number, word: string): boolean {
  if (start < 0 || end - start < word.length) return false;
  for (let i = 0; i < word.length; i++) if (((buf[start + i] ?? 0) | LETTER_CASE) !== word.charCodeAt(i)) return false;
  const after = end - start > word.length ? (buf[start + word.length] ?? 0) : 0x20;
  return after === 0x20 || after === 0x09 || after === 0x3b || after === 0x0d || after === 0x0a;
}

/**
 * The event of a message in dialog `d`, which has been given the message's own marks already or not at all. `isRefusal`: a
 * 401 or 407 that refuses credentials is a failure like another.
 */
export function eventOf(buf: Uint8Array, scan: SipScan, d: Dialog, isRefusal: boolean): number {
  return scan.isRequest ? eventOfRequest(buf, scan, d) : eventOfResponse(scan, d, isRefusal);
}

function eventOfRequest(buf: Uint8Array, scan: SipScan, d: Dialog): number {
  switch (scan.method) {
    case METHOD.INVITE:
      return scan.toTagStart < 0 && d.inviteCseq >= 0 && scan.cseq > d.inviteCseq && Number.isNaN(d.answerUs)
        ? EVENT['invite-again']
        : EVENT.none;
    case METHOD.CANCEL:
      return EVENT.cancel;
    case METHOD.BYE:
      return EVENT.bye;
    case METHOD.REFER:
      return EVENT.refer;
    case METHOD.NOTIFY:
      return eventOfNotify(buf, scan, d);
    default:
      return EVENT.none;
  }
}

function eventOfNotify(buf: Uint8Array, scan: SipScan, d: Dialog): number {
  const s = scan.subscriptionStateStart;
  const e = scan.subscriptionStateEnd;
  const isTerminated = startsWithWord(buf, s, e, 'terminated');
  if (d.family !== 2) {
    return isTerminated && startsWithWord(buf, scan.eventStart, scan.eventEnd, 'refer')
      ? EVENT['refer-ended']
      : EVENT.none;
  }
  if (isTerminated) return EVENT['notify-terminated'];
  return startsWithWord(buf, s, e, 'active') ? EVENT['notify-active'] : EVENT.none;
}

function eventOfResponse(scan: SipScan, d: Dialog, isRefusal: boolean): number {
  const { status, cseqMethod } = scan;
  if (isChallenge(status) && !isRefusal) return EVENT.challenge;
  if (cseqMethod === METHOD.REFER) {
    if (status < 200) return EVENT.none;
    return status < 300 ? EVENT['refer-accepted'] : EVENT['refer-refused'];
  }
  switch (d.family) {
    case 0:
      return cseqMethod === METHOD.INVITE ? eventOfInviteResponse(scan, d) : EVENT.none;
    case 1:
      if (cseqMethod !== METHOD.REGISTER || status < 200) return EVENT.none;
      if (status < 300) return d.removalCseq === scan.cseq ? EVENT['register-removed'] : EVENT['register-success'];
      return status < 400 ? EVENT.redirect : EVENT.failure;
    case 2:
      if (cseqMethod !== METHOD.SUBSCRIBE || status < 200) return EVENT.none;
      if (status < 300) return d.removalCseq === scan.cseq ? EVENT['subscribe-removed'] : EVENT['subscribe-success'];
      return status < 400 ? EVENT.redirect : EVENT.failure;
    default:
      if (cseqMethod !== d.methodId || status < 200) return EVENT.none;
      if (status < 300) return EVENT.success;
      return status < 400 ? EVENT.redirect : EVENT.failure;
  }
}

function eventOfInviteResponse(scan: SipScan, d: Dialog): number {
  const { status } = scan;
  if (status >= 180 && status <= 183) return EVENT['invite-progress'];
  if (status < 200) return EVENT.none;
  if (status < 300) return EVENT['invite-success'];
  // A late final of an attempt that a newer INVITE has replaced decides nothing.
  if (d.inviteCseq >= 0 && scan.cseq >= 0 && scan.cseq < d.inviteCseq) return EVENT.none;
  if (status < 400) return EVENT['invite-redirect'];
  return status === 487 ? EVENT['invite-cancelled'] : EVENT['invite-failure'];
}
