/**
 * Why a transaction failed: the final failure.
 */

import * as METHOD from '../../core/methods.ts';
import { MAX_NAME_BYTES } from '../../protocols/sip/address.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import { keptText } from '../../protocols/sip/text.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { STATE } from '../../store/dialogs/dialog-state.ts';
import type { Messages } from '../../store/stores.ts';
import type { CallMessage } from '../call-messages.ts';
import { messagesOf, methodName } from '../call-messages.ts';
import type { SignalingCall } from './signaling-call.ts';

export type FinalFailure = {
  code: number;
  reasonPhrase: string;
  reasonHeader: string | null;
  warning: string | null;
  /** When it asks to be tried again (RFC 3261 section 20.33); null where it does not say. */
  retryAfterSec: number | null;
  /** A challenge that nobody gave credentials for. */
  isUnanswered: boolean;
  evidence: number[];
};

/**
 * The last final failure of the deciding transaction (INVITE, or the opening method) before any 2xx to it. A challenge is
 * one where it refuses credentials, or where the dialog failed because nobody gave any; 487 only when nobody sent CANCEL.
 * Proxies pass it on from hop to hop: the evidence is the first of these, which came from who made it.
 */
export function findFinalFailure({ d, messages }: SignalingCall): FinalFailure | null {
  const method = d.family === 0 ? METHOD.INVITE : d.methodId;
  const isUnanswered = d.state === STATE.Failed && (d.marks & MARK.CHALLENGED) !== 0;
  let failure: CallMessage | null = null;
  for (const m of messages) {
    if (m.isRequest || m.isRetransmission || m.isCopy || m.method !== method || m.status < 200) continue;
    if (m.status < 300) return null;
    if (m.status < 400 || (m.isChallenge && !isUnanswered)) continue;
    if (m.status === 487 && (d.marks & MARK.CANCEL_SEEN) !== 0) continue;
    failure = m;
  }
  if (failure === null) return null;
  failure = madeAs(failure, messages);
  const parsed = failure.parse();
  return {
    code: failure.status,
    reasonPhrase: parsed?.reasonPhrase ?? '',
    reasonHeader: parsed?.headersNamed('reason')[0]?.value ?? null,
    warning: parsed?.headersNamed('warning')[0]?.value ?? null,
    retryAfterSec: parsed?.number(HEADER.RETRY_AFTER) ?? null,
    isUnanswered: isUnanswered && failure.isChallenge,
    evidence: [failure.index],
  };
}

/** The first of a response's copies on several hops: of the same answering side, which its To tag names. */
function madeAs(last: CallMessage, messages: readonly CallMessage[]): CallMessage {
  const { toTag } = last.hop;
  const isSame = (m: CallMessage): boolean =>
    !m.isRequest &&
    !m.isCopy &&
    m.status === last.status &&
    m.method === last.method &&
    m.cseq === last.cseq &&
    m.hop.toTag === toTag;
  return messages.find(isSame) ?? last;
}

/** How the method that opened the dialog ended. */
export type Final = { readonly code: number; readonly reason: string };

/** Of an INVITE as the dialog keeps it, of others the last one kept; `reason` is '' where its bytes are gone. */
export function finalOf(d: Dialog, log: Messages): Final | null {
  if (d.family === 0) return d.finalCode === 0 ? null : { code: d.finalCode, reason: d.finalReason };
  const last = lastFinal(d, log);
  return last === null ? null : { code: last.status, reason: reasonOf(last) };
}

/** The code alone, for which no message is read. */
export function finalCodeOf(d: Dialog, log: Messages): number | null {
  if (d.family === 0) return d.finalCode === 0 ? null : d.finalCode;
  return lastFinal(d, log)?.status ?? null;
}

function lastFinal(d: Dialog, log: Messages): CallMessage | null {
  let last: CallMessage | null = null;
  for (const m of messagesOf(d, log))
    if (!m.isRequest && !m.isCopy && m.method === d.methodId && m.status >= 200) last = m;
  return last;
}

function reasonOf(m: CallMessage): string {
  const found = m.read();
  if (found === null || found.scan.reasonStart < 0) return '';
  return keptText(found.bytes, found.scan.reasonStart, found.scan.reasonEnd, MAX_NAME_BYTES);
}

export function failureHint(f: FinalFailure, { d }: SignalingCall): string {
  const method = d.family === 0 ? 'INVITE' : methodName(d, d.methodId);
  const cause = f.reasonHeader ?? f.warning;
  if (f.isUnanswered) return `${method} was challenged with ${f.code}, and nobody gave credentials.`;
  if (isChallenge(f.code))
    return `The credentials of ${method} were refused with ${f.code}: check user, password and realm.`;
  const again = f.retryAfterSec === null ? '' : ` Try again after ${f.retryAfterSec} s.`;
  return (
    `${method} was refused with ${f.code} ${f.reasonPhrase}`.trimEnd() + (cause === null ? '.' : ` (${cause}).`) + again
  );
}
