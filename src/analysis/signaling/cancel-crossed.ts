/**
 * Finds a CANCEL of the caller that crossed the answer: both belong to the same INVITE transaction, so the call stands though
 * its caller gave it up (RFC 3261 section 9.1), and has to be ended by BYE.
 */
import * as METHOD from '../../core/methods.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { isElsewhere, parseReasons } from '../../protocols/sip/reason.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import { MAX_FORK_BRANCHES } from '../../store/dialogs/call-timing.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import type { CallMessage } from '../call-messages.ts';
import { whoHungUp } from '../hangup.ts';
import type { Proven, SignalingCall } from './signaling-call.ts';

/** A capture next to the called side sees the answer first; behind that nobody cancels what was answered. */
const ON_ITS_WAY_US = 2_000_000;

type Crossed = { readonly cancel: CallMessage; readonly answer: CallMessage };

export function findCancelCrossed(call: SignalingCall): Proven | null {
  const crossed = crossedCancel(call);
  return crossed === null ? null : { text: textOf(crossed, call), evidence: evidenceOf(crossed) };
}

/** The same transaction: a fork's branch that lost has one of its own. */
export function crossedCancel({ d, messages }: SignalingCall): Crossed | null {
  if (d.methodId !== METHOD.INVITE || Number.isNaN(d.answerUs) || (d.marks & MARK.CANCEL_SEEN) === 0) return null;
  const answers = firstAnswers(messages);
  // Where several called sides answered, somebody may have canceled the one that was late.
  if (new Set([...answers.values()].map((m) => m.hop.toTag)).size !== 1) return null;
  const caller = messages.find((m) => m.isRequest && m.method === METHOD.INVITE)?.src.host;
  const cancels = messages.filter((m) => m.isRequest && m.isFirst && m.method === METHOD.CANCEL);
  for (const cancel of cancels.slice(0, MAX_FORK_BRANCHES)) {
    const text = cancel.read();
    const answer = answers.get(transactionOf(cancel));
    if (text === null || answer === undefined || answer.origin !== cancel.origin) continue;
    if (cancel.src.host !== caller || cancel.hop.toTag !== '' || !isOfOpener(d, text.bytes, text.scan)) continue;
    if (cancel.tsUs - answer.tsUs > ON_ITS_WAY_US || isAcknowledged(cancel, messages)) continue;
    // Nobody gave up where a proxy cancels the phones that were slower.
    if (!parseReasons(cancel.parse()?.value(HEADER.REASON) ?? '').some(isElsewhere)) return { cancel, answer };
  }
  return null;
}

/** By transaction. */
function firstAnswers(messages: readonly CallMessage[]): Map<string, CallMessage> {
  const found = new Map<string, CallMessage>();
  for (const m of messages) {
    if (m.isRequest || m.isCopy || m.method !== METHOD.INVITE || m.status < 200 || m.status >= 300) continue;
    const key = transactionOf(m);
    if (!found.has(key)) found.set(key, m);
  }
  return found;
}

function transactionOf(m: CallMessage): string {
  return `${m.cseq} ${m.hop.transaction}`;
}

/** Who acknowledged the answer knew it before the CANCEL. */
function isAcknowledged(cancel: CallMessage, messages: readonly CallMessage[]): boolean {
  return messages.some((m) => m.method === METHOD.ACK && m.cseq === cancel.cseq && m.tsUs < cancel.tsUs);
}

function textOf({ cancel, answer }: Crossed, call: SignalingCall): string {
  const { d, messages, nowUs } = call;
  const byMs = Math.round((answer.tsUs - cancel.tsUs) / 1000);
  const order =
    byMs >= 0
      ? `the answer came ${byMs} ms after the CANCEL`
      : `the CANCEL passed here ${-byMs} ms after the answer, before any ACK`;
  const what = `The CANCEL of the caller (${cancel.src.host}) crossed the answer of ${answer.src.host}: ${order}.`;
  const end = whoHungUp(d, messages);
  const bye = end === null || end.method !== 'BYE' ? undefined : messages[end.index];
  if (end !== null && bye !== undefined) {
    const ms = Math.max(0, Math.round((bye.tsUs - answer.tsUs) / 1000));
    return `${what} The ${end.side} (${bye.src.host}) cleared the call by BYE ${ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`} after the answer.`;
  }
  const sec = Math.max(0, (Math.max(nowUs, d.updatedUs) - answer.tsUs) / 1e6);
  return `${what} Nobody cleared the call by BYE in the ${sec.toFixed(1)} s that the capture goes on.`;
}

function evidenceOf({ cancel, answer }: Crossed): number[] {
  return [cancel.index, answer.index].sort((a, b) => a - b);
}
