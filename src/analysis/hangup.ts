/**
 * Who ended a call: the side that sent the first BYE, or the caller's CANCEL (RFC 3261 sections 9 and 15).
 */
import { hashRange } from '../core/hash.ts';
import * as METHOD from '../core/methods.ts';
import { MARK } from '../store/dialogs/call-marks.ts';
import { isOtherFork } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isOfOpener } from '../store/dialogs/opener-side.ts';
import type { CallMessage } from './call-messages.ts';

export type HangUp = {
  readonly side: 'caller' | 'callee';
  readonly method: 'BYE' | 'CANCEL';
  readonly atUs: number;
  /** Index into the dialog's messages. */
  readonly index: number;
};

/** Both sides may hang up at once; the one whose BYE comes second says 481 to the first. */
const CROSSING_US = 2_000_000;
/** BYEs of a call that are looked at for whether they were of it. @cap */
const MAX_BYES = 16;

/** By the kept messages, oldest first. Null for what is no call, continues, was refused, or began before this capture. */
export function whoHungUp(d: Dialog, messages: readonly CallMessage[]): HangUp | null {
  if (d.methodId !== METHOD.INVITE) return null;
  let left = MAX_BYES;
  for (const m of messages) {
    if (!m.isRequest || !m.isFirst) continue;
    const facts = { atUs: m.tsUs, index: m.index };
    if (m.method === METHOD.CANCEL && Number.isNaN(d.answerUs) && isFromCaller(m, messages))
      return { side: 'caller', method: 'CANCEL', ...facts };
    if (m.method !== METHOD.BYE || (left-- > 0 && wasOfNoCall(m, messages))) continue;
    if (m.tsUs === d.byeUs)
      return { side: (d.marks & MARK.BYE_OF_CALLEE) === 0 ? 'caller' : 'callee', method: 'BYE', ...facts };
    // By another clock, or after another one.
    const text = m.read();
    if (text === null) return null;
    const { bytes, scan } = text;
    const fromTagHash = hashRange(bytes, scan.fromTagStart, scan.fromTagEnd);
    const isCaller = isOfOpener(d, bytes, scan);
    if (
      isOtherFork(d, fromTagHash === d.openerTagHash ? hashRange(bytes, scan.toTagStart, scan.toTagEnd) : fromTagHash)
    )
      continue;
    return { side: isCaller ? 'caller' : 'callee', method: 'BYE', ...facts };
  }
  return null;
}

/** Who got it knew no such call (481), and the call went on until another BYE. Anybody can send one with made-up tags. */
function wasOfNoCall(bye: CallMessage, messages: readonly CallMessage[]): boolean {
  const isLater = (m: CallMessage): boolean => m.tsUs > bye.tsUs + CROSSING_US && m.isRequest && m.isFirst;
  if (!messages.some((m) => m.method === METHOD.BYE && isLater(m))) return false;
  const { transaction } = bye.hop;
  return messages.some((m) => m.status === 481 && m.method === METHOD.BYE && m.hop.transaction === transaction);
}

/** A proxy that cancels by itself sends it from another host than the first INVITE came from. */
function isFromCaller(cancel: CallMessage, messages: readonly CallMessage[]): boolean {
  const invite = messages.find((m) => m.isRequest && m.method === METHOD.INVITE);
  return invite === undefined || invite.src.host === cancel.src.host;
}
